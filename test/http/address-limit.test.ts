/** The limits by address, which apply before all others, on every path and to every refusal, and limits by account. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { HOUR_MS, MINUTE_MS } from '#platform/durations.ts';
import type { App } from '#platform/http/app-type.ts';
import { ADDRESS_FACTOR, httpLimits, rateBudgets } from '#platform/http/limits/limits.ts';
import { createRateLimits, createRequestCounter } from '#platform/http/limits/rate-limit.ts';
import type { HttpsClient, HttpsResponse } from '#test/https-client.ts';
import { exchangeRawBytes } from '#test/raw-connection.ts';
import { buildTestApp } from '#test/test-app.ts';

const json = { 'content-type': 'application/json' };

const CHECKOUT = '/api/stripe/checkout';
const LONG_ADDRESS = `/sign-in/${'a'.repeat(httpLimits.pathParameterLength + 1)}`;
const LIMITED = { RATE_LIMIT: 'on' };

function postJson(body: string, headers: Record<string, string> = {}) {
  return { method: 'POST', headers: { ...json, ...headers }, body };
}

/** A request for each way in which one ends without an effect. */
const refusals: readonly (readonly [
  name: string,
  status: number,
  path: string,
  options?: Parameters<HttpsClient>[1],
])[] = [
  ['without a token', 401, '/api/cases'],
  ['with a wrong token', 401, '/api/cases', { headers: { authorization: 'Bearer x' } }],
  ['from another site', 403, '/case', { method: 'POST', headers: { 'sec-fetch-site': 'cross-site' } }],
  ['to an unknown address', 404, '/nowhere'],
  ['with another method', 405, '/api/pricing', { method: 'DELETE' }],
  ['that accepts something else', 406, '/api/pricing', { headers: { accept: 'image/png' } }],
  ['that is compressed', 415, CHECKOUT, postJson('x', { 'content-encoding': 'gzip' })],
  ['with a body that is no JSON', 400, CHECKOUT, postJson('{')],
  ['with a body that is too large', 413, CHECKOUT, postJson(' '.repeat(httpLimits.jsonBytes + 1))],
  ['to an address that does not decode', 400, '/%ff', { headers: { accept: 'text/html' } }],
  ['with a parameter that is too long', 414, LONG_ADDRESS, { headers: { accept: 'text/html' } }],
  ['with a wrong value', 400, '/api/problem?x=%00'],
];

/** The clock is stopped, so that all requests count in one minute, however long the machine takes. */
const startedAt = Date.now();
const stoppedClock = { now: () => startedAt };

/** Sends in process, because a connection for each request would take long. */
async function sendManyRequests(app: App, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += 1)
    await app.inject({ url: '/nowhere', headers: { host: 'localhost' }, remoteAddress: '127.0.0.1' });
}

function assertRateLimited(answer: HttpsResponse, max: number, name: string): void {
  assert.deepEqual([answer.status, answer.json['code']], [429, 'rate_limited'], name);
  const seconds = Number(answer.headers['retry-after']);
  assert.ok(seconds >= 1 && seconds <= 60, name);
  assert.equal(answer.headers['ratelimit'], `"default";r=0;t=${seconds}`, name);
  assert.equal(answer.headers['ratelimit-policy'], `"default";q=${max};w=60`, name);
  assert.equal(answer.headers['x-content-type-options'], 'nosniff', name);
}

test('operations name their limit in every answer, and never how much of it is left to an address', async (t) => {
  const { get } = await buildTestApp(t, { env: LIMITED });
  for (const [path, policy, options] of [
    ['/api/pricing', '"default";q=600;w=60', {}],
    ['/api/cases', '"default";q=600;w=60', {}],
    ['/api/contact', '"default";q=20;w=60', postJson('{}')],
    ['/', undefined, {}],
    ['/openapi.json', undefined, {}],
    ['/nowhere', undefined, {}],
  ] as const) {
    const { headers } = await get(path, options);
    assert.deepEqual([headers['ratelimit-policy'], headers['ratelimit']], [policy, undefined], path);
  }
});

test('every refusal counts, and none is given once an address has sent too much', async (t) => {
  const { app, get, port } = await buildTestApp(t, { clock: stoppedClock, env: LIMITED });
  for (const [name, status, path, options] of refusals)
    assert.equal((await get(path, options)).status, status, name);
  await sendManyRequests(app, rateBudgets.requests.max - refusals.length);
  for (const [name, , path, options] of refusals)
    assertRateLimited(await get(path, options), rateBudgets.requests.max, name);
  const withoutHost = await exchangeRawBytes(port, 'tls', 'GET /nowhere HTTP/1.1\r\n\r\n');
  assert.match(withoutHost, /^HTTP\/1\.1 429 /);
  assert.equal((await get('/api/health')).status, 200, 'a probe still finds the service alive');
  assert.equal((await get('/nowhere', { from: '127.0.0.2' })).status, 404, 'no other address is kept out');
});

test('who goes on beyond twice the limit is answered late and has to connect again; a probe is only late', async (t) => {
  const { app, get } = await buildTestApp(t, { clock: stoppedClock, env: LIMITED });
  await sendManyRequests(app, rateBudgets.requests.max);
  const stay = { headers: { connection: 'keep-alive' } };
  assert.equal((await get('/nowhere', stay)).headers['connection'], 'keep-alive');
  await sendManyRequests(app, rateBudgets.requests.max);
  for (const [path, status, connection] of [
    ['/nowhere', 429, 'close'],
    ['/%ff', 429, 'close'],
    ['/api/health', 200, 'keep-alive'],
  ] as const) {
    const sentAt = performance.now();
    const answer = await get(path, stay);
    assert.deepEqual([answer.status, answer.headers['connection']], [status, connection], path);
    assert.ok(performance.now() - sentAt > 900, path);
  }
});

test('routes that need many requests have a count of their own, as has the provider of payments', async (t) => {
  const { app, get } = await buildTestApp(t, { clock: stoppedClock, env: LIMITED });
  await sendManyRequests(app, rateBudgets.requests.max);
  const event = await get('/api/stripe/webhook', postJson('{}'));
  assert.notEqual(event.status, 429, event.text);
  const id = 'q1Zl7yBq3mJx0c2y8l4QxA';
  const piece = await get(`/api/orders/${id}/uploads/${id}/0`, { method: 'PUT' });
  assert.equal(piece.status, 401, piece.text);
});

test('behind a proxy, the address that counts is the one that the proxy names, not its own', async (t) => {
  const { app } = await buildTestApp(t, {
    clock: stoppedClock,
    env: { RATE_LIMIT: 'on', TLS: 'proxy', TRUSTED_PROXIES: '127.0.0.1', SITE_URL: 'https://example.org' },
  });
  const request = (client: string | null, url = '/nowhere') =>
    app.inject({
      url,
      headers: {
        host: 'example.org',
        'x-forwarded-proto': 'https',
        ...(client === null ? {} : { 'x-forwarded-for': client }),
      },
    });
  for (let sent = 0; sent < rateBudgets.requests.max; sent += 1) await request('192.0.2.1');
  assert.equal((await request('192.0.2.1')).statusCode, 429);
  assert.equal((await request('198.51.100.7, 192.0.2.1')).statusCode, 429, 'a forged address before it');
  assert.equal((await request('192.0.2.1', '/%ff')).statusCode, 429, 'before a route is found');
  assert.equal((await request('192.0.2.2')).statusCode, 404);
  assert.equal((await request('192.0.2.2', '/%ff')).statusCode, 400);
  assert.equal((await request(null)).statusCode, 404, 'the proxy itself');
});

test('accounts have a budget each, and all of one client at one address together a larger one', () => {
  const { findExcess, moveToAccount } = createRateLimits(stoppedClock, true);
  const { max } = rateBudgets.words;
  for (let account = 0; account < ADDRESS_FACTOR; account += 1)
    for (let sent = 0; sent < max; sent += 1)
      assert.equal(findExcess({ account: `host ${account}`, addressHash: 'a' }, 'words'), null);
  assert.ok(findExcess({ account: 'host 0', addressHash: 'b' }, 'words'), 'wherever it is');
  assert.ok(findExcess({ account: 'host new', addressHash: 'a' }, 'words'), 'too many people at one address');
  assert.equal(findExcess({ account: 'host new', addressHash: 'b' }, 'words'), null);
  for (const account of ['other', 'other 0'])
    assert.equal(findExcess({ account, addressHash: 'a' }, 'words'), null, 'another client there');
  for (let sent = 0; sent < max; sent += 1)
    assert.equal(findExcess({ account: null, addressHash: 'a' }, 'words'), null, 'strangers there');
  assert.ok(findExcess({ account: null, addressHash: 'a' }, 'words'));
  const isTorrent = () => findExcess({ account: null, addressHash: 'a' }, 'words')?.isTorrent;
  for (let sent = max + 2; sent <= ADDRESS_FACTOR * max; sent += 1) assert.equal(isTorrent(), false);
  assert.equal(isTorrent(), true, 'then not even tokens are looked at');
  assert.equal(moveToAccount({ account: 'host newer', addressHash: 'b' }, 'words'), null);
  assert.equal(moveToAccount({ account: 'host newest', addressHash: 'a' }, 'words')?.isFlood, false);
  assert.ok(findExcess({ account: null, addressHash: 'a' }, 'words'), 'given back once, and used up before');
});

test('a count begins again after its window, and the oldest is forgotten where there are too many', () => {
  let now = 1_000_000;
  const counter = createRequestCounter({ now: () => now }, 2);
  const count = (key: string) => counter.count(key, MINUTE_MS);
  assert.deepEqual(count('a'), { count: 1, msLeft: 60_000 });
  now += 59_999;
  assert.deepEqual(count('a'), { count: 2, msLeft: 1 });
  now += 1;
  assert.deepEqual(count('a'), { count: 1, msLeft: 60_000 });
  count('b');
  count('c');
  assert.equal(count('a').count, 1, 'forgotten');
  assert.equal(count('c').count, 2);
  now -= HOUR_MS;
  assert.equal(count('c').count, 1, 'the clock was set back');
});

test('messages to /mcp without a token have a small budget of their own', async (t) => {
  const { app, port } = await buildTestApp(t, { clock: stoppedClock, env: LIMITED });
  const send = async (remoteAddress: string) =>
    await app.inject({
      method: 'POST',
      url: '/mcp',
      headers: { host: `localhost:${port}`, ...json },
      payload: '[]',
      remoteAddress,
    });
  for (let sent = 0; sent < rateBudgets.mcpMessages.max; sent += 1)
    assert.notEqual((await send('127.0.0.2')).statusCode, 429);
  assert.equal((await send('127.0.0.2')).statusCode, 429);
  assert.notEqual((await send('127.0.0.3')).statusCode, 429);
});

test('codes by e-mail count together, whether for a sign-in or for the page of permissions', async (t) => {
  const { app } = await buildTestApp(t, { clock: stoppedClock, env: LIMITED });
  const send = async (url: string) =>
    await app.inject({
      method: 'POST',
      url,
      headers: {
        host: 'localhost',
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
      },
      payload: 'address=a%40example.org',
      remoteAddress: '127.0.0.2',
    });
  const ways = ['/sign-in/abc/address', '/permissions/address'];
  for (let sent = 0; sent < rateBudgets.emailedCodes.max; sent += 1)
    assert.notEqual((await send(ways[sent % ways.length]!)).statusCode, 429);
  for (const way of ways) assert.equal((await send(way)).statusCode, 429, way);
  assert.notEqual((await send('/sign-in/abc/code')).statusCode, 429, 'other forms go on');
});
