/** After a flood of contact messages, one command marks many of them as handled. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { generateId } from '#platform/ids.ts';
import { insertContactMessage } from '#store/contact-messages.ts';
import { buildTestApp } from '#test/test-app.ts';
import { createDeskCli, runCli } from './desk-cli.ts';

const app = await buildTestApp({ after });
const desk = createDeskCli(app);
const { records } = app.store;

async function storeMessages(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, generateId);
  for (const id of ids)
    await insertContactMessage(records, {
      id,
      sealed: new Uint8Array(10),
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
  assert.match(await desk.runRefused(1, 'contact', 'done', first, generateId()), /There is no message/);
  assert.equal(await countOpen(), 3);
  assert.equal(await desk.runForText('contact', 'done', first, second, first), 'Done: 2 messages.\n');
  assert.match(await desk.runRefused(1, 'contact', 'done', third, second), /already marked as handled/);
  assert.equal(await countOpen(), 1);
  assert.match(await desk.runForText('contact', 'done', third), /^Done\. The message is purged on/);
});

test('all messages are marked as handled after a confirmation', async () => {
  await storeMessages(45);
  const env = { DATA_DIR: app.dataDir };
  const unsure = await runCli(env, ['contact', 'done', '--all'], 'no\n');
  assert.deepEqual([unsure.code, unsure.stdout], [1, '']);
  assert.match(unsure.stderr, /This concerns 45 messages\. Type done.*\n?Not confirmed/);
  assert.equal(await countOpen(), 45);
  const sure = await runCli(env, ['contact', 'done', '--all'], 'done\n');
  assert.deepEqual([sure.code, sure.stdout], [0, 'Done: 45 messages.\n']);
  assert.equal(await countOpen(), 0);
  assert.deepEqual(await desk.runForJson('contact', 'done', '--all'), { done: 0 });
  assert.match(await desk.runRefused(64, 'contact', 'done', '--all', generateId()), /takes no ID/);
  assert.match(await desk.runRefused(64, 'contact', 'done'), /ID is missing/);
});
