/** Notes at the command line: shown to the desk, and sealed again when people join or leave. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { NOTE_KIND } from '#seal/case/note.ts';
import { openSealedBytes } from '#seal/core/age.ts';
import { readSealedCase } from '#test/cases/sealed-case.ts';
import { readPrivateKey, readStoredObject } from '#test/cases/stored-case.ts';
import { type CleanupScope, createTemporaryFolder, withReverseCleanup } from '#test/cleanup.ts';
import { readRecipientSettings } from '#test/data-folder.ts';
import { connectConfirmedDesk } from '#test/desk/connected-desk.ts';
import { startTestShop } from '#test/test-shop.ts';
import { createDeskCli, requireStoredCase, runCli, sendCase } from './desk-cli.ts';
import { createTeamMember, restartWith, type TeamMember, writeTeamSettings } from './desk-team.ts';

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

async function resealFor(team: readonly TeamMember[], key: string, ...args: string[]) {
  const env = { DATA_DIR: shop.dataDir, ...(await writeTeamSettings(folder, team, recovery)) };
  return await runCli(env, ['keys', 'reseal', '--key', key, '--yes', ...args]);
}

async function restartFor(t: CleanupScope, team: readonly TeamMember[]) {
  return await restartWith(t, shop, await writeTeamSettings(folder, team, recovery));
}

test('a note is shown to the desk in a section of its own', async (t) => {
  const office = await connectConfirmedDesk(t, shop, {
    identity: await readPrivateKey(shop.dataDir, 'desk'),
  });
  await office.addNote(sent.id, 'Ask her bank. CANARY-NOTE');
  const shown = await desk.runForText('cases', 'open', sent.id);
  assert.match(
    shown,
    /\nNOTES \(only the desk reads these\)\n\nKey \d{5}(?: \d{5}){3}, 20\d\d-\d\d-\d\d \d\d:\d\d UTC\n {2}Ask her bank\. CANARY-NOTE\n/,
  );
  const { notes, messages } = await desk.runForJson<OpenedJson>('cases', 'open', sent.id);
  assert.deepEqual([notes.length, notes[0]?.text, messages.length], [1, 'Ask her bank. CANARY-NOTE', 0]);
  assert.match(await desk.runForText('cases', 'show', sent.id), /\nnote 1 /);
  assert.doesNotMatch(shop.readLog(), /CANARY/);
});

test('a new investigator reads older notes, one who has gone reads none; the recovery key opens none', async (t) => {
  const joined = await resealFor([ada, zoe], desk.key);
  assert.equal(joined.code, 0, joined.stderr);
  const both = await restartFor(t, [ada, zoe]);
  const office = await connectConfirmedDesk(t, both.app, zoe, folder);
  await office.addNote(sent.id, 'Mine.');
  const own = ['--key', zoe.keyFile, '--pins', join(folder, 'desk.key.pins')];
  const read = await both.runForText('cases', 'open', sent.id, ...own);
  assert.match(read, /Key [\d ]+, .*\n {2}Ask her bank. CANARY-NOTE\n\nZoë \(key [\d ]+\), .*\n {2}Mine\.\n/);
  const record = await requireStoredCase(shop, sent);
  const stored = await readStoredObject(shop, record, NOTE_KIND, 0);
  for (const { identity } of [ada, zoe]) await openSealedBytes(stored, identity);
  await assert.rejects(openSealedBytes(stored, sent.key.identity), { code: 'wrong_key' });

  const left = await resealFor([zoe], recoveryKey, '--json');
  assert.equal(left.code, 77, left.stderr);
  assert.match(
    left.stderr,
    /1 case only partly sealed again: run the command again with a desk key that opens the remaining notes/,
  );
  assert.deepEqual((JSON.parse(left.stdout) as { left: unknown }).left, [{ id: sent.id, reason: 'notes' }]);
  const healed = await resealFor([zoe], zoe.keyFile);
  assert.equal(healed.code, 0, healed.stderr);
  const again = await readStoredObject(shop, record, NOTE_KIND, 0);
  await assert.rejects(openSealedBytes(again, ada.identity), { code: 'wrong_key' });
});

test('a deleted note is reported, and so is one that does not open', async (t) => {
  const alone = await restartFor(t, [zoe]);
  const open = ['cases', 'open', sent.id, '--key', zoe.keyFile, '--json'];
  const whole = await alone.runForJson<OpenedJson>(...open.slice(0, -1));
  assert.deepEqual(
    whole.notes.map(({ text }) => text),
    ['Ask her bank. CANARY-NOTE', 'Mine.'],
  );
  const file = await readSealedCase(shop.services, await requireStoredCase(shop, sent));
  const [first, second] = file.objects.filter(({ kind }) => kind === NOTE_KIND);
  const { records } = shop.store;
  await records.deleteFrom('objects').where('id', '=', first!.id).execute();
  const opened = await alone.run(...open);
  assert.equal(opened.code, 65);
  assert.match(opened.stderr, /^A note is missing \(number 1\)/);
  assert.deepEqual((JSON.parse(opened.stdout) as OpenedJson).missing_notes, [{ first: 0, last: 0 }]);
  await records
    .updateTable('objects')
    .set({ bytes: Buffer.alloc(second!.size) })
    .where('id', '=', second!.id)
    .execute();
  const damaged = await alone.run(...open);
  assert.equal(damaged.code, 65);
  assert.match(damaged.stderr, /^Some parts cannot be opened\. note 2: /);
});
