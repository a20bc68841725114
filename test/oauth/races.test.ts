/** What may be used once is used once, however many concurrent requests there are and however slow the store is. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KyselyPlugin } from 'kysely';
import { ENGLISH } from '#language/languages.ts';
import { requestSignInCode, verifySignInCode } from '#oauth/sign-in/email-code.ts';
import { ServiceError } from '#platform/errors.ts';
import type { Store } from '#store/store.ts';
import type { HttpsResponse } from '#test/https-client.ts';
import { isLongRun } from '#test/scale.ts';
import { generateProofKey, obtainBoundToken } from './dpop-proof.ts';
import { buildRefreshGrantForm, clientCredentialsForm, startOAuthTestApp } from './oauth-test-app.ts';

const AT_ONCE = 8;
const ROUNDS = isLongRun ? 3 : 1;
const LATENCY_MS = 3;

const late: KyselyPlugin = {
  transformQuery: ({ node }) => node,
  transformResult: async ({ result }) => {
    await sleep(LATENCY_MS);
    return result;
  },
};

/** Adds the latency of a networked database; a database in the same process hides the races. */
function withLatency(store: Store): Store {
  return {
    ...store,
    records: store.records.withPlugin(late),
    transaction: async (work) => {
      await sleep(LATENCY_MS);
      return await store.transaction((records) => work(records.withPlugin(late)));
    },
  };
}

const slowApp = await startOAuthTestApp({ after }, { store: withLatency });
const agent = await slowApp.createClient();

async function sendConcurrently(ask: () => Promise<HttpsResponse>): Promise<HttpsResponse[]> {
  return await Promise.all(Array.from({ length: AT_ONCE }, ask));
}

function assertOneWinner(answers: readonly HttpsResponse[], error: string): HttpsResponse {
  const winners = answers.filter(({ status }) => status === 200);
  assert.equal(winners.length, 1, answers.map(({ text }) => text).join('\n'));
  for (const answer of answers)
    if (answer !== winners[0]) assert.equal(answer.json['error'] ?? answer.json['code'], error, answer.text);
  return winners[0]!;
}

test('eight concurrent uses of one code or refresh token issue one token, and the whole family is revoked', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const earlier = await slowApp.obtainTokens(agent);
    for (const [form, issued] of [
      [await slowApp.obtainCodeForm(agent), []],
      [buildRefreshGrantForm(earlier.refresh_token), [earlier.access_token]],
    ] as const) {
      const answers = await sendConcurrently(() => slowApp.requestToken(agent, form));
      const { json } = assertOneWinner(answers, 'invalid_grant');
      for (const token of [...issued, json['access_token']])
        assert.ok(!(await slowApp.isTokenAccepted(token)));
      await slowApp.assertRefused(agent, buildRefreshGrantForm(json['refresh_token']), 'invalid_grant');
    }
  }
});

test('a code or refresh token gives nothing once its person is gone, also if what they allowed came later', async (t) => {
  const testApp = await startOAuthTestApp(t);
  const client = await testApp.createClient();
  const { refresh_token: refreshToken } = await testApp.obtainTokens(client);
  const code = await testApp.obtainCodeForm(client);
  await testApp.store.records.deleteFrom('users').execute();
  for (const form of [code, buildRefreshGrantForm(refreshToken)])
    await testApp.assertRefused(client, form, 'invalid_grant');
});

test('eight concurrent uses of one proof issue one token, and let one request through at the API', async () => {
  const key = await generateProofKey();
  const token = await obtainBoundToken(slowApp, agent, key);
  for (let round = 0; round < ROUNDS; round += 1) {
    const forToken = await key.createProof({ htm: 'POST', htu: `${slowApp.origin}/oauth2/token` });
    const forApi = await key.createProof({ htm: 'GET', htu: `${slowApp.origin}/api/orders`, token });
    for (const send of [
      () => slowApp.requestToken(agent, clientCredentialsForm, { dpop: forToken }),
      () => slowApp.requestOrders(`DPoP ${token}`, { dpop: forApi }),
    ])
      assertOneWinner(await sendConcurrently(send), 'invalid_dpop_proof');
  }
});

test('concurrent guesses count one by one, and an address gets at most five short codes', async () => {
  const { services } = slowApp;
  const countShort = async () => {
    const codes = await services.store.records.selectFrom('sign_in_codes').select('long_code_id').execute();
    return codes.filter(({ long_code_id }) => long_code_id === null).length;
  };
  const earlier = await countShort();
  await Promise.all(
    Array.from({ length: AT_ONCE }, (_, index) =>
      requestSignInCode(services, `sign-in ${index}`, 'one@example.com', ENGLISH),
    ),
  );
  assert.equal((await countShort()) - earlier, 5);
  await requestSignInCode(services, 'a sign-in', 'two@example.com', ENGLISH);
  const guesses = await Promise.all(
    Array.from({ length: 10 }, () => verifySignInCode(services, 'a sign-in', 'wrong')),
  );
  const left = guesses
    .map((guess) => (guess.correct ? -1 : guess.guessesLeft))
    .toSorted((one, other) => one - other);
  assert.deepEqual(left, [0, 0, 0, 0, 0, 0, 1, 2, 3, 4]);
});

test('a token for which there is no turn at the store in time is asked for again later', async (t) => {
  let isBusy = false;
  const { createClient, requestToken, readLog } = await startOAuthTestApp(t, {
    store: (store) => ({
      ...store,
      transaction: (work) =>
        isBusy ? Promise.reject(new ServiceError('overloaded')) : store.transaction(work),
    }),
  });
  const client = await createClient();
  assert.equal((await requestToken(client, clientCredentialsForm)).status, 200);
  isBusy = true;
  const busy = await requestToken(client, clientCredentialsForm);
  assert.deepEqual([busy.status, busy.json['error']], [503, 'temporarily_unavailable']);
  assert.ok(busy.headers['retry-after']);
  assert.doesNotMatch(readLog(), /request_failed/, 'no one has to look into it');
  isBusy = false;
  assert.equal((await requestToken(client, clientCredentialsForm)).status, 200);
});
