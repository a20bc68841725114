/** Two processes on one PostgreSQL: credentials are handed out once, and what is revoked is revoked in both. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { approveRegistration } from '#clients/approval.ts';
import { rotateClientSecret, suspendClient } from '#clients/client-decisions.ts';
import { systemClock as clock } from '#platform/clock.ts';
import type { HttpsClient } from '#test/https-client.ts';
import { findFreePorts } from '#test/ports.ts';
import { startServiceProcess } from '#test/service-process.ts';
import { openPostgresEngine, openTestStore } from '#test/store/engines.ts';
import { pollRegistrationStatus, registerSampleAgent } from './sample-registration.ts';

const AT_ONCE = 8;

const engine = await openPostgresEngine({ after });
const place = await engine.createDatabase({ after });
const [port = 0] = await findFreePorts(1);
const env = { ...place.env, SITE_URL: `https://localhost:${port}`, RATE_LIMIT: 'off' };
const first = await startServiceProcess({ after }, { ...env, PORT: String(port) });
const second = await startServiceProcess({ after }, env);
const both = [first.get, second.get] as const;
const services = { clock, store: await openTestStore({ after }, place) };
const choice = { scopes: ['case:write'], grants: ['client_credentials'] } as const;

async function requestToken(
  get: HttpsClient,
  id: string,
  secret: string,
): Promise<[status: number, token: string]> {
  const { status, json } = await get('/oauth2/token', {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${btoa(`${id}:${secret}`)}`,
    },
    body: 'grant_type=client_credentials',
  });
  return [status, `Bearer ${json['access_token']}`];
}

async function createRegisteredClient(): Promise<[id: string, secret: string]> {
  const { id, token } = await registerSampleAgent(first.get);
  await approveRegistration(services, id, choice, null);
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, index) => pollRegistrationStatus(both[index % 2]!, id, token)),
  );
  const successes = answers.filter(({ status }) => status === 200);
  assert.equal(successes.length, 1);
  assert.ok(answers.every(({ status }) => status === 200 || status === 401));
  return [String(successes[0]?.json['client_id']), String(successes[0]?.json['client_secret'])];
}

const requestOrderStatuses = async (authorization: string): Promise<number[]> =>
  await Promise.all(
    both.map(async (get) => (await get('/api/orders', { headers: { authorization } })).status),
  );

test('of many concurrent polls at both processes one returns the credentials', async () => {
  const [id, secret] = await createRegisteredClient();
  for (const get of both) assert.equal((await requestToken(get, id, secret))[0], 200);
});

test('a suspension takes effect in both on the next request', async () => {
  const [id, secret] = await createRegisteredClient();
  const [, token] = await requestToken(first.get, id, secret);
  assert.deepEqual(await requestOrderStatuses(token), [200, 200]);
  await suspendClient(services, id, null);
  assert.deepEqual(await requestOrderStatuses(token), [401, 401]);
  for (const get of both) assert.equal((await requestToken(get, id, secret))[0], 401);
});

test('a rotation takes effect in both on the next request', async () => {
  const [id, secret] = await createRegisteredClient();
  const [, token] = await requestToken(second.get, id, secret);
  await rotateClientSecret(services, id, null);
  assert.deepEqual(await requestOrderStatuses(token), [401, 401]);
  for (const get of both) assert.equal((await requestToken(get, id, secret))[0], 401);
});
