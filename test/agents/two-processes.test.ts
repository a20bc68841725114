/** Two processes over one PostgreSQL: credentials are handed over once between them, and what is taken back is gone in both. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { approve, rotate, suspend } from '#clients/approval.ts';
import { systemClock as clock } from '#platform/clock.ts';
import type { Client } from '#test/https-client.ts';
import { freePorts } from '#test/ports.ts';
import { startService } from '#test/running-service.ts';
import { openAt, postgres } from '#test/store/engines.ts';
import { poll, registered } from './registering.ts';

const AT_ONCE = 8;

const engine = await postgres({ after });
const place = await engine.newPlace({ after });
const [port = 0] = await freePorts(1);
const env = { ...place.env, SITE_URL: `https://localhost:${port}`, RATE_LIMIT: 'off' };
const first = await startService({ after }, { ...env, PORT: String(port) });
const second = await startService({ after }, env);
const both = [first.get, second.get] as const;
const parts = { clock, store: await openAt({ after }, place) };
const choice = { scopes: ['case:write'], grants: ['client_credentials'] } as const;

async function token(get: Client, id: string, secret: string): Promise<[status: number, token: string]> {
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

async function newClient(): Promise<[id: string, secret: string]> {
  const { id, token: shown } = await registered(first.get);
  await approve(parts, id, choice);
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, index) => poll(both[index % 2]!, id, shown)),
  );
  const given = answers.filter(({ status }) => status === 200);
  assert.equal(given.length, 1);
  assert.ok(answers.every(({ status }) => status === 200 || status === 401));
  return [String(given[0]?.json['client_id']), String(given[0]?.json['client_secret'])];
}

const orders = async (authorization: string): Promise<number[]> =>
  await Promise.all(
    both.map(async (get) => (await get('/api/orders', { headers: { authorization } })).status),
  );

test('of many who ask both processes at once, one gets the credentials', async () => {
  const [id, secret] = await newClient();
  for (const get of both) assert.equal((await token(get, id, secret))[0], 200);
});

test('a suspension counts in both on the next request', async () => {
  const [id, secret] = await newClient();
  const [, shown] = await token(first.get, id, secret);
  assert.deepEqual(await orders(shown), [200, 200]);
  await suspend(parts, id);
  assert.deepEqual(await orders(shown), [401, 401]);
  for (const get of both) assert.equal((await token(get, id, secret))[0], 401);
});

test('a rotation counts in both on the next request', async () => {
  const [id, secret] = await newClient();
  const [, shown] = await token(second.get, id, secret);
  await rotate(parts, id);
  assert.deepEqual(await orders(shown), [401, 401]);
  for (const get of both) assert.equal((await token(get, id, secret))[0], 401);
});
