/** A case from its arrival to its purge, worked from the command line next to a running service, on both engines. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { openAttachedFile, openSealedCase } from '#cases/messages/decrypted-case.ts';
import { countStoredRows } from '#test/cases/row-counts.ts';
import { readSealedCase } from '#test/cases/sealed-case.ts';
import { requireContent } from '#test/cases/stored-case.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { listEngines } from '#test/store/engines.ts';
import { startTestShop } from '#test/test-shop.ts';
import { nameCase } from '#wire/case-name.ts';
import { createDeskCli, requireStoredCase, sendBuyerMessage, sendCase } from './desk-cli.ts';

const photo = { name: 'her photo.jpg', content: Buffer.from('not really a photo CANARY-FILE') };

for (const engine of await listEngines({ after }))
  test(`on ${engine.name}, a case is accepted, opened, questioned, delivered and purged`, async (t) => {
    const { env } = await engine.createDatabase(t);
    const shop = await startTestShop(t, { env: engine.name === 'sqlite' ? {} : env });
    const desk = createDeskCli(shop, engine.name === 'sqlite' ? {} : env);
    const folder = await createTemporaryFolder(t);
    const sent = await sendCase(shop, { tier: 'Dossier', files: [photo] });
    const { id } = sent;

    const queue = await desk.runForText('cases', 'list');
    assert.match(
      queue,
      new RegExp(`${id} +${nameCase(id)} +Dossier +received +in 48 hours +NEW +- +none +browser`),
    );
    assert.match(
      await desk.runForText('cases', 'take', id),
      /^Assigned to you\. State of the case: in progress; due in 48 hours\.\n$/,
    );

    const opened = await desk.runForText('cases', 'open', id, '--out', join(folder, 'out'));
    assert.match(opened, /Question: Is this recruiter who she says she is\? CANARY-QUESTION/);
    assert.deepEqual(await readFile(join(folder, 'out', 'inquiry-1-her photo.jpg')), photo.content);

    const question = 'Which name does she use?\nCANARY-ASKED';
    await writeFile(join(folder, 'question.txt'), `${question}\r\n\n`);
    const ask = ['cases', 'ask', id, '--file', join(folder, 'question.txt'), '--offer-call'];
    assert.match(await desk.runForText(...ask), /^Asked\. State of the case: awaiting client/);
    await sendBuyerMessage(shop, sent, 0, 'Jo, she says. CANARY-ANSWER');
    const { messages, case: facts } = await desk.runForJson<{
      messages: { by: string; text: string; at: string }[];
      case: { state: string; call: string };
    }>('cases', 'open', id);
    assert.deepEqual(
      messages.map(({ by, text }) => [by, text]),
      [
        ['desk', question],
        ['buyer', 'Jo, she says. CANARY-ANSWER'],
      ],
    );
    assert.deepEqual([facts.state, facts.call], ['in_progress', 'offered']);
    assert.match(await desk.runForText('cases', 'show', id), /desk message 1 /);

    const finding = join(folder, 'finding.md');
    const report = join(folder, 'report.pdf');
    await writeFile(finding, '# She is who she says\n\nCANARY-FINDING\n');
    await writeFile(report, Buffer.alloc(3_000_000, 'CANARY-REPORT'));
    const deliver = ['cases', 'deliver', id, '--finding', finding, '--attach', report];
    assert.match(
      await desk.runForText(...deliver),
      /^Delivered\. State of the case: delivered; will be purged on \d{4}-\d\d-\d\d\.\n$/,
    );
    assert.match(await desk.runForText(...deliver), /already delivered; nothing was changed/);
    await writeFile(report, Buffer.alloc(3_000_000, 'another-report'));
    assert.match(
      await desk.runRefused(1, ...deliver),
      /^The finding was not sent: this case has already been delivered/,
    );

    const file = await readSealedCase(shop.services, await requireStoredCase(shop, sent));
    const { finding: read, key } = await openSealedCase(file, sent.keys.identity);
    assert.equal(requireContent(read).markdown, '# She is who she says\n\nCANARY-FINDING');
    const attached = await openAttachedFile(file, key, { kind: 'finding-file.v1', seq: 0 });
    assert.ok(attached);
    assert.equal(attached.name, 'report.pdf');
    const content = Buffer.concat(await Array.fromAsync(attached.content));
    assert.deepEqual(content, Buffer.alloc(3_000_000, 'CANARY-REPORT'));

    assert.match(await desk.runRefused(1, 'cases', 'purge', id), /nothing was purged/);
    assert.deepEqual(await desk.runForJson('cases', 'purge', id, '--yes'), { purged: id });
    assert.match(await desk.runRefused(1, 'cases', 'show', id), /no such case/);
    const { cases, objects, pieces } = await countStoredRows(shop);
    assert.deepEqual([cases, objects, pieces].map(Number), [0, 0, 0]);
    assert.doesNotMatch(shop.readLog(), /CANARY|request_failed/);
  });
