/** The budget of work: one caller that holds the event loop is refused, and the others are served. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import test from 'node:test';
import v8 from 'node:v8';
import type { App } from '#platform/http/app-type.ts';
import { workLimits } from '#platform/http/limits/limits.ts';
import { createLoopShares } from '#platform/http/limits/loop-time.ts';
import { waitUntil } from '#test/patience.ts';
import { openRawConnection } from '#test/raw-connection.ts';
import { buildTestApp } from '#test/test-app.ts';

const OVER_MS = workLimits.maxShare * workLimits.windowSeconds * 1_000;
/** So much that the caller is refused, and not only delayed. */
const MUCH_MS = OVER_MS * 10;
const attacker = { from: '127.0.0.2', once: true } as const;
const other = { from: '127.0.0.3' };

/** Simulates work: both clocks advance by its duration, however busy the machine is. */
function createWork(t: test.TestContext): (ms?: number) => void {
  const readNow = performance.now.bind(performance);
  const readUsage = process.threadCpuUsage.bind(process);
  let workedMs = 0;
  t.mock.method(performance, 'now', () => readNow() + workedMs);
  t.mock.method(process, 'threadCpuUsage', () => {
    const { user, system } = readUsage();
    return { user: user + workedMs * 1_000, system };
  });
  return (ms = MUCH_MS) => {
    workedMs += ms;
  };
}

/** A route for each part of a request that can hold the event loop for long. */
function addBusyRoutes(app: App, work: () => void): void {
  const config = { access: 'public' } as const;
  app.get('/busy/handler', { config }, async () => {
    work();
    return {};
  });
  app.get('/busy/after-a-wait', { config }, async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    work();
    await new Promise((resolve) => setTimeout(resolve, 5));
    return {};
  });
  // Shared by all requests, such as the loading of a module.
  const shared = new Promise((resolve) => setTimeout(resolve, 500));
  app.get('/busy/after-what-all-wait-for', { config }, async () => {
    await shared;
    work();
    await new Promise((resolve) => setImmediate(resolve));
    return {};
  });
  app.get('/busy/serialization', { config }, async () => ({
    toJSON: () => {
      work();
      return {};
    },
  }));
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, _body, done) => {
      work();
      done(null, {});
    });
    scope.post('/busy/parser', { config }, async () => ({}));
    const schema = { body: { type: 'object' } };
    const compileValidator = () => () => {
      work();
      return true;
    };
    scope.post('/busy/validation', { config, schema, validatorCompiler: compileValidator }, async () => ({}));
  });
}

for (const part of 'handler after-a-wait after-what-all-wait-for serialization parser validation'.split(' '))
  test(`${part}: who holds the loop is refused, and another address is not`, async (t) => {
    const work = createWork(t);
    const { get } = await buildTestApp(t, {
      env: { RATE_LIMIT: 'on' },
      routes: (app) => addBusyRoutes(app, work),
    });
    const options =
      part === 'parser' || part === 'validation'
        ? { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x', ...attacker }
        : attacker;
    assert.equal((await get('/', other)).status, 200);
    await get(`/busy/${part}`, options);
    const refused = await get(`/busy/${part}`, options);
    assert.deepEqual([refused.status, refused.json['code']], [429, 'rate_limited'], refused.text);
    assert.ok(Number(refused.headers['retry-after']) > 1);
    assert.equal((await get('/', attacker)).status, 429);
    assert.equal((await get('/api/health', attacker)).status, 200);
    for (let round = 0; round < 3; round += 1) assert.equal((await get('/', other)).status, 200);
  });

for (const path of ['/nothing', '/api/stripe/checkout'])
  test(`${path}: what it takes to receive a body counts for its sender, whether it is read or dropped`, async (t) => {
    const work = createWork(t);
    const { app, get, port } = await buildTestApp(t, { env: { RATE_LIMIT: 'on' } });
    const received = new Promise<void>((resolve) => {
      app.server.on('request', (request: IncomingMessage) => {
        request.on('chunk', () => {
          work();
          resolve();
        });
      });
    });
    const { socket } = await openRawConnection(port, 'tls');
    t.after(() => socket.destroy());
    const begun = once(app.server, 'request');
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n`,
    );
    await begun;
    socket.write('1');
    await received;
    assert.equal((await get('/', { once: true })).status, 429);
    assert.equal((await get('/', other)).status, 200);
  });

test('of many requests that come at once, those beyond the share are not begun', async (t) => {
  const work = t.mock.fn(createWork(t));
  const { get } = await buildTestApp(t, {
    env: { RATE_LIMIT: 'on' },
    routes: (app) => addBusyRoutes(app, work),
  });
  await Promise.all(Array.from({ length: 8 }, () => get('/busy/handler', attacker)));
  assert.equal(work.mock.callCount(), 1);
  assert.equal((await get('/', other)).status, 200);
});

test('without limits by number, work is not counted either', async (t) => {
  const work = createWork(t);
  const { get } = await buildTestApp(t, { routes: (app) => addBusyRoutes(app, work) });
  for (let sent = 0; sent < 3; sent += 1) assert.notEqual((await get('/busy/handler', attacker)).status, 429);
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

test('a caller who sends one request after the other is slowed, and not refused', async (t) => {
  const work = createWork(t);
  const { get } = await buildTestApp(t, {
    env: { RATE_LIMIT: 'on' },
    routes: (app) => addBusyRoutes(app, () => work(OVER_MS / 10)),
  });
  const startedAt = performance.now();
  for (let sent = 0; sent < 18; sent += 1) assert.equal((await get('/busy/handler', attacker)).status, 200);
  // The work done, less the free share and what the last request may exceed it by.
  const paced = 1.8 * OVER_MS - 1.1 * OVER_MS;
  assert.ok(performance.now() - startedAt >= paced / workLimits.maxShare, 'it had to wait');
});

test('what a caller has used drains at the rate of the largest share', () => {
  let now = 1_000_000;
  const shares = createLoopShares(() => now);
  shares.add('a', OVER_MS);
  assert.equal(shares.read('a'), workLimits.maxShare);
  assert.equal(shares.readWaitMs('a'), 0);
  shares.add('a', 300);
  assert.equal(Math.round(shares.readWaitMs('a')), 300 / workLimits.maxShare);
  assert.equal(shares.readWaitMs('b'), 0);
  now += 2 * workLimits.windowSeconds * 1_000;
  assert.equal(shares.read('a'), 0);
});

test('no caller is shed for what few others do, and all are where many cause it', () => {
  let now = 0;
  const shares = createLoopShares(() => now);
  assert.equal(shares.isForOthers('light'), false);
  for (let caller = 0; caller < 100; caller += 1) shares.add(`light ${caller}`, 20);
  assert.equal(shares.isForOthers('light 7'), false);
  for (let turn = 0; turn < 50; turn += 1) shares.add('heavy', 100);
  assert.equal(shares.isForOthers('light 7'), true);
  assert.equal(shares.isForOthers('heavy'), false);
  // Also if the machine gives the service so little time that no caller holds the loop for long.
  now += 300_000;
  for (let turn = 0; turn < 50; turn += 1) {
    now += 1_000;
    shares.add('slow', 20);
    shares.add('light 7', 1);
  }
  assert.equal(shares.read('slow') < workLimits.heavyShare, true);
  assert.equal(shares.isForOthers('light 7'), true);
  assert.equal(shares.isForOthers('slow'), false);
});
