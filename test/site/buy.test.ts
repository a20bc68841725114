/** Buying with a form and no script: from a button to the provider's page. */
import assert from 'node:assert/strict';
import test, { after, beforeEach } from 'node:test';
import { tiers } from '#payments/tiers.ts';
import { buildTestApp } from '#test/test-app.ts';
import { startTestShop } from '#test/test-shop.ts';
import { browserHeaders } from './every-page.ts';

const { get, findOrder, sandbox } = await startTestShop({ after });

beforeEach(() => sandbox.setFaults());

const buildFormPost = (body: string, headers: Record<string, string> = browserHeaders) => ({
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  body,
});

async function countSessions(): Promise<number> {
  return (await sandbox.readCalls()).session_creates.length;
}

for (const { name, price } of tiers)
  test(`the button of ${name} leads to the provider, and the payment to the inquiry`, async () => {
    const { text } = await get('/', { headers: browserHeaders });
    const field = `<input type="hidden" name="tier" value="${name}"><button class="button" type="submit">Buy ${name}</button>`;
    assert.match(text, new RegExp(`<form method="post" action="/buy"[^>]*>${field}</form>`));
    assert.ok(text.includes(`$${price}</p>`));
    const answer = await get('/buy', buildFormPost(new URLSearchParams({ tier: name }).toString()));
    assert.equal(answer.status, 303);
    const address = new URL(answer.headers.location ?? '');
    assert.equal(address.origin, sandbox.env['STRIPE_API_URL']);
    const sessionId = address.pathname.split('/').at(-1) ?? '';
    assert.deepEqual(
      [(await findOrder(sessionId))?.tier, (await findOrder(sessionId))?.amount],
      [name, price * 100],
    );
    const { redirect } = await sandbox.pay(sessionId);
    const { pathname, search } = new URL(redirect);
    const landing = await get(pathname + search, { headers: browserHeaders });
    assert.equal(landing.status, 303);
    const cookie = landing.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    const page = await get('/inquiry', { headers: { ...browserHeaders, cookie } });
    assert.ok(page.text.includes(`<dt>Service</dt><dd>${name}</dd>`));
  });

const wrong: [what: string, body: string][] = [
  ['an unknown service', 'tier=Nothing'],
  ['a service in another case', 'tier=trace'],
  ['no service', ''],
  ['an empty service', 'tier='],
  ['another field', 'other=Trace'],
  ['a field too many', 'tier=Trace&price=1'],
  ['the service twice', 'tier=Trace&tier=Dossier'],
  ['markup', 'tier=%3Cscript%3Ealert(1)%3C%2Fscript%3E'],
  ['bytes that are no text', 'tier=%ff%fe'],
];
for (const [what, body] of wrong)
  test(`a form with ${what} shows the services again with an error, and orders nothing`, async () => {
    const { status, text } = await get('/buy', buildFormPost(body));
    assert.equal(status, 422);
    assert.match(text, /<title>Error: /);
    assert.match(
      text,
      /role="alert"[\s\S]*There is a problem[\s\S]*<a href="#prices">Choose one of the three/,
    );
    assert.ok(!text.includes('alert(1)'));
    assert.equal(await countSessions(), 0);
  });

test('a form from another site is refused before it is read', async () => {
  for (const from of ['cross-site', 'same-site', 'nonsense']) {
    const answer = await get(
      '/buy',
      buildFormPost('tier=Trace', { ...browserHeaders, 'sec-fetch-site': from }),
    );
    assert.equal(answer.status, 403, from);
    assert.match(answer.text, /did not come from our site/);
  }
  const program = await get('/buy', buildFormPost('tier=Trace', { origin: 'https://elsewhere.example' }));
  assert.deepEqual([program.status, program.json['code']], [403, 'foreign_form']);
  assert.equal(await countSessions(), 0);
});

test('a browser that does not say where it comes from can buy', async () => {
  for (const headers of [{}, { origin: 'null' }, { 'sec-fetch-site': 'none' }])
    assert.equal(
      (await get('/buy', buildFormPost('tier=Trace', headers as Record<string, string>))).status,
      303,
    );
});

test('anything but a form is 415, and another method 405', async () => {
  const json = { ...browserHeaders, 'content-type': 'application/json' };
  assert.equal((await get('/buy', { method: 'POST', headers: json, body: '{"tier":"Trace"}' })).status, 415);
  const opened = await get('/buy', { headers: browserHeaders });
  assert.deepEqual([opened.status, opened.headers.allow], [405, 'POST']);
});

test('a provider in trouble is a calm page that says nothing was charged', async () => {
  await sandbox.setFaults({ api: [{ match: 'POST /v1/checkout/sessions', status: 429 }] });
  const { status, headers, text } = await get('/buy', buildFormPost('tier=Trace'));
  assert.equal(status, 503);
  assert.ok(headers['retry-after']);
  assert.match(text, /<h1>We can’t reach the payment provider<\/h1>[\s\S]*nothing was charged/);
});

test('a site without payments says so', async (t) => {
  const { get: ask } = await buildTestApp(t);
  const { status, text } = await ask('/buy', buildFormPost('tier=Trace'));
  assert.equal(status, 503);
  assert.match(text, /We’re not taking payments at the moment/);
});

test('too many purchases from one address have to wait', async (t) => {
  const { get: ask } = await buildTestApp(t, { env: { RATE_LIMIT: 'on' } });
  const answers = await Promise.all(Array.from({ length: 21 }, () => ask('/buy', buildFormPost('tier=x'))));
  const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
  assert.deepEqual([statuses.at(-2), statuses.at(-1)], [422, 429]);
  assert.match(answers.find(({ status }) => status === 429)?.text ?? '', /Please wait a minute/);
});
