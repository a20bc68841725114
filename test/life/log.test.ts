/** Nothing that a caller sends is logged: sends canaries everywhere, then searches all output of the process. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import type { HttpsClient } from '#test/https-client.ts';
import { exchangeRawBytes } from '#test/raw-connection.ts';
import { startServiceProcess } from '#test/service-process.ts';
import { buildTestApp } from '#test/test-app.ts';

const CANARY = 'canary-7f3a9';

const postJson = (body: string) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body,
});
const named = { authorization: `Bearer ${CANARY}`, cookie: `a=${CANARY}`, 'user-agent': CANARY };
const forwarded = { 'x-forwarded-for': CANARY, referer: CANARY, accept: CANARY, 'x-request-id': CANARY };

const asks: [path: string, ask: Parameters<HttpsClient>[1]][] = [
  [`/${CANARY}`, {}],
  [`/problems/${CANARY}`, {}],
  [`/api/health?q=${CANARY}`, {}],
  [`/%zz${CANARY}`, {}],
  ['/api/health', { headers: named }],
  ['/api/health', { headers: forwarded }],
  ['/api/health', postJson(`{"a":"${CANARY}"}`)],
  ['/api/health', postJson(`{"${CANARY}`)],
  ['/api/health', { method: 'POST', headers: { 'content-type': CANARY }, body: CANARY }],
];

test('a running service writes no part of a request, to its output or to its data folder', async (t) => {
  const service = await startServiceProcess(t);
  for (const [path, ask] of asks) await service.get(path, ask);
  await exchangeRawBytes(service.port, 'tls', `GET /${CANARY} HTTP/1.1\r\n${CANARY}\r\n\r\n`);
  await exchangeRawBytes(service.port, 'tls', `${CANARY}\r\n\r\n`);
  service.process.kill('SIGTERM');
  assert.equal(await service.ended, 0);

  assert.ok(
    service.readOutput().match(/"event":"request"/g)!.length >= asks.length - 1,
    'requests are logged',
  );
  assert.ok(!service.readOutput().includes(CANARY));
  assert.ok(!service.readOutput().includes('127.0.0.1'));
  for (const entry of await readdir(service.dataDir, { recursive: true, withFileTypes: true }))
    if (entry.isFile())
      assert.ok(!(await readFile(join(entry.parentPath, entry.name))).includes(CANARY), entry.name);
});

test('a request is logged as one line: method, declared route, status, time and id', async (t) => {
  const { get, readLog } = await buildTestApp(t);
  const { headers } = await get(`/problems/${CANARY}?x=1`);
  const { level, time, ms, ...line } = JSON.parse(readLog().trim().split('\n').at(-1) ?? '') as Record<
    string,
    unknown
  >;
  assert.deepEqual(line, {
    event: 'request',
    method: 'GET',
    route: '/problems/:code',
    status: 404,
    request_id: headers['x-request-id'],
  });
  assert.deepEqual([typeof level, typeof time, typeof ms], ['number', 'string', 'number']);
});

test('an error that quotes its input is logged with its place in the source, and without the quotation', async (t) => {
  const { get, readLog } = await buildTestApp(t, {
    routes: (app) =>
      void app.get('/quote', { config: { access: 'public' } }, () => {
        throw new SyntaxError(`cannot read "${CANARY}"`, { cause: new Error(CANARY) });
      }),
  });
  const answer = await get('/quote');
  assert.equal(answer.status, 500);
  assert.match(readLog(), /"event":"request_failed".*"at":"log\.test\.ts:\d+:\d+ < /);
  assert.ok(!(readLog() + answer.text).includes(CANARY));
});
