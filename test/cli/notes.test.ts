/** Notes at the command line: written for the desk, shown to the desk, and sealed again when people come and go. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { readSealedCase } from '#cases/sealed-case.ts';
import { openSealedBytes } from '#seal/age.ts';
import { NOTE_KIND } from '#seal/note.ts';
import { readStoredObject } from '#test/cases/stored-case.ts';
import { createTemporaryFolder, withReverseCleanup } from '#test/cleanup.ts';
import { readRecipientSettings } from '#test/data-folder.ts';
import { startTestShop } from '#test/test-shop.ts';
import { createDeskCli, requireStoredCase, runCli, sendCase } from './desk-cli.ts';
import { createTeamMember, type TeamMember, writeTeamSettings } from './desk-team.ts';

const cleanUp = withReverseCleanup({ after });
const shop = await startTestShop(cleanUp);
const desk = createDeskCli(shop);
const folder = await createTemporaryFolder(cleanUp);
const [ada, zoe] = await Promise.all([createTeamMember(folder, 'Ada'), createTeamMember(folder, 'Zoë')]);
const { RECOVERY_RECIPIENT: recovery = '' } = await readRecipientSettings(shop.dataDir);
const recoveryKey = join(shop.dataDir, 'keys', 'recovery.key');
const sent = await sendCase(shop);

interface OpenedJson {
  readonly notes: readonly { seq: number; at: string; by: string | null; text: string | null }[];
  readonly missing_notes: readonly { first: number; last: number }[];
  readonly messages: readonly unknown[];
}

async function runAs(team: readonly TeamMember[], ...args: string[]) {
  return await runCli({ DATA_DIR: shop.dataDir, ...(await writeTeamSettings(folder, team, recovery)) }, args);
}

test('a note is written once, and shown to the desk in a section of its own', async () => {
  const write = ['cases', 'note', sent.id, '--key', desk.key, '--text'];
  assert.equal(
    await desk.runForText(...write, 'Ask her bank. CANARY-NOTE'),
    'Noted. Only the desk can read it.\n',
  );
  assert.match(await desk.runForText(...write, 'Ask her bank. CANARY-NOTE'), /already the last note/);
  const shown = await desk.runForText('cases', 'open', sent.id, '--key', desk.key);
  assert.match(
    shown,
    /\nNOTES \(only the desk reads these\)\n\nKey \d{5}(?: \d{5}){3}, 20\d\d-\d\d-\d\d \d\d:\d\d UTC\n {2}Ask her bank\. CANARY-NOTE\n/,
  );
  const { notes, messages } = await desk.runForJson<OpenedJson>('cases', 'open', sent.id, '--key', desk.key);
  assert.deepEqual([notes.length, notes[0]?.text, messages.length], [1, 'Ask her bank. CANARY-NOTE', 0]);
  assert.match(await desk.runForText('cases', 'show', sent.id), /\nnote 1 /);
  assert.doesNotMatch(shop.readLog(), /CANARY/);
});

test('what cannot be a note is refused in one line', async () => {
  const write = ['cases', 'note', sent.id, '--key', desk.key];
  assert.equal(await desk.runRefused(1, ...write, '--text', ' '), 'Write something.\n');
  assert.match(await desk.runRefused(1, ...write, '--text', 'x'.repeat(4001)), /at most 4000 characters/);
  const asRecovery = ['cases', 'note', sent.id, '--key', recoveryKey, '--text', 'x'];
  assert.match(await desk.runRefused(77, ...asRecovery), /not one of the desk/);
});

test('a new investigator reads older notes, one who has gone reads none; the recovery key opens none', async () => {
  const joined = await runAs([ada, zoe], 'keys', 'reseal', '--key', desk.key, '--yes');
  assert.equal(joined.code, 0, joined.stderr);
  const bySelf = await runAs([ada, zoe], 'cases', 'note', sent.id, '--key', zoe.keyFile, '--text', 'Mine.');
  assert.equal(bySelf.code, 0, bySelf.stderr);
  const read = await runAs([ada, zoe], 'cases', 'open', sent.id, '--key', ada.keyFile);
  assert.equal(read.code, 0, read.stderr);
  assert.match(
    read.stdout,
    /Key [\d ]+, .*\n {2}Ask her bank. CANARY-NOTE\n\nZoë \(key [\d ]+\), .*\n {2}Mine\.\n/,
  );
  const record = await requireStoredCase(shop, sent);
  const stored = await readStoredObject(shop, record, NOTE_KIND, 0);
  const { desk: former } = await shop.services.sealingKeys;
  assert.equal(former.length, 1);
  for (const { identity } of [ada, zoe]) await openSealedBytes(stored, identity);
  await assert.rejects(openSealedBytes(stored, sent.key.identity), { code: 'wrong_key' });

  const left = await runAs([zoe], 'keys', 'reseal', '--key', recoveryKey, '--yes', '--json');
  assert.equal(left.code, 77, left.stderr);
  assert.match(left.stderr, /1 case left in part: run it again with a desk key that opens their notes/);
  assert.deepEqual((JSON.parse(left.stdout) as { left: unknown }).left, [{ id: sent.id, reason: 'notes' }]);
  const healed = await runAs([zoe], 'keys', 'reseal', '--key', zoe.keyFile, '--yes');
  assert.equal(healed.code, 0, healed.stderr);
  const again = await readStoredObject(shop, record, NOTE_KIND, 0);
  await assert.rejects(openSealedBytes(again, ada.identity), { code: 'wrong_key' });
  const opened = await runAs([zoe], 'cases', 'open', sent.id, '--key', zoe.keyFile, '--json');
  assert.deepEqual(
    (JSON.parse(opened.stdout) as OpenedJson).notes.map(({ text }) => text),
    ['Ask her bank. CANARY-NOTE', 'Mine.'],
  );
});

test('a note that somebody deleted is told, and so is one that does not open', async () => {
  const file = await readSealedCase(shop.services, await requireStoredCase(shop, sent));
  const [first] = file.objects.filter(({ kind }) => kind === NOTE_KIND);
  await shop.store.records.deleteFrom('object_pieces').where('object_id', '=', first!.id).execute();
  await shop.store.records.deleteFrom('objects').where('id', '=', first!.id).execute();
  const opened = await runAs([zoe], 'cases', 'open', sent.id, '--key', zoe.keyFile, '--json');
  assert.equal(opened.code, 65);
  assert.match(opened.stderr, /The notes are not those that were written\. Note 1 is missing/);
  assert.deepEqual((JSON.parse(opened.stdout) as OpenedJson).missing_notes, [{ first: 0, last: 0 }]);
  const asRecovery = await runAs([zoe], 'cases', 'open', sent.id, '--key', recoveryKey);
  assert.equal(asRecovery.code, 65);
  assert.match(asRecovery.stderr, /note 2: /);
});
