/** Many requests at once: so many are worked on, the others wait in order, and none waits for long. */
import assert from 'node:assert/strict';
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
  const answers = Promise.all(Array.from({ length: 4 * AT_WORK }, (_, number) => send(number)));
  while (worked.length < AT_WORK) await sleep(5);
  assert.equal((await get('/api/health')).statusCode, 200);
  // What hangs for as long keeps nobody from beginning.
  while (worked.length < AT_WORK + 1) await sleep(5);
  await sleep(1_500);
  for (const { finish } of worked) finish();
  const statuses = Map.groupBy(await answers, ({ statusCode }) => statusCode);
  assert.deepEqual(new Set(statuses.keys()), new Set([200, 503]));
  for (const refused of statuses.get(503) ?? []) {
    assert.equal(refused.json<{ code: string }>().code, 'overloaded');
    assert.ok(Number(refused.headers['retry-after']) > 0);
  }
  assert.equal(statuses.get(200)?.length, worked.length);
});

test('requests whose callers hang up keep nobody waiting', async (t) => {
  const finish: (() => void)[] = [];
  const addRoute = (app: App) => {
    app.get('/slow', { config: { access: 'public' } }, async () => {
      await new Promise<void>((resolve) => finish.push(resolve));
      return {};
    });
  };
  const { get, port } = await buildTestApp(t, { routes: addRoute });
  const agent = new Agent({ rejectUnauthorized: false });
  const requests = Array.from({ length: AT_WORK }, () =>
    request({ host: 'localhost', port, path: '/slow', agent })
      .on('error', () => {})
      .end(),
  );
  while (finish.length < AT_WORK) await sleep(5);
  for (const sent of requests) sent.destroy();
  const next = get('/slow', { once: true });
  while (finish.length < AT_WORK + 1) await sleep(5);
  for (const end of finish) end();
  assert.equal((await next).status, 200);
});
