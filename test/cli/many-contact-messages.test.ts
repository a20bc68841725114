/** After a flood of contact messages, one command marks many of them as handled. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { generateId } from '#platform/text/ids.ts';
import { deriveRecipient, generateAgeIdentity, sealBytes } from '#seal/core/age.ts';
import { insertContactMessage } from '#store/cases/contact-messages.ts';
import { buildTestApp } from '#test/test-app.ts';
import { createDeskCli, runCli, toOwnServiceEnv } from './desk-cli.ts';

const app = await buildTestApp({ after });
const desk = createDeskCli(app);
const { records } = app.store;

async function storeMessages(count: number, sealed: Uint8Array = new Uint8Array(10)): Promise<string[]> {
  const ids = Array.from({ length: count }, generateId);
  for (const id of ids)
    await insertContactMessage(records, {
      id,
      sealed,
      sealed_by: 'browser',
      received_at: Date.now(),
      purge_at: Date.now() + 86_400_000,
    });
  return ids;
}

const countOpen = async () =>
  (await records.selectFrom('contact_messages').select('id').where('done_at', 'is', null).execute()).length;

test('several messages are marked as handled at once, or none if one of them is unknown', async () => {
  const [first = '', second = '', third = ''] = await storeMessages(3);
  assert.match(await desk.runRefused(1, 'contact', 'done', first, generateId()), /There is no such message/);
  assert.equal(await countOpen(), 3);
  assert.equal(await desk.runForText('contact', 'done', first, second, first), 'Done: 2 messages.\n');
  assert.match(await desk.runRefused(1, 'contact', 'done', third, second), /a colleague may have handled it/);
  assert.equal(await countOpen(), 1);
  assert.match(await desk.runForText('contact', 'done', third), /^Done\. The message is purged in 30 days/);
});

test('one that is damaged, or sealed to another key, is told by its exit code', async () => {
  const stranger = await deriveRecipient(await generateAgeIdentity());
  const [other = ''] = await storeMessages(1, await sealBytes(new Uint8Array(10), [stranger]));
  assert.match(await desk.runRefused(77, 'contact', 'open', other), /^It is not sealed to your key/);
  const [damaged = ''] = await storeMessages(1);
  await desk.runRefused(65, 'contact', 'open', damaged);
  await desk.runForText('contact', 'done', other, damaged);
});

test('all messages are marked as handled after a confirmation', async () => {
  // More than the office lists at once.
  await storeMessages(51);
  const env = toOwnServiceEnv(app);
  const unsure = await runCli(env, ['contact', 'done', '--all'], 'no\n');
  assert.deepEqual([unsure.code, unsure.stdout], [1, '']);
  assert.match(unsure.stderr, /This concerns 51 messages\. Type done.*\n?Not confirmed/);
  assert.equal(await countOpen(), 51);
  const sure = await runCli(env, ['contact', 'done', '--all'], 'done\n');
  assert.deepEqual([sure.code, sure.stdout], [0, 'Done: 51 messages.\n']);
  assert.equal(await countOpen(), 0);
  assert.deepEqual(await desk.runForJson('contact', 'done', '--all'), { done: 0 });
  assert.match(await desk.runRefused(64, 'contact', 'done', '--all', generateId()), /takes no ID/);
  assert.match(await desk.runRefused(64, 'contact', 'done'), /ID is missing/);
});
