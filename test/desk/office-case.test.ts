/** The desk's program at an honest office: it signs in, reads, opens, writes and sends, and seals all that it sends. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import test from 'node:test';
import { formatShownPerson } from '#desk/office/office-people.ts';
import { openEnvelope } from '#seal/core/envelope.ts';
import { openSealedFile } from '#seal/files/sealed-file.ts';
import { startScriptedOffice } from './scripted-office.ts';
import { LETTER, sealBuyerMessage } from './sealed-fixture.ts';

test('a day at the desk', async (t) => {
  const office = await startScriptedOffice(t);
  const { fixture } = office;
  const { id } = fixture.facts;
  const desk = await office.connect();
  const { people, peopleChange } = await desk.signIn();
  assert.deepEqual([people.length, peopleChange?.came.length], [2, 1]);
  await desk.confirmPeople(people.map(formatShownPerson));
  const [queued] = (await desk.readQueue({ view: 'open' })).cases;
  assert.deepEqual([queued?.id, queued?.news], [id, 'case']);
  const first = await desk.readCase(id);
  assert.deepEqual([first.isFirstOpening, first.isGenuine, first.gaps], [true, true, []]);
  assert.ok('content' in first.content.inquiry);
  assert.match(first.fingerprint, /^\d{5}(?: \d{5}){3}$/);
  const { name, content } = await desk.streamFile(id, first.files[0]!);
  assert.equal(name, 'letter.txt');
  assert.equal(Buffer.concat(await Array.fromAsync(content)).toString(), LETTER);

  fixture.parts.push(await sealBuyerMessage(fixture.key, 0, 'And her brother? CANARY-ANSWER'));
  const readNews = async () => (await desk.readQueue()).cases[0]?.news;
  assert.equal(await readNews(), 'answer');
  const stale = desk.sendMessage(id, { act: 'ask', text: 'Since when?', seen: first.seen });
  await assert.rejects(stale, { code: 'case_changed', message: /The buyer has written/ });
  const second = await desk.readCase(id);
  assert.deepEqual([second.isFirstOpening, second.seen], [false, { buyer: 1, desk: 0 }]);
  assert.equal(await readNews(), null);
  await desk.drafts.save(id, { markdown: 'CANARY-DRAFT' });
  assert.deepEqual(await desk.drafts.read(id), { markdown: 'CANARY-DRAFT' });
  await desk.sendMessage(id, { act: 'ask', text: 'Since when? CANARY-ASKED', seen: second.seen });
  assert.ok(await desk.drafts.read(id), 'the finding is still a draft');
  await desk.addNote(id, 'Call the registry. CANARY-NOTE');
  const third = await desk.readCase(id);
  assert.deepEqual(third.notes[0]?.said, { text: 'Call the registry. CANARY-NOTE' });
  assert.deepEqual(
    third.content.messages.map(({ by, link }) => [by, link]),
    [
      ['buyer', 'unlinked'],
      ['desk', 'linked'],
    ],
  );

  const bytes = Buffer.alloc(700_000, 'CANARY-ATTACHED ');
  const file = { name: 'report.pdf', size: bytes.length, content: () => ReadableStream.from([bytes]) };
  const sent: number[] = [];
  const finding = { markdown: 'It is her. CANARY-FINDING', files: [file], seen: third.seen };
  await desk.drafts.save(id, { markdown: finding.markdown });
  await desk.deliver(id, finding, (progress) => sent.push(progress.sent / progress.total));
  assert.equal(sent.at(-1), 1);
  assert.deepEqual(await desk.drafts.read(id), { markdown_earlier: 'CANARY-DRAFT' }, 'never sent');
  const { sealed, files } = JSON.parse(office.received.at(-1)!.body) as {
    sealed: string;
    files: { upload: string; size: number }[];
  };
  const opened = await openEnvelope(
    fixture.key,
    { kind: 'finding.v1', seq: 0 },
    Buffer.from(sealed, 'base64url'),
  );
  assert.equal((opened as { markdown: string }).markdown, 'It is her. CANARY-FINDING');
  const pieces = [...office.uploaded]
    .filter(([path]) => path.includes(files[0]!.upload))
    .map(([, piece]) => piece);
  assert.equal(Buffer.concat(pieces).length, files[0]!.size);
  const received = await openSealedFile(
    fixture.key,
    { kind: 'finding-file.v1', seq: 0 },
    ReadableStream.from(pieces),
  );
  assert.ok(Buffer.concat(await Array.fromAsync(received.content)).equals(bytes));
  assert.equal(received.mime, 'application/pdf');
  await desk.act(id, 'take');
  await desk.signOut();

  const everything = [JSON.stringify(office.received), ...[...office.uploaded.values()].map(String)].join('');
  assert.ok(!everything.includes('CANARY'), 'the office got nothing in clear');
  assert.ok(!everything.includes('AGE-SECRET'));
  const folder = dirname(office.key.path);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile())
      assert.ok(!(await readFile(`${entry.parentPath}/${entry.name}`, 'latin1')).includes('CANARY'));
});
