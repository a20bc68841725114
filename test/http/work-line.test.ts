/** Many requests at once: so many are worked on, the others wait in order, and none waits for long. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '#platform/http/app.ts';
import { buildTestApp } from '#test/test-app.ts';

const AT_WORK = 64;

interface WorkedOn {
  readonly number: string;
  readonly finish: () => void;
}

async function openSlowRoute(t: test.TestContext) {
  const worked: WorkedOn[] = [];
  const addSlowRoute = (app: App) => {
    app.get('/slow', { config: { access: 'public' } }, async ({ query }) => {
      const { number = '' } = query as { number?: string };
      await new Promise<void>((resolve) => worked.push({ number, finish: resolve }));
      return { number };
    });
  };
  const { app } = await buildTestApp(t, { routes: addSlowRoute });
  const get = async (url: string) => await app.inject({ url, headers: { host: 'localhost' } });
  return { get, send: (number: number) => get(`/slow?number=${number}`), worked };
}

test('those who wait are served in the order of their coming, as soon as others are done', async (t) => {
  const { send, worked } = await openSlowRoute(t);
  const answers = Array.from({ length: AT_WORK + 8 }, (_, number) => send(number));
  while (worked.length < AT_WORK) await sleep(1);
  assert.equal(worked.length, AT_WORK);
  const finishing = setInterval(() => {
    for (const { finish } of worked) finish();
  }, 1);
  t.after(() => clearInterval(finishing));
  for (const answer of answers) assert.equal((await answer).statusCode, 200);
  const begun = worked.map(({ number }) => Number(number));
  assert.deepEqual(
    begun,
    begun.toSorted((one, other) => one - other),
  );
});

test('who waits for a second gets 503 with Retry-After, and health is answered meanwhile', async (t) => {
  const { get, send, worked } = await openSlowRoute(t);
  const answers = Array.from({ length: 4 * AT_WORK }, (_, number) => send(number));
  while (worked.length < AT_WORK) await sleep(5);
  assert.equal((await get('/api/health')).statusCode, 200);
  await sleep(500);
  // What hangs for a second keeps nobody from beginning.
  answers.push(send(answers.length));
  while (worked.length < AT_WORK + 1) await sleep(5);
  await sleep(1_500);
  for (const { finish } of worked) finish();
  const statuses = Map.groupBy(await Promise.all(answers), ({ statusCode }) => statusCode);
  assert.deepEqual(new Set(statuses.keys()), new Set([200, 503]));
  for (const refused of statuses.get(503) ?? []) {
    assert.equal(refused.json<{ code: string }>().code, 'overloaded');
    assert.ok(Number(refused.headers['retry-after']) > 0);
  }
  assert.equal(statuses.get(200)?.length, worked.length);
});

test('requests whose callers hang up keep nobody waiting', async (t) => {
  const begun: number[] = [];
  const addRoutes = (app: App) => {
    const config = { access: 'public' } as const;
    app.get('/quick', { config }, async () => ({}));
    app.get('/hanging', { config }, async () => {
      begun.push(performance.now());
      return await new Promise(() => {});
    });
  };
  const { app, port } = await buildTestApp(t, { routes: addRoutes });
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  t.after(() => agent.destroy());
  const ask = (path: string) =>
    request({ host: 'localhost', port, path, agent })
      .on('error', () => {})
      .end();
  const measureWait = async () => {
    begun.length = 0;
    // Connections take time to open, and are used again.
    const opened = Array.from({ length: AT_WORK }, () => once(ask('/quick'), 'response'));
    for (const [response] of (await Promise.all(opened)) as [IncomingMessage][]) response.resume();
    const asked = Array.from({ length: AT_WORK }, () => ask('/hanging'));
    while (begun.length < AT_WORK) await sleep(1);
    const next = app.inject({ url: '/quick', headers: { host: 'localhost' } });
    for (const hung of asked) hung.destroy();
    assert.equal((await next).statusCode, 200);
    return performance.now() - begun[0]!;
  };
  // A busy machine may take as long to begin them all; not each time.
  let waited = await measureWait();
  for (let tries = 1; tries < 3 && waited >= 1_000; tries += 1) waited = await measureWait();
  assert.ok(waited < 1_000, `after ${waited} ms their places would have been free in any case`);
});
