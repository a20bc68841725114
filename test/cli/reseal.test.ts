/** People come and go: cases are sealed again to the team of today, and to nobody else. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { promisify } from 'node:util';
import { findSealingSet } from '#store/sealing-set.ts';
import { openPaidForm } from '#test/cases/plain-form.ts';
import { sealInquiryForm, sendSealedForm } from '#test/cases/sealed-form.ts';
import { openStoredCaseKey } from '#test/cases/stored-case.ts';
import { createTemporaryFolder, withReverseCleanup } from '#test/cleanup.ts';
import { readRecipientSettings } from '#test/data-folder.ts';
import { startTestShop } from '#test/test-shop.ts';
import { createDeskCli, requireStoredCase, runCli, sendCase } from './desk-cli.ts';
import { createTeamMember, type TeamMember, writeTeamSettings } from './desk-team.ts';

const run = promisify(execFile);
const cleanUp = withReverseCleanup({ after });
const shop = await startTestShop(cleanUp);
const desk = createDeskCli(shop);
const folder = await createTemporaryFolder(cleanUp);
const [ada, zoe] = await Promise.all([createTeamMember(folder, 'Ada'), createTeamMember(folder, 'Zoë')]);
const { RECOVERY_RECIPIENT: recovery = '' } = await readRecipientSettings(shop.dataDir);

async function runAs(team: readonly TeamMember[], args: readonly string[], input = '') {
  return await runCli(
    { DATA_DIR: shop.dataDir, ...(await writeTeamSettings(folder, team, recovery)) },
    args,
    input,
  );
}

test('a new investigator opens an older case, one who has gone opens none, and nothing else changes', async () => {
  const sent = await sendCase(shop);
  const before = await requireStoredCase(shop, sent);
  const formerBytes = before.key_box.subarray(4_200, 4_400);
  assert.ok(await hasTrace(formerBytes));
  const openWith = (keyFile: string) => desk.run('cases', 'open', sent.id, '--key', keyFile);
  assert.equal((await openWith(desk.key)).code, 0);

  const set = await findSealingSet(shop.store.records);
  const reseal = ['keys', 'reseal', '--key'];
  const wrong = await runAs([ada, zoe], [...reseal, zoe.keyFile, '--yes']);
  assert.equal(wrong.code, 77, wrong.stderr);
  assert.match(wrong.stderr, /^This key opens none of the cases: use a desk key of the former team/);
  const unasked = await runAs([ada, zoe], [...reseal, desk.key], 'no\n');
  assert.equal(unasked.code, 1, unasked.stderr);
  assert.match(unasked.stderr, /Comes: Ada, investigator, key \d{5}(?: \d{5}){3}\nComes: Zoë, /);
  assert.match(unasked.stderr, /Goes: {2}desk key \d{5} /);
  assert.match(unasked.stderr, /Stays: recovery key /);
  assert.deepEqual(await findSealingSet(shop.store.records), set);
  assert.deepEqual((await requireStoredCase(shop, sent)).key_box, before.key_box, 'nothing was changed');

  const done = await runAs([ada, zoe], [...reseal, desk.key], 'reseal\n');
  assert.equal(done.code, 0, done.stderr);
  assert.match(done.stdout, /^1 case sealed again\.\nNow restart every instance\.\n$/);
  assert.match(done.stderr, /A key that goes opens none/);
  for (const { keyFile } of [ada, zoe]) {
    const { code, stdout, stderr } = await openWith(keyFile);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /CANARY-QUESTION/);
  }
  assert.equal((await openWith(desk.key)).code, 77);
  const record = await requireStoredCase(shop, sent);
  const { recipient } = await openStoredCaseKey(shop, record, sent.keys.identity);
  assert.equal(recipient, sent.key.recipient, 'the words open the same key');
  assert.equal(await hasTrace(formerBytes), false, 'the former box is overwritten');

  const again = await runAs([zoe], [...reseal, zoe.keyFile, '--yes']);
  assert.equal(again.code, 0, again.stderr);
  assert.match(again.stderr, /Goes: {2}Ada, investigator/);
  assert.equal((await openWith(zoe.keyFile)).code, 0, 'her pin is still good');
  assert.equal((await openWith(ada.keyFile)).code, 77);
});

test('the recovery key seals again when every desk key is lost', async () => {
  const recoveryKey = join(shop.dataDir, 'keys', 'recovery.key');
  const { code, stderr } = await runAs([ada], ['keys', 'reseal', '--key', recoveryKey, '--yes']);
  assert.equal(code, 0, stderr);
  const rerun = await runAs([ada], ['keys', 'reseal', '--key', recoveryKey, '--json']);
  assert.equal(rerun.code, 0, rerun.stderr);
  assert.equal(rerun.stderr, '');
  assert.deepEqual((JSON.parse(rerun.stdout) as { resealed: number }).resealed, 0);
  const { stdout } = await runAs([ada], ['keys', 'reseal', '--key', recoveryKey]);
  assert.match(stdout, /^Nothing to do: /);
  const joined = await runAs([ada, zoe], ['keys', 'reseal', '--key', recoveryKey, '--yes']);
  assert.doesNotMatch(joined.stderr, /A key that goes/);
});

test('a service that still has the former keys stores no case, and a note for them is refused', async () => {
  const form = await openPaidForm(shop);
  const sealed = await sealInquiryForm(shop, form);
  const { status, json } = await sendSealedForm(shop, form, sealed);
  assert.deepEqual([status, json['code']], [503, 'sealing_keys_changing']);
  const { id } = await shop.store.records.selectFrom('cases').select('id').executeTakeFirstOrThrow();
  const note = ['cases', 'note', id, '--key', ada.keyFile, '--text', 'Late.'];
  assert.match(await desk.runRefused(78, ...note), /keys reseal/);
});

/** In the database and its write-ahead log, read by another process: closing them here would end SQLite's locks. */
async function hasTrace(bytes: Uint8Array): Promise<boolean> {
  const names = (await readdir(shop.dataDir)).filter((name) => name.startsWith('inquiry-office.db'));
  const files = names.map((name) => join(shop.dataDir, name));
  const { stdout } = await run('cat', files, { encoding: 'buffer', maxBuffer: 2 ** 28 });
  return stdout.includes(Buffer.from(bytes));
}
