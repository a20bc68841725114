/** The budget of work: one caller who holds the event loop is refused, and the others are served. */
import assert from 'node:assert/strict';
import test from 'node:test';
import v8 from 'node:v8';
import type { App } from '#platform/http/app.ts';
import { workLimits } from '#platform/http/limits.ts';
import { createLoopShares } from '#platform/http/loop-time.ts';
import { waitUntil } from '#test/patience.ts';
import { buildTestApp } from '#test/test-app.ts';

const OVER_MS = workLimits.maxShare * workLimits.windowSeconds * 1_000;
/** More than half of what one caller may have, so that two are enough. */
const BURN_MS = OVER_MS * 0.6;
const attacker = { from: '127.0.0.2' };
const other = { from: '127.0.0.3' };

function burn(): void {
  const end = performance.now() + BURN_MS;
  while (performance.now() < end);
}

/** A route for each part of a request that can take long without giving the loop back. */
function addBurningRoutes(app: App): void {
  const config = { access: 'public' } as const;
  app.get('/burn/handler', { config }, async () => {
    burn();
    return {};
  });
  app.get('/burn/after-a-wait', { config }, async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    burn();
    await new Promise((resolve) => setTimeout(resolve, 5));
    return {};
  });
  app.get('/burn/serialization', { config }, async () => ({
    toJSON: () => {
      burn();
      return {};
    },
  }));
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, _body, done) => {
      burn();
      done(null, {});
    });
    scope.post('/burn/parser', { config }, async () => ({}));
    const schema = { body: { type: 'object' } };
    const validatorCompiler = () => () => {
      burn();
      return true;
    };
    scope.post('/burn/validation', { config, schema, validatorCompiler }, async () => ({}));
  });
}

for (const part of ['handler', 'after-a-wait', 'serialization', 'parser', 'validation'])
  test(`${part}: who holds the loop is refused, and another address is not`, async (t) => {
    const { get } = await buildTestApp(t, { env: { RATE_LIMIT: 'on' }, routes: addBurningRoutes });
    const options =
      part === 'parser' || part === 'validation'
        ? { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x' }
        : {};
    assert.equal((await get('/', other)).status, 200);
    await get(`/burn/${part}`, { ...options, ...attacker });
    assert.equal((await get('/', other)).status, 200);
    await get(`/burn/${part}`, { ...options, ...attacker });
    const refused = await get(`/burn/${part}`, { ...options, ...attacker });
    assert.deepEqual([refused.status, refused.json['code']], [429, 'rate_limited'], refused.text);
    const seconds = Number(refused.headers['retry-after']);
    assert.ok(seconds >= 1 && seconds <= workLimits.windowSeconds, String(seconds));
    assert.equal((await get('/', attacker)).status, 429);
    assert.equal((await get('/api/health', attacker)).status, 200);
    for (let round = 0; round < 3; round += 1) assert.equal((await get('/', other)).status, 200);
  });

test('of many requests that come at once, those beyond the share are not begun', async (t) => {
  const { get } = await buildTestApp(t, { env: { RATE_LIMIT: 'on' }, routes: addBurningRoutes });
  const sent = Array.from({ length: 8 }, () => get('/burn/handler', { ...attacker, once: true }));
  const statuses = (await Promise.all(sent)).map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 200).length, 2, String(statuses));
  assert.equal((await get('/', other)).status, 200);
});

test('without limits by number, work is not counted either', async (t) => {
  const { get } = await buildTestApp(t, { routes: addBurningRoutes });
  for (let sent = 0; sent < 3; sent += 1) assert.notEqual((await get('/burn/handler')).status, 429);
});

test('while memory is short requests get 503, health is answered, and it ends with the shortage', async (t) => {
  const { get } = await buildTestApp(t, { env: { RATE_LIMIT: 'on' } });
  assert.equal((await get('/')).status, 200);
  const real = v8.getHeapStatistics();
  const short = t.mock.method(v8, 'getHeapStatistics', () => ({
    ...real,
    used_heap_size: real.heap_size_limit * 0.9,
  }));
  await waitUntil('the shortage is noticed', async () => (await get('/', { once: true })).status === 503);
  assert.ok(Number((await get('/', { once: true })).headers['retry-after']) > 0);
  assert.equal((await get('/api/health')).status, 200);
  short.mock.restore();
  await waitUntil('the shortage is over', async () => (await get('/')).status === 200);
});

test('shares are those of the last seconds, and the time to wait is when enough of them have passed', () => {
  let now = 1_000_000;
  const shares = createLoopShares(() => now);
  shares.add('a', OVER_MS);
  assert.equal(shares.read('a'), workLimits.maxShare);
  assert.equal(shares.readWaitSeconds('a'), 0);
  now += 4_000;
  shares.add('a', 1);
  assert.equal(shares.readWaitSeconds('a'), workLimits.windowSeconds - 4);
  assert.equal(shares.readWaitSeconds('b'), 0);
  now += (workLimits.windowSeconds - 4) * 1_000;
  assert.equal(shares.readWaitSeconds('a'), 0);
  assert.ok(shares.read('a') > 0);
  now += 4_000;
  assert.equal(shares.read('a'), 0);
});

test('whether few callers cause the work is told from their shares', () => {
  const shares = createLoopShares(() => 0);
  assert.equal(shares.isMostlyHeavy(), false);
  for (let caller = 0; caller < 100; caller += 1) shares.add(`light ${caller}`, 20);
  assert.equal(shares.isMostlyHeavy(), false);
  shares.add('heavy', 2_500);
  assert.equal(shares.isMostlyHeavy(), true);
});
