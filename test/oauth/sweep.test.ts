/** The sweep deletes what has expired, and nothing else. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { deleteExpiredRows, type ExpiredName } from '#store/due-work.ts';
import { runInBatches } from '#store/engine/batches.ts';
import { buildRefreshGrantForm, clientCredentialsForm, startOAuthTestApp } from './oauth-test-app.ts';

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
