/** The audit log at the command line: who did what, in a chain that shows tampering. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { deriveRecipient } from '#seal/core/age.ts';
import { computeInvestigatorId } from '#seal/core/investigator-id.ts';
import { insertOrder } from '#store/orders/orders.ts';
import { readPrivateKey } from '#test/cases/stored-case.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { createSampleOrder } from '#test/store/sample-order.ts';
import { startTestShop } from '#test/test-shop.ts';
import { createDeskCli, sendCase } from './desk-cli.ts';

const cleanUp = withReverseCleanup({ after });
const shop = await startTestShop(cleanUp);
const desk = createDeskCli(shop);
const holder = computeInvestigatorId(await deriveRecipient(await readPrivateKey(shop.dataDir, 'desk')));
const { id } = await sendCase(shop);

interface Entry {
  readonly number: number;
  readonly by: string | null;
  readonly act: string | null;
  readonly case: string | null;
}

test('what the desk does is listed, and goes with the case', async () => {
  assert.equal(await desk.runForText('audit', 'list'), 'No entries.\n');
  await desk.runForText('cases', 'open', id);
  await desk.runForText('cases', 'take', id);
  await desk.runForText('cases', 'message', id, '--text', 'CANARY-TEXT');
  await desk.runForText('cases', 'decline', id, '--text', 'CANARY-TEXT');
  const { entries } = await desk.runForJson<{ entries: Entry[] }>('audit', 'list', '--case', id);
  const acts = entries.toReversed().map(({ act, by }) => [act, by === holder ? 'desk' : by]);
  assert.deepEqual(acts, [
    ['read', 'desk'],
    ['take', 'desk'],
    ['message', 'desk'],
    ['decline', 'desk'],
  ]);
  const listed = await desk.runForText('audit', 'list', '--limit', '2');
  assert.match(listed, /NUMBER +WHEN +WHO +WHAT +ABOUT\n4 +20\S+Z +Key [\d ]+ +decline +\S{22}\n/);
  assert.match(listed, /\n\nMore: --after 3\n$/);
  assert.match(await desk.runForText('audit', 'list', '--after', '2'), /\n1 +\S+ +Key [\d ]+ +read +/);

  const verified = await desk.runForText('audit', 'verify');
  assert.match(
    verified,
    /^The chain is unbroken and continues from the head .*: 4 entries\.\nHead: 4:\S{43}\n$/,
  );
  await desk.runForText('cases', 'purge', id, '--yes');
  assert.match(await desk.runForText('audit', 'verify'), /^The chain is unbroken .*: 5 entries\.\n/);
  const rest = await desk.runForText('audit', 'list');
  assert.ok(!rest.includes(id));
  assert.match(rest, /\n5 +\d{4}-\d\d-\d\d +Key [\d ]+ +purge +a purged case\n/);
  assert.match(rest, /\n4 +- +- +deleted with its subject +-\n/);
  assert.doesNotMatch(shop.readLog(), /CANARY/);
});

test('what is decided beside the records is the command line’s, and an order has its day alone', async () => {
  const order = createSampleOrder({ payment: 'quarantined', revision: 1 });
  await shop.store.transaction((records) => insertOrder(records, order));
  await desk.runForText('orders', 'done', order.id);
  assert.match(
    await desk.runForText('audit', 'list', '--limit', '1'),
    new RegExp(`\\n6 +\\d{4}-\\d\\d-\\d\\d +the command line +attend order +${order.id}\\n`),
  );
});

test('a log that is shorter than what the key has seen is told, and accepted after a restore', async () => {
  const { records } = shop.store;
  const before = await records
    .selectFrom('audit_entries')
    .selectAll()
    .where('number', '=', 5)
    .executeTakeFirstOrThrow();
  // The chain is rebuilt without its last entry, so that it is consistent in itself.
  await records.deleteFrom('audit_entries').where('number', '=', 6).execute();
  await records
    .updateTable('audit_head')
    .set({ number: 5, hash: before.hash ?? '' })
    .execute();
  const cut = await desk.run('audit', 'verify', '--json');
  assert.equal(cut.code, 65);
  const [, head = ''] = /is shorter than when .* audit verify --accept (5:\S+)\n$/.exec(cut.stderr) ?? [];
  assert.deepEqual(Object.keys(JSON.parse(cut.stdout) as object), ['head', 'entries', 'fault']);
  const accepted = await desk.runForText('audit', 'verify', '--accept', head);
  assert.equal(accepted.split('\n')[1], `Head: ${head}`);
  assert.match(await desk.runRefused(64, 'audit', 'verify', '--accept', 'x'), /--accept takes the head/);
  assert.match(await desk.runRefused(64, 'audit', 'list', '--after', 'x'), /--after takes the number/);
  await records.deleteFrom('audit_entries').where('number', '=', 3).execute();
  assert.equal((await desk.run('audit', 'verify')).code, 65);
});
