/** Delivering at the command line: it shows whose case it is, holds the finding, and can take it back. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { openSealedCase } from '#cases/messages/decrypted-case.ts';
import { readSealedCase } from '#test/cases/sealed-case.ts';
import { requireContent } from '#test/cases/stored-case.ts';
import { createTemporaryFolder, withReverseCleanup } from '#test/cleanup.ts';
import { startTestShop } from '#test/test-shop.ts';
import { createDeskCli, requireStoredCase, runOnTerminal, sendCase, toOwnServiceEnv } from './desk-cli.ts';

const cleanUp = withReverseCleanup({ after });
const folder = await createTemporaryFolder(cleanUp);
const shop = await startTestShop(cleanUp, { env: { DELIVERY_UNDO_MINUTES: '10' } });
const desk = createDeskCli(shop);
const right = join(folder, 'right.md');
const wrong = join(folder, 'wrong.md');
await writeFile(right, 'The right finding');
await writeFile(wrong, 'The finding of another buyer');

test('a finding can be taken back while it is held, and delivered again', async () => {
  const sent = await sendCase(shop);
  const { id } = sent;
  const deliver = ['cases', 'deliver', id, '--finding', wrong, '--attach', wrong];
  assert.match(
    await desk.runForText(...deliver),
    new RegExp(
      `^Delivered\\. State of the case: delivered; will be purged on [\\d-]+\\.\nThe buyer cannot see it before [\\d-]+ [\\d:]+ UTC\\. To take it back before then: office cases take-back ${id}\n$`,
    ),
  );
  const heldCase = await desk.runForText('cases', 'show', id);
  assert.match(heldCase, /State +delivered, can be taken back until .* UTC\n/);
  assert.match(heldCase, /Delivered +the buyer can read it from .* UTC\n/);
  assert.equal(heldCase.match(/^finding (file )?1 +\d+ +held until .* UTC$/gm)?.length, 2);
  assert.match(await desk.runForText('cases', 'list'), new RegExp(`^${id} .* (9|10) min to undo `, 'm'));
  assert.doesNotMatch(await desk.runForText('cases', 'list', '--state', 'received'), new RegExp(id));
  const { case: shown } = await desk.runForJson<{ case: Record<string, string> }>('cases', 'show', id);
  assert.equal(shown['held_until'], shown['delivered_at']);
  assert.match(await desk.runForText(...deliver), /already delivered; nothing was changed/);
  const other = ['cases', 'deliver', id, '--finding', right, '--attach', right];
  assert.match(await desk.runRefused(1, ...other), /Take it back first/);
  assert.match(await desk.runRefused(1, 'cases', 'purge', id, '--yes'), /Take it back first/);

  assert.match(
    await desk.runForText('cases', 'take-back', id),
    /^Taken back and deleted\. State of the case: in progress; due in 48 hours\.\n$/,
  );
  assert.match(await desk.runRefused(1, 'cases', 'take-back', id), /no longer possible in the current state/);
  assert.match(
    await desk.runForText(...other, '--now'),
    /^Delivered\. State of the case: delivered; will be purged on [\d-]+\.\n$/,
  );
  assert.match(await desk.runRefused(1, 'cases', 'take-back', id), /no longer possible in the current state/);
  assert.doesNotMatch(await desk.runForText('cases', 'list'), new RegExp(id));
  assert.match(await desk.runForText(...other, '--now'), /already delivered/);
  const file = await readSealedCase(shop.services, await requireStoredCase(shop, sent));
  const { finding, findingSeq } = await openSealedCase(file, sent.keys.identity);
  assert.deepEqual([requireContent(finding).markdown, findingSeq], ['The right finding', 1]);
  const { saved } = await desk.runForJson<{ saved: string[] }>(
    'cases',
    'open',
    id,
    '--out',
    join(folder, 'saved'),
  );
  assert.equal(saved.length, 1);
});

test('on a terminal, deliver shows the question and asks; elsewhere it does not', async () => {
  const { id } = await sendCase(shop);
  const args = ['cases', 'deliver', id, '--finding', right];
  const env = toOwnServiceEnv(shop);
  const refused = await runOnTerminal(env, args, ['no']);
  assert.match(
    refused.output,
    / asked: .*recruiter.*\n?.*Is this finding for them\? Type deliver to continue:/s,
  );
  assert.match(refused.output, /Not confirmed, so nothing was delivered/);
  assert.equal(refused.code, 1);
  assert.match(await desk.runForText('cases', 'show', id), /State +received\n/);
  const asked = await runOnTerminal(env, args, ['deliver']);
  assert.deepEqual([asked.code, /Delivered\./.test(asked.output)], [0, true], asked.output);
  await desk.runForText('cases', 'take-back', id);
  const told = await runOnTerminal(env, [...args, '--yes'], []);
  assert.deepEqual([told.code, /Type deliver/.test(told.output)], [0, false], told.output);
});
