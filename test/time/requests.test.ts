/** The processor time of whole requests, with a fragment repeated up to the limit in a header, address or body. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { oauthPaths } from '#platform/addresses.ts';
import { httpLimits } from '#platform/http/limits/limits.ts';
import { sendPatiently } from '#test/http/patient-requests.ts';
import { buildTestApp } from '#test/test-app.ts';
import { fragments, headerFragments, repeatToLength, takeTurn } from './fragments.ts';
import { assertSteadyGrowth } from './growth.ts';

const { app } = await buildTestApp(
  { after },
  {
    env: {
      TLS: 'proxy',
      TRUSTED_PROXIES: '127.0.0.1',
      SITE_URL: 'https://example.org',
      STRIPE_SECRET_KEY: `sk_test_${'a'.repeat(24)}`,
      STRIPE_WEBHOOK_SECRET: `whsec_${'a'.repeat(32)}`,
    },
  },
);

const HEADER_BYTES = httpLimits.headerBytes - 1_024;
const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

interface Target {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'OPTIONS';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly payload?: string;
}

const page: Target = { url: '/' };
const inquiry: Target = { url: '/inquiry' };
const cases: Target = { url: '/api/cases' };
const toPost = (url: string, type: string, payload?: string): Target => ({
  method: 'POST',
  url,
  headers: { 'content-type': type, 'sec-fetch-site': 'same-origin' },
  ...(payload === undefined ? {} : { payload }),
});
const checkout = toPost('/api/stripe/checkout', JSON_TYPE, '{}');
const token = toPost(oauthPaths.token, FORM_TYPE, 'grant_type=client_credentials');
const webhook = toPost('/api/stripe/webhook', JSON_TYPE, '{}');
const form = toPost('/', FORM_TYPE);
const sentForm = toPost('/inquiry/sent', 'multipart/form-data; boundary=a');

/** The header, what precedes the fragments in it, and the routes that read it. */
const headers: readonly (readonly [name: string, prefix: string, ...targets: Target[]])[] = [
  ['accept', '', page, cases, { url: '/nowhere' }],
  ['accept', 'text/html;a="', page],
  ['accept-encoding', '', page],
  ['accept-language', '', page],
  ['authorization', '', cases, token],
  ['authorization', 'Bearer ', cases],
  ['authorization', 'DPoP ', cases],
  ['authorization', 'Basic ', token],
  ['content-type', '', checkout, token, sentForm],
  ['content-type', 'application/json; ', checkout],
  ['content-type', 'multipart/form-data; boundary=', sentForm],
  ['content-type', 'multipart/form-data; boundary="', sentForm],
  ['content-encoding', '', checkout],
  ['cookie', '', inquiry, { url: '/sign-in/abc' }],
  ['cookie', '__Host-inquiry=', inquiry],
  ['cookie', '__Host-sign-in=', { url: '/sign-in/abc' }],
  ['dpop', '', cases, token],
  ['forwarded', '', page],
  ['x-forwarded-for', '', page],
  ['x-forwarded-host', '', page],
  ['x-forwarded-proto', 'https,', page],
  ['host', '', page],
  ['origin', '', { ...form, url: '/case' }],
  ['sec-fetch-site', '', { ...form, url: '/case' }],
  ['idempotency-key', '', checkout],
  ['if-none-match', '', { url: '/openapi.json' }, page],
  ['if-modified-since', '', page],
  ['range', 'bytes=', page],
  ['stripe-signature', '', webhook],
  ['stripe-signature', 't=1,v1=', webhook],
  ['access-control-request-headers', '', { method: 'OPTIONS', url: '/api/pricing' }],
  ['user-agent', '', page],
  ['x-request-id', '', page],
];

/** Addresses that fragments are appended to. */
const addresses: readonly string[] = [
  '/x',
  '/api/cases/',
  '/assets/',
  '/?',
  '/api/cases?limit=',
  '/api/orders?',
  '/inquiry?session_id=',
  `${oauthPaths.authorize}?`,
  `${oauthPaths.authorize}?scope=`,
  `${oauthPaths.authorize}?client_id=a&redirect_uri=`,
  '/sign-in/abc?',
];

/** Bodies that fragments are put into. */
const bodies: readonly (readonly [Target, prefix: string, suffix: string])[] = [
  [checkout, '', ''],
  [checkout, '{"tier":"', '"}'],
  [webhook, '', ''],
  [token, '', ''],
  [token, 'grant_type=client_credentials&client_id=a&scope=', ''],
  [token, 'grant_type=authorization_code&code=', ''],
  [{ ...token, url: oauthPaths.revoke }, 'token=', ''],
  [{ ...checkout, url: '/auth.md' }, '', ''],
  [{ ...checkout, url: '/auth.md' }, '{"client_name":"', '"}'],
  [{ ...checkout, url: '/auth.md' }, '{"redirect_uris":["', '"]}'],
  [{ ...checkout, url: '/auth.md' }, '{"contact":"', '"}'],
  [{ ...checkout, url: '/auth.md', headers: { 'content-type': FORM_TYPE } }, '', ''],
  [{ ...form, url: '/case' }, 'words=', ''],
  [{ ...form, url: '/case/message' }, 'words=', ''],
  [{ ...form, url: '/permissions/words' }, 'words=', ''],
  [{ ...form, url: '/permissions/address' }, 'address=', ''],
  [{ ...form, url: '/permissions/code' }, 'visit=a&code=', ''],
  [{ ...form, url: '/contact' }, 'message=', ''],
  [{ ...form, url: '/contact' }, 'message=a&reply_to=', ''],
  [{ ...form, url: '/buy' }, '', ''],
  [{ ...checkout, url: '/case/sealed' }, '{"lookup_token":"', '"}'],
  [{ ...checkout, url: '/case/sealed/notify' }, '{"lookup_token":"a","address":"', '"}'],
  [{ ...checkout, url: '/api/contact' }, '{"sealed":"', '"}'],
  [sentForm, '', ''],
  [sentForm, '--a\r\n', '\r\n\r\nx\r\n--a--\r\n'],
  [sentForm, '--a\r\nContent-Disposition: form-data; name="', '"\r\n\r\nx\r\n--a--\r\n'],
  [sentForm, '--a\r\nContent-Disposition: form-data; name="files"; filename="', '"\r\n\r\nx\r\n--a--\r\n'],
  [sentForm, '--a\r\nContent-Disposition: form-data; name="words"\r\n\r\n', '\r\n--a--\r\n'],
  [
    sentForm,
    '--a\r\nContent-Disposition: form-data; name="words"\r\nContent-Type: application/json\r\n\r\n',
    '\r\n--a--\r\n',
  ],
];

async function sendRequest(target: Target, changes: Partial<Target>): Promise<void> {
  const { method = 'GET', url, payload } = { ...target, ...changes };
  const answer = await sendPatiently(app, {
    method,
    url,
    headers: { host: 'example.org', 'x-forwarded-proto': 'https', ...target.headers, ...changes.headers },
    ...(payload === undefined ? {} : { payload }),
  });
  assert.ok(answer.statusCode < 500, `${method} ${url.slice(0, 40)}: ${answer.statusCode} ${answer.payload}`);
}

for (const [name, prefix, ...targets] of headers)
  for (const target of targets)
    test(`${name}: ${prefix}… to ${target.url} costs time in proportion to its length`, async () => {
      for (const fragment of takeTurn(headerFragments))
        await assertSteadyGrowth(JSON.stringify(fragment), HEADER_BYTES, (length) =>
          sendRequest(target, { headers: { [name]: prefix + repeatToLength(fragment, length) } }),
        );
    });

for (const address of addresses)
  test(`the address ${address}… costs time in proportion to its length`, async () => {
    for (const fragment of takeTurn(headerFragments.filter((text) => !/\s/.test(text))))
      await assertSteadyGrowth(JSON.stringify(fragment), HEADER_BYTES, (length) =>
        sendRequest(page, { url: address + repeatToLength(fragment, length) }),
      );
  });

for (const [target, prefix, suffix] of bodies)
  test(`the body ${JSON.stringify(prefix)}… to ${target.url} costs time in proportion to its length`, async () => {
    const limit = httpLimits.jsonBytes - prefix.length - suffix.length;
    for (const fragment of takeTurn(fragments))
      await assertSteadyGrowth(JSON.stringify(fragment), limit, (length) =>
        sendRequest(target, { payload: prefix + repeatToLength(fragment, length) + suffix }),
      );
  });
