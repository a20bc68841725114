/** The sweep deletes what has expired, and nothing else. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { sweepTokens } from '#oauth/sweep.ts';
import { buildRefreshGrantForm, clientCredentialsForm, startOAuthTestApp } from './oauth-test-app.ts';

test('expired tokens, proofs and codes are deleted; a family that can still be refreshed stays', async (t) => {
  const office = await startOAuthTestApp(t);
  const agent = await office.client();
  for (let count = 0; count < 120; count += 1) await office.token(agent, clientCredentialsForm);
  const { refresh_token } = await office.tokensFor(agent);
  const listTokenKinds = async () => {
    const rows = await office.store.records.selectFrom('tokens').select('kind').execute();
    return rows.map(({ kind }) => kind).toSorted((one, other) => one.localeCompare(other));
  };
  const countSignInCodes = async () =>
    (await office.store.records.selectFrom('sign_in_codes').select('id').execute()).length;
  await sweepTokens(office.services);
  assert.ok((await listTokenKinds()).filter((kind) => kind === 'ClientCredentials').length === 120);
  assert.equal(await countSignInCodes(), 1);
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 3_600_001 });
  await sweepTokens(office.services);
  assert.deepEqual(await listTokenKinds(), ['Grant', 'RefreshToken']);
  assert.equal(await countSignInCodes(), 0);
  assert.equal((await office.token(agent, buildRefreshGrantForm(refresh_token))).status, 200);
});
