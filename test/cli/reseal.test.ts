/** People join and leave: cases are re-sealed to the current team alone. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { promisify } from 'node:util';
import { openRefundOrNull, sealRefund } from '#seal/case/refund.ts';
import { deriveRecipient } from '#seal/core/age.ts';
import { findCaseKey } from '#store/cases/case-keys.ts';
import { insertRefund, listRefunds } from '#store/cases/refunds.ts';
import { findRecipientSet } from '#store/keys/recipient-set.ts';
import { openPaidForm } from '#test/cases/plain-form.ts';
import { sealInquiryForm, sendSealedForm } from '#test/cases/sealed-form.ts';
import { openStoredCaseKey, readPrivateKey } from '#test/cases/stored-case.ts';
import { createTemporaryFolder, withReverseCleanup } from '#test/cleanup.ts';
import { readRecipientSettings } from '#test/data-folder.ts';
import { startTestShop } from '#test/test-shop.ts';
import { createDeskCli, requireStoredCase, runCli, sendCase } from './desk-cli.ts';
import { createTeamMember, restartWith, type TeamMember, writeTeamSettings } from './desk-team.ts';

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

test('a new investigator opens an older case, one who has gone opens none, and nothing else changes', async (t) => {
  const sent = await sendCase(shop);
  const before = await findCaseKey(shop.store.records, sent.id);
  const previousBytes = Buffer.from(before ?? []).subarray(-200);
  assert.ok(await hasTrace(previousBytes));
  const previousKey = await readPrivateKey(shop.dataDir, 'desk');
  const openWith = async (identity: string) =>
    await openStoredCaseKey(shop, await requireStoredCase(shop, sent), identity);
  await openWith(previousKey);

  const refund = { payment_ref: 'IO-1', tier: 'Trace', declined_on: '2026-11-18' };
  const sealed = await sealRefund(refund, [await deriveRecipient(previousKey)]);
  await insertRefund(shop.store.records, { id: sent.id, case_id: sent.id, purge_at: 0, sealed });
  const openRefundWith = async (identity: string) => {
    const [stored] = await listRefunds(shop.store.records, { limit: 1 });
    return await openRefundOrNull(stored!.sealed, identity);
  };

  const set = await findRecipientSet(shop.store.records);
  const reseal = ['keys', 'reseal', '--key'];
  const wrong = await runAs([ada, zoe], [...reseal, zoe.keyFile, '--yes']);
  assert.equal(wrong.code, 77, wrong.stderr);
  assert.match(wrong.stderr, /^This key opens none of the cases: use a desk key of the previous team/);
  const unasked = await runAs([ada, zoe], [...reseal, desk.key], 'no\n');
  assert.equal(unasked.code, 1, unasked.stderr);
  assert.match(unasked.stderr, /Joins: {2}Ada, investigator, key \d{5}(?: \d{5}){3}\nJoins: {2}Zoë, /);
  assert.match(unasked.stderr, /Leaves: desk key \d{5} /);
  assert.match(unasked.stderr, /Stays: {2}recovery key /);
  assert.deepEqual(await findRecipientSet(shop.store.records), set);
  assert.deepEqual(await findCaseKey(shop.store.records, sent.id), before, 'nothing was changed');

  const done = await runAs([ada, zoe], [...reseal, desk.key], 'reseal\n');
  assert.equal(done.code, 0, done.stderr);
  assert.match(done.stdout, /^1 case sealed again\.\nNow restart every instance\.\n$/);
  assert.match(done.stderr, /A removed key opens none/);
  const both = await restartWith(t, shop, await writeTeamSettings(folder, [ada, zoe], recovery));
  for (const { keyFile } of [ada, zoe])
    assert.match(await both.runForText('cases', 'open', sent.id, '--key', keyFile), /CANARY-QUESTION/);
  await both.runRefused(77, 'cases', 'open', sent.id, '--key', desk.key);
  await assert.rejects(openWith(previousKey), { code: 'wrong_key' });
  for (const key of [ada.identity, zoe.identity, await readPrivateKey(shop.dataDir, 'recovery')])
    assert.deepEqual(await openRefundWith(key), refund);
  assert.equal(await openRefundWith(previousKey), null);
  const { recipient } = await openWith(sent.keys.identity);
  assert.equal(recipient, sent.key.recipient, 'the words open the same key');
  assert.equal(await hasTrace(previousBytes), false, 'the previous ciphertext is overwritten');

  const again = await runAs([zoe], [...reseal, zoe.keyFile, '--yes']);
  assert.equal(again.code, 0, again.stderr);
  assert.match(again.stderr, /Leaves: Ada, investigator/);
  const alone = await restartWith(t, shop, await writeTeamSettings(folder, [zoe], recovery));
  const opened = await alone.run('cases', 'open', sent.id, '--key', zoe.keyFile);
  assert.deepEqual([opened.code, opened.stderr], [0, ''], 'her pin is still good');
  await assert.rejects(openWith(ada.identity), { code: 'wrong_key' });
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
  assert.doesNotMatch(joined.stderr, /A removed key/);
});

test('a service that still has the previous keys stores no case, and lets no one in who has left', async () => {
  const form = await openPaidForm(shop);
  const sealed = await sealInquiryForm(shop, form);
  const { status, json } = await sendSealedForm(shop, form, sealed);
  assert.deepEqual([status, json['code']], [503, 'sealing_keys_changing']);
  const { id } = await shop.store.records.selectFrom('cases').select('id').executeTakeFirstOrThrow();
  await desk.runRefused(77, 'cases', 'take', id);
});

/** Searches the database and its log in another process: closing them in this one would end SQLite's locks. */
async function hasTrace(bytes: Uint8Array): Promise<boolean> {
  const names = (await readdir(shop.dataDir)).filter((name) => name.startsWith('inquiry-office.db'));
  const files = names.map((name) => join(shop.dataDir, name));
  const { stdout } = await run('cat', files, { encoding: 'buffer', maxBuffer: 2 ** 28 });
  return stdout.includes(Buffer.from(bytes));
}
