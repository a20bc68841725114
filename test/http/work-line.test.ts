/** Many requests at once: only a few are worked on, the others wait in order, and none waits for long. */
import assert from 'node:assert/strict';
import { Agent, request } from 'node:https';
import test from 'node:test';
import type { App } from '#platform/http/app-type.ts';
import { workLimits } from '#platform/http/limits/limits.ts';
import { waitUntil } from '#test/patience.ts';
import { buildTestApp } from '#test/test-app.ts';
import { stopTime } from './stopped-time.ts';

const AT_WORK = 64;

interface WorkedOn {
  readonly number: string;
  readonly finish: () => void;
}

async function openSlowRoute(t: test.TestContext, env: Record<string, string> = {}) {
  const worked: WorkedOn[] = [];
  const addSlowRoute = (app: App) => {
    app.get('/slow', { config: { access: 'public' } }, async ({ query }) => {
      const { number = '' } = query as { number?: string };
      await new Promise<void>((resolve) => worked.push({ number, finish: resolve }));
      return { number };
    });
  };
  const { app } = await buildTestApp(t, { env, routes: addSlowRoute });
  const get = async (url: string, remoteAddress = '127.0.0.1') =>
    await app.inject({ url, headers: { host: 'localhost' }, remoteAddress });
  const send = (number: number, from?: string) => get(`/slow?number=${number}`, from);
  return { get, send, worked };
}

test('those who wait are served in the order of their coming, as soon as others are done', async (t) => {
  const { send, worked } = await openSlowRoute(t);
  stopTime(t);
  const answers = Array.from({ length: AT_WORK + 8 }, (_, number) => send(number));
  await waitUntil('as many are worked on as may be', () => worked.length >= AT_WORK);
  assert.equal(worked.length, AT_WORK);
  await waitUntil('all are worked on', () => {
    for (const { finish } of worked) finish();
    return worked.length === answers.length;
  });
  for (const { finish } of worked) finish();
  for (const answer of answers) assert.equal((await answer).statusCode, 200);
  const begun = worked.map(({ number }) => Number(number));
  assert.deepEqual(
    begun,
    begun.toSorted((one, other) => one - other),
  );
});

test('who waits for a second gets 503 with Retry-After, and health is answered meanwhile', async (t) => {
  const { get, send, worked } = await openSlowRoute(t);
  const passTime = stopTime(t);
  const answers = Array.from({ length: 4 * AT_WORK }, (_, number) => send(number));
  await waitUntil('as many are worked on as may be', () => worked.length >= AT_WORK);
  assert.equal((await get('/api/health')).statusCode, 200);
  passTime(500);
  answers.push(send(answers.length));
  assert.equal((await get('/api/health')).statusCode, 200, 'which came after the last one');
  assert.equal(worked.length, AT_WORK);
  passTime(500);
  // Requests that hang for a second do not keep others from starting.
  await waitUntil('others have begun', () => worked.length > AT_WORK);
  passTime(1_500);
  for (const { finish } of worked) finish();
  const statuses = Map.groupBy(await Promise.all(answers), ({ statusCode }) => statusCode);
  assert.deepEqual(new Set(statuses.keys()), new Set([200, 503]));
  for (const refused of statuses.get(503) ?? []) {
    assert.equal(refused.json<{ code: string }>().code, 'overloaded');
    assert.ok(Number(refused.headers['retry-after']) > 0);
  }
  assert.equal(statuses.get(200)?.length, worked.length);
});

test('requests whose callers hang up keep no one waiting', async (t) => {
  let begun = 0;
  const addRoutes = (app: App) => {
    const config = { access: 'public' } as const;
    app.get('/quick', { config }, async () => ({}));
    app.get('/hanging', { config }, async () => {
      begun += 1;
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
  // Time is stopped, because after a second their places would be freed in any case.
  stopTime(t);
  const asked = Array.from({ length: AT_WORK }, () => ask('/hanging'));
  await waitUntil('all are worked on', () => begun === AT_WORK);
  const next = app.inject({ url: '/quick', headers: { host: 'localhost' } });
  for (const hung of asked) hung.destroy();
  assert.equal((await next).statusCode, 200);
});

test('one address has few places, and another begins at once', async (t) => {
  const { send, worked } = await openSlowRoute(t, { RATE_LIMIT: 'on' });
  stopTime(t);
  const answers = Array.from({ length: AT_WORK }, (_, number) => send(number, '127.0.0.2'));
  await waitUntil('the first are worked on', () => worked.length >= workLimits.atWork);
  answers.push(send(AT_WORK, '127.0.0.3'));
  await waitUntil('that of the other is worked on', () => worked.length > workLimits.atWork);
  assert.equal(worked.at(-1)?.number, String(AT_WORK));
  await waitUntil('all are worked on', () => {
    for (const { finish } of worked) finish();
    return worked.length === answers.length;
  });
  for (const { finish } of worked) finish();
  for (const answer of answers) assert.equal((await answer).statusCode, 200);
});
