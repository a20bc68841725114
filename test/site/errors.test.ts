/** An error is a page for a person and a problem for a program. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app-type.ts';
import { type ProblemCode, problemKinds } from '#platform/problems.ts';
import type { HttpsResponse } from '#test/https-client.ts';
import { isLongRun } from '#test/scale.ts';
import { buildTestApp } from '#test/test-app.ts';
import { browserHeaders } from './every-page.ts';
import { assertValidHtml } from './markup.ts';

const addFailingRoutes = (app: App): void => {
  const config = { access: 'public', produces: 'text/html' } as const;
  app.get('/boom', { config }, async () => {
    throw new Error('canary in a message');
  });
  app.get('/fail/:code', { config }, async (request) => {
    throw new ServiceError((request.params as { code: ProblemCode }).code);
  });
};

const { get, readLog } = await buildTestApp({ after }, { routes: addFailingRoutes });
const openPage = (path: string, headers: Record<string, string> = {}) =>
  get(path, { headers: { ...browserHeaders, ...headers }, once: true });

function assertErrorPage({ status, headers, text }: HttpsResponse, expected: number): void {
  assert.equal(status, expected);
  assert.equal(headers['content-type'], 'text/html; charset=utf-8');
  assert.ok(text.includes(`<span class="code">${String(headers['x-request-id'])}</span>`));
  assert.match(text, /<a class="button" href="\/">/);
}

function assertProblem({ status, headers }: HttpsResponse, expected: number): void {
  assert.equal(status, expected);
  assert.equal(headers['content-type'], 'application/problem+json');
}

test('a browser that opens an unknown address gets a page in the site’s look', async () => {
  assertErrorPage(await openPage('/nowhere'), 404);
  assertErrorPage(await openPage('/problems/nothing'), 404);
  assertErrorPage(await openPage('/apiary'), 404);
});

test('a program gets a problem, whatever it asks for', async () => {
  for (const accept of ['*/*', 'application/json', 'application/problem+json, text/html;q=0.5'])
    assertProblem(await get('/nowhere', { headers: { accept } }), 404);
  assertProblem(await get('/nowhere'), 404);
});

test('where the router cannot read the address even a browser gets a problem, which costs little', async () => {
  assertProblem(await openPage('/%zz'), 400);
  assertProblem(await openPage(`/sign-in/${'a'.repeat(200)}`), 414);
});

test('under the addresses of programs even a browser gets a problem', async () => {
  for (const path of ['/api/', '/api/nowhere', '/api/nowhere?x=1', '/oauth2/nowhere', '/hcgi/nowhere'])
    assertProblem(await openPage(path), 404);
  assertProblem(await openPage('/api/health', { accept: 'text/html' }), 406);
  assertProblem(await openPage('/api/stripe/checkout'), 405);
});

test('a page that fails shows nothing of why', async () => {
  const answer = await openPage('/boom');
  assertErrorPage(answer, 500);
  assert.ok(!answer.text.includes('canary') && !readLog().includes('canary'));
  assert.match(answer.text, /went wrong on our side/);
});

test('an error page has the policy of a page, keeps the error’s headers and is stored nowhere', async () => {
  const answer = await openPage('/fail/overloaded');
  assertErrorPage(answer, 503);
  assert.equal(answer.headers['retry-after'], '5');
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.match(String(answer.headers['content-security-policy']), /style-src 'self'/);
});

test('every problem is a page with its status, and the page is valid', async () => {
  for (const [at, code] of (Object.keys(problemKinds) as ProblemCode[]).entries()) {
    const answer = await openPage(`/fail/${code}`);
    assertErrorPage(answer, problemKinds[code].status);
    // All pages are made of the same parts.
    if (isLongRun || at % 8 === 0) await assertValidHtml(answer.text, code);
  }
});
