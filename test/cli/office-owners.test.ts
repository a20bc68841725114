/** Contact messages and the audit log of an office over the network. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { receiveContactMessage } from '#cases/contact.ts';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { insertOrder } from '#store/orders.ts';
import { createSampleOrder } from '#test/store/sample-order.ts';
import { runCli } from './desk-cli.ts';
import { buildDistantOffice } from './distant-office.ts';

/** More than the door gives at once. */
const MANY = 51;

test('lists that have more than a page are read to their end', { timeout: 300_000 }, async (t) => {
  const { services, env, keyFiles, trust, readJsonAs } = await buildDistantOffice(t);
  for (let count = 0; count < MANY; count += 1)
    await receiveContactMessage(services, { topic: 'question', message: `Letter ${count}`, reply_to: '' });
  const done = ['contact', 'done', '--all', ...trust];
  const keyed = { ...env, OFFICE_KEY: keyFiles.ben };
  const unsure = await runCli(keyed, done, 'no\n');
  assert.deepEqual([unsure.code, unsure.stdout], [1, '']);
  const sure = await runCli(keyed, done, 'done\n');
  assert.deepEqual([sure.code, sure.stdout], [0, `Done: ${MANY} messages.\n`], sure.stderr);
  assert.deepEqual(await readJsonAs('ben', 'contact', 'done', '--all'), { done: 0 });
});

test('contact messages are opened and handled, and the log goes on from what a key has seen', async (t) => {
  const office = await buildDistantOffice(t);
  const { services, store, readJsonAs, runAs, runBeside } = office;
  await receiveContactMessage(services, { topic: 'question', message: 'What is it ZQXVWK?', reply_to: '' });
  const bad = createSampleOrder({ payment: 'quarantined', revision: 1 });
  await store.transaction((records) => insertOrder(records, bad));

  const box = await readJsonAs<{ messages: { id: string }[] }>('ben', 'contact', 'list');
  assert.equal(box.messages.length, 1);
  const letter = box.messages[0]!.id;
  const opened = await runAs('ben', 'contact', 'open', letter);
  assert.match(opened.stdout, /What is it ZQXVWK\?/);
  assert.match((await runAs('ben', 'contact', 'done', letter)).stdout, /^Done\. The message is purged in/);
  const gone = await runAs('ben', 'contact', 'done', letter);
  assert.deepEqual([gone.code, gone.stderr], [1, 'There is no such message; it may have been purged.\n']);

  assert.equal((await runBeside('orders', 'done', bad.id)).code, 0);

  const log = await runAs('ben', 'audit', 'list');
  assert.match(
    log.stdout,
    /2 +\d{4}-\d\d-\d\d +the command line +attend order.*\n1 .* ben \(key [\d ]+\) +handle contact/,
  );
  const verified = await runAs('ben', 'audit', 'verify');
  assert.match(
    verified.stdout,
    /^The chain holds, and goes on from what your key has seen: 2 entries\.\nHead: 2:/,
  );
  // The chain is made anew without its last entry, so that it holds by itself.
  const { records } = store;
  const first = await records
    .selectFrom('audit_entries')
    .selectAll()
    .where('number', '=', 1)
    .executeTakeFirstOrThrow();
  await records.deleteFrom('audit_entries').where('number', '=', 2).execute();
  await records.updateTable('audit_head').set({ number: 1, hash: first.hash }).execute();
  const cut = await runAs('ben', 'audit', 'verify');
  assert.equal(cut.code, EXIT_CODES.dataError);
  const [, head = ''] = /is shorter than when .* audit verify --accept (1:\S+)\n$/.exec(cut.stderr) ?? [];
  const accepted = await runAs('ben', 'audit', 'verify', '--accept', head);
  assert.deepEqual([accepted.code, accepted.stdout.split('\n')[1]], [0, `Head: ${head}`], accepted.stderr);
});
