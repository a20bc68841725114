/** Contact messages, agents, orders and the audit log of an office over the network, and who may not have them. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { receiveContactMessage } from '#cases/contact.ts';
import { createRegistration } from '#clients/registration.ts';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { insertOrder } from '#store/orders.ts';
import { createSampleOrder } from '#test/store/sample-order.ts';
import { runCli } from './desk-cli.ts';
import { buildDistantOffice } from './distant-office.ts';

/** More than the door gives at once. */
const MANY = 51;

test('lists that have more than a page are read to their end', { timeout: 300_000 }, async (t) => {
  const { services, store, env, keyFiles, trust, readJsonAs } = await buildDistantOffice(t);
  for (let count = 0; count < MANY; count += 1)
    await receiveContactMessage(services, { topic: 'question', message: `Letter ${count}`, reply_to: '' });
  await store.transaction(async (records) => {
    for (let count = 0; count < MANY; count += 1)
      await insertOrder(
        records,
        createSampleOrder({ payment: 'quarantined', revision: 1, created_at: count }),
      );
  });
  const { orders } = await readJsonAs<{ orders: { id: string }[] }>(
    'ana',
    'orders',
    'list',
    '--limit',
    '500',
  );
  assert.equal(new Set(orders.map(({ id }) => id)).size, MANY);
  const done = ['contact', 'done', '--all', ...trust];
  const keyed = { ...env, OFFICE_KEY: keyFiles.ben };
  const unsure = await runCli(keyed, done, 'no\n');
  assert.deepEqual([unsure.code, unsure.stdout], [1, '']);
  const sure = await runCli(keyed, done, 'done\n');
  assert.deepEqual([sure.code, sure.stdout], [0, `Done: ${MANY} messages.\n`], sure.stderr);
  assert.deepEqual(await readJsonAs('ben', 'contact', 'done', '--all'), { done: 0 });
});

test('what comes besides cases is listed, opened and decided about far from the database', {
  timeout: 300_000,
}, async (t) => {
  const office = await buildDistantOffice(t);
  const { services, store, readJsonAs, runAs } = office;
  await receiveContactMessage(services, { topic: 'question', message: 'What is it ZQXVWK?', reply_to: '' });
  const { id: agent } = await createRegistration(services, {
    name: 'An agent',
    contact: 'agent@example.org',
    identityType: 'email',
    credentials: 'bearer',
    redirectUris: [],
  });
  const bad = createSampleOrder({ payment: 'quarantined', revision: 1 });
  const held = createSampleOrder({ payment: 'paid', revision: 1, held: 1, check_at: null });
  for (const order of [bad, held]) await store.transaction((records) => insertOrder(records, order));

  const box = await readJsonAs<{ messages: { id: string }[] }>('ben', 'contact', 'list');
  assert.equal(box.messages.length, 1);
  const letter = box.messages[0]!.id;
  const opened = await runAs('ben', 'contact', 'open', letter);
  assert.match(opened.stdout, /What is it ZQXVWK\?/);
  assert.match((await runAs('ben', 'contact', 'done', letter)).stdout, /^Done\. The message is purged in/);
  const gone = await runAs('ben', 'contact', 'done', letter);
  assert.deepEqual([gone.code, gone.stderr], [1, 'There is no such message; it may have been purged.\n']);

  for (const args of [
    ['agents', 'list'],
    ['orders', 'list'],
  ]) {
    const refused = await runAs('ben', ...args);
    assert.deepEqual([refused.code, refused.stdout], [EXIT_CODES.noPermission, '']);
    assert.match(refused.stderr, /^This is for owners\. Your key has the role of an investigator/);
  }
  const list = ['agents', 'list', '--status', 'pending'];
  const { agents } = await readJsonAs<{ agents: { registration_id: string }[] }>('ana', ...list);
  assert.deepEqual(
    agents.map((each) => each.registration_id),
    [agent],
  );
  const choice = ['--scopes', 'pricing:read', '--grants', 'client_credentials'];
  assert.match((await runAs('ana', 'agents', 'approve', agent, ...choice)).stdout, /^Approved\./);
  assert.match((await runAs('ana', 'agents', 'show', agent)).stdout, /State +approved\n/);
  const add = ['--add', 'https://moved.example/callback'];
  assert.equal((await runAs('ben', 'agents', 'redirect', agent, ...add)).code, EXIT_CODES.noPermission);
  const wrong = await runAs('ana', 'agents', 'redirect', agent, '--add', 'ftp://moved.example/');
  assert.match(wrong.stderr, /cannot be added: must be https/);
  assert.match((await runAs('ana', 'agents', 'redirect', agent, ...add)).stdout, /^It may use:\n {2}https:/);
  assert.match((await runAs('ana', 'agents', 'show', agent)).stdout, /Redirects +https:\/\/moved\.example/);

  const { orders } = await readJsonAs<{ orders: { id: string; why: string }[] }>('ana', 'orders', 'list');
  assert.deepEqual(
    new Map(orders.map(({ id, why }) => [id, why])),
    new Map([
      [bad.id, 'quarantined'],
      [held.id, 'held'],
    ]),
  );
  assert.match((await runAs('ana', 'orders', 'show', bad.id)).stdout, /Why +quarantined\n.*Meaning +\w/s);
  assert.deepEqual(await readJsonAs('ana', 'orders', 'release', held.id), {
    released: [held.id],
    waiting: 0,
  });
  const stranger = await runAs('ana', 'orders', 'release', bad.id);
  assert.deepEqual(
    [stranger.code, stranger.stderr],
    [1, `${bad.id}: not a held order; nothing was changed\n`],
  );

  const log = await runAs('ben', 'audit', 'list');
  assert.match(
    log.stdout,
    /Key [\d ]+ release order.*Key [\d ]+ redirect agent.*Key [\d ]+ approve agent.*ben \(key [\d ]+\) +handle contact/s,
  );
  const verified = await runAs('ben', 'audit', 'verify');
  assert.match(
    verified.stdout,
    /^The chain holds, and goes on from what your key has seen: 4 entries\.\nHead: 4:/,
  );
  // The chain is made anew without its last entry, so that it holds by itself.
  const { records } = store;
  const first = await records
    .selectFrom('audit_entries')
    .selectAll()
    .where('number', '=', 3)
    .executeTakeFirstOrThrow();
  await records.deleteFrom('audit_entries').where('number', '=', 4).execute();
  await records.updateTable('audit_head').set({ number: 3, hash: first.hash }).execute();
  const cut = await runAs('ben', 'audit', 'verify');
  assert.equal(cut.code, EXIT_CODES.dataError);
  const [, head = ''] = /is shorter than when .* audit verify --accept (3:\S+)\n$/.exec(cut.stderr) ?? [];
  const accepted = await runAs('ben', 'audit', 'verify', '--accept', head);
  assert.deepEqual([accepted.code, accepted.stdout.split('\n')[1]], [0, `Head: ${head}`], accepted.stderr);
});
