/** The sweep deletes what has expired, and nothing else. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { DAY_MS } from '#platform/durations.ts';
import { deleteExpiredRows, type ExpiredName } from '#store/due-work.ts';
import { runInBatches } from '#store/engine/batches.ts';
import { assistants } from './assistants.ts';
import { startDocumentTestApp } from './document-test-app.ts';
import { buildRefreshGrantForm, clientCredentialsForm, startOAuthTestApp } from './oauth-test-app.ts';

test('a client of a document is deleted once no person has allowed it for a month, and a registered one never', async (t) => {
  const { documents, testApp, requestToken, obtainTokens } = await startDocumentTestApp(t);
  const { document } = assistants.opencode;
  const [used, unused, again] = ['Used', 'Unused', 'Again'].map((name) => documents.publish(name, document));
  assert.ok(used && unused && again);
  const registered = await testApp.createClient();
  const { refresh_token } = await obtainTokens(used);
  for (const clientId of [unused, again]) await obtainTokens(clientId);
  await testApp.store.records.deleteFrom('tokens').where('client_id', 'in', [unused, again]).execute();
  const listClients = async () => {
    await runInBatches(testApp.store, (records, limit) =>
      deleteExpiredRows(records, 'unused clients', Date.now(), limit),
    );
    const rows = await testApp.store.records.selectFrom('clients').select('id').execute();
    return new Set(rows.map(({ id }) => id));
  };
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 29 * DAY_MS });
  assert.deepEqual(await listClients(), new Set([registered.clientId, used, unused, again]));
  await obtainTokens(again);
  await testApp.store.records.deleteFrom('tokens').where('client_id', '=', again).execute();
  t.mock.timers.setTime(Date.now() + 2 * DAY_MS);
  assert.deepEqual(await listClients(), new Set([registered.clientId, used, again]));
  t.mock.timers.reset();
  assert.equal((await requestToken(used, buildRefreshGrantForm(refresh_token))).status, 200);
  assert.ok((await obtainTokens(unused)).access_token, 'a person may allow it again');
});

test('expired tokens, proofs and codes are deleted; a family that can still be refreshed stays', async (t) => {
  const testApp = await startOAuthTestApp(t);
  const agent = await testApp.createClient();
  for (let count = 0; count < 120; count += 1) await testApp.requestToken(agent, clientCredentialsForm);
  const { refresh_token } = await testApp.obtainTokens(agent);
  const listTokenKinds = async () => {
    const rows = await testApp.store.records.selectFrom('tokens').select('kind').execute();
    return rows.map(({ kind }) => kind).toSorted((one, other) => one.localeCompare(other));
  };
  const sweep = (name: ExpiredName) =>
    runInBatches(testApp.store, (records, limit) => deleteExpiredRows(records, name, Date.now(), limit));
  const countSignInCodes = async () =>
    (await testApp.store.records.selectFrom('sign_in_codes').select('id').execute()).length;
  for (const name of ['tokens', 'sign-in codes'] as const) await sweep(name);
  assert.ok((await listTokenKinds()).filter((kind) => kind === 'ClientCredentials').length === 120);
  assert.equal(await countSignInCodes(), 1);
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 24 * 3_600_000 + 1 });
  for (const name of ['tokens', 'sign-in codes'] as const) await sweep(name);
  assert.deepEqual(await listTokenKinds(), ['Grant', 'RefreshToken']);
  assert.equal(await countSignInCodes(), 0);
  assert.equal((await testApp.requestToken(agent, buildRefreshGrantForm(refresh_token))).status, 200);
});
