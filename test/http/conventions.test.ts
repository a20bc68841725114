/** What all responses have in common: problems, headers, limits. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Type } from 'typebox';
import type { App } from '#platform/http/app-type.ts';
import { httpLimits } from '#platform/http/limits/limits.ts';
import { problemKinds } from '#platform/problems.ts';
import type { HttpsResponse } from '#test/https-client.ts';
import { exchangeRawBytes } from '#test/raw-connection.ts';
import { buildTestApp } from '#test/test-app.ts';

const Body = Type.Object(
  { tier: Type.Enum(['Trace', 'Dossier']), count: Type.Optional(Type.Integer({ minimum: 1 })) },
  { additionalProperties: false },
);

const addTestRoutes = (app: App): void => {
  const config = { access: 'public' } as const;
  app.post('/echo', { config, schema: { body: Body } }, async (request) => request.body);
  app.get('/item/:id', { config }, async () => ({}));
  app.delete('/item/:id', { config }, async () => ({}));
  app.get('/boom', { config }, async () => {
    throw new Error('canary in a message');
  });
  app.get('/thrown-text', { config }, async () => {
    // oxlint-disable-next-line typescript/only-throw-error -- a library may do this
    throw 'canary';
  });
  app.get('/thrown-nothing', { config }, async () => {
    // oxlint-disable-next-line typescript/only-throw-error -- a library may do this
    throw null;
  });
  app.get('/never', { config: { ...config, answerMs: 50 } }, () => new Promise(() => {}));
  app.get('/half', { config: { ...config, answerMs: 50 } }, (_request, reply) => {
    reply.raw.write('the first half');
    return new Promise(() => {});
  });
};

const json = { 'content-type': 'application/json' };
const buildPost = (body: string | Uint8Array, headers: Record<string, string> = json) => ({
  method: 'POST',
  headers,
  body,
});

function assertProblem(answer: HttpsResponse, status: number, code: string): void {
  assert.deepEqual([answer.status, answer.json['code']], [status, code], answer.text);
  assert.equal(answer.headers['content-type'], 'application/problem+json');
  assert.equal(answer.json['status'], status);
  assert.equal(answer.json['request_id'], answer.headers['x-request-id']);
  for (const field of ['type', 'title', 'detail']) assert.ok(answer.json[field], field);
}

const { get, port, readLog } = await buildTestApp({ after }, { routes: addTestRoutes });

test('every response has the security headers and a request id made by the service', async () => {
  const ids = new Set<unknown>();
  for (const path of ['/api/health', '/nowhere', '/boom', '/%zz', '/problems/not_found']) {
    const { headers } = await get(path, { headers: { 'x-request-id': 'forged' } });
    assert.equal(headers['x-content-type-options'], 'nosniff', path);
    assert.equal(headers['referrer-policy'], 'no-referrer', path);
    assert.equal(headers['cache-control'], 'no-store', path);
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin', path);
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin', path);
    assert.match(String(headers['permissions-policy']), /camera=\(\).*geolocation=\(\)/, path);
    assert.match(headers['strict-transport-security'] ?? '', /max-age/, path);
    assert.ok(!/unsafe-/.test(String(headers['content-security-policy'] ?? 'unsafe-')), path);
    assert.match(String(headers['x-request-id']), /^[\w-]{22}$/, path);
    ids.add(headers['x-request-id']);
  }
  assert.equal(ids.size, 5);
});

test('the type of every problem is the address of a page that explains it', async () => {
  const { json: problem } = await get('/nowhere');
  assert.equal(problem['type'], `https://localhost:${port}/problems/not_found`);
  for (const [code, kind] of Object.entries(problemKinds)) {
    const page = await get(`/problems/${code}`);
    assert.equal(page.status, 200);
    assert.ok(page.text.includes(`code: ${code}`));
    assert.match(page.text, /^retry: (yes, the same request|yes, once something is changed|no)(, after|$)/m);
    assert.match(page.text, /^What to do: \w.*\.$/m);
    // A caller that is given a time to wait may send the same request again after it.
    if ('retryAfter' in kind)
      assert.match(
        page.text,
        new RegExp(`^retry: yes, the same request, after about ${kind.retryAfter} s`, 'm'),
      );
  }
  assertProblem(await get('/problems/toString'), 404, 'not_found');
  assertProblem(await get('/problems/%3Cscript%3E'), 404, 'not_found');
});

test('unknown addresses are 404, known ones with another method 405 with Allow', async () => {
  assertProblem(await get('/nowhere'), 404, 'not_found');
  assertProblem(await get('/api/health/'), 404, 'not_found');
  assertProblem(await get('/API/health'), 404, 'not_found');
  const answer = await get('/item/7?x=1', { method: 'PUT' });
  assertProblem(answer, 405, 'method_not_allowed');
  assert.equal(answer.headers.allow, 'GET, HEAD, DELETE');
  assertProblem(await get('/item/7', { method: 'OPTIONS' }), 405, 'method_not_allowed');
});

test('HEAD answers as GET without a body', async () => {
  const { status, text, headers } = await get('/api/health', { method: 'HEAD' });
  assert.deepEqual([status, text, headers['content-length']], [200, '', '15']);
});

test('an Accept header that excludes the response is 406, any other is served', async () => {
  const requestHealth = (accept: string) => get('/api/health', { headers: { accept } });
  for (const accept of ['application/json', '*/*', 'application/*', 'text/html, */*;q=0.1'])
    assert.equal((await requestHealth(accept)).status, 200, accept);
  for (const accept of ['text/html', 'application/json;q=0', 'application/jsonx', ', ,'])
    assertProblem(await requestHealth(accept), 406, 'not_acceptable');
});

test('a body of another type or encoding, or without a type, is 415', async () => {
  const body = '{"tier":"Trace"}';
  for (const headers of [
    {},
    { ...json, 'content-encoding': 'gzip' },
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/jsonx' },
    { 'content-type': 'application/json; charset=iso-8859-1' },
  ])
    assertProblem(await get('/echo', buildPost(body, headers)), 415, 'unsupported_media_type');
  const inUtf8 = { 'content-type': 'application/json; charset=utf-8' };
  assert.equal((await get('/echo', buildPost(body, inUtf8))).status, 200);
});

test('malformed JSON is 400 and says why', async () => {
  for (const body of [
    '',
    '{"tier":"Trace","tier":"Dossier"}',
    '['.repeat(30_000),
    Uint8Array.of(0x22, 0xff, 0x22),
  ])
    assertProblem(await get('/echo', buildPost(body)), 400, 'malformed_json');
});

test('a body that breaks the schema is 422 with a pointer for each field', async () => {
  const oneOf = { pointer: '/tier', detail: 'must be one of these strings: "Trace", "Dossier"' };
  const unknown = { pointer: '/a~1b~0c', detail: 'is not a known field' };
  const noObject = [{ pointer: '', detail: 'must be an object' }];
  for (const [body, errors] of [
    [{}, [{ pointer: '/tier', detail: 'is missing' }]],
    [{ tier: 'trace' }, [oneOf]],
    [{ tier: ['Trace'] }, [oneOf]],
    [
      { tier: 'Trace', 'a/b~c': 1, count: '1' },
      [unknown, { pointer: '/count', detail: 'must be an integer' }],
    ],
    [[], noObject],
    [null, noObject],
  ] as const) {
    const answer = await get('/echo', buildPost(JSON.stringify(body)));
    assertProblem(answer, 422, 'validation_failed');
    assert.deepEqual(answer.json['errors'], errors);
  }
});

test('a body over the limit is 413, declared or streamed, and told the limit', async () => {
  const large = JSON.stringify('x'.repeat(httpLimits.jsonBytes));
  for (const headers of [json, { ...json, 'transfer-encoding': 'chunked' }]) {
    const answer = await get('/echo', buildPost(large, headers));
    assertProblem(answer, 413, 'payload_too_large');
    assert.ok(answer.text.includes(`at most ${httpLimits.jsonBytes} bytes`), answer.text);
  }
});

test('an internal error reveals no details', async () => {
  for (const path of ['/boom', '/thrown-text', '/thrown-nothing']) {
    const answer = await get(path);
    assertProblem(answer, 500, 'internal_error');
    assert.ok(!answer.text.includes('canary'));
  }
  assert.match(readLog(), /"event":"request_failed".*conventions\.test\.ts:\d+/);
  assert.ok(!readLog().includes('canary'));
});

test('a response that has begun and takes too long is cut off', async () => {
  await assert.rejects(get('/half'), { code: 'ECONNRESET' });
  assert.equal((await get('/api/health')).status, 200);
});

test('a response may take twenty seconds unless its route says otherwise', async (t) => {
  const started = Promise.withResolvers<void>();
  const { get: ask } = await buildTestApp(t, {
    routes: (app) => {
      app.get('/patience', { config: { access: 'public' } }, async () => {
        started.resolve();
        await new Promise(() => {});
      });
    },
  });
  t.mock.timers.enable({ apis: ['setInterval'] });
  const answer = ask('/patience');
  await started.promise;
  const startedAt = performance.now();
  const elapsed = t.mock.method(performance, 'now', () => startedAt + 19_000);
  t.mock.timers.tick(1_000);
  assert.equal(await Promise.race([answer, sleep(20, 'waiting')]), 'waiting');
  elapsed.mock.mockImplementation(() => startedAt + 20_000);
  t.mock.timers.tick(1_000);
  assertProblem(await answer, 503, 'answer_timeout');
});

test('an unknown address is refused before its body is read', async () => {
  assertProblem(await get('/nowhere', buildPost('{"broken')), 404, 'not_found');
  assertProblem(await get('/api/health', buildPost('')), 405, 'method_not_allowed');
});

test('an unknown method and an unknown Expect header are client errors', async () => {
  assertProblem(await get('/nowhere', { method: 'QUERY' }), 404, 'not_found');
  const raw = await exchangeRawBytes(
    port,
    'tls',
    'GET /api/health HTTP/1.1\r\nhost: x\r\nexpect: miracle\r\n\r\n',
  );
  assert.match(raw, /^HTTP\/1\.1 417 [\s\S]*"code":"expectation_failed"/);
});

test('an address that cannot be decoded is 400, one with a segment too long or too many parameters 414', async () => {
  assertProblem(await get('/%zz'), 400, 'malformed_request');
  assertProblem(await get(`/item/${'x'.repeat(httpLimits.pathParameterLength + 1)}`), 414, 'uri_too_long');
  assert.equal((await get(`/item/7?${'&a'.repeat(httpLimits.queryParameters - 1)}`)).status, 200);
  assertProblem(await get(`/oauth2/authorize?${'&a'.repeat(7_000)}`), 414, 'uri_too_long');
});

test('bytes that are not HTTP get a problem before the connection closes', async () => {
  const malformed = [
    'nonsense\r\n\r\n',
    'BREW / HTTP/1.1\r\nhost: x\r\n\r\n',
    'GET / HTTP/1.1\r\n\r\n',
    'GET / HTTP/1.1\r\nhost: x\r\nhost: y\r\n\r\n',
    'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n',
    'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n',
  ].map((bytes) => [bytes, 400, 'malformed_request'] as const);
  const long = `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(httpLimits.headerBytes)}\r\n\r\n`;
  for (const [bytes, status, code] of [...malformed, [long, 431, 'headers_too_large'] as const]) {
    const raw = await exchangeRawBytes(port, 'tls', bytes);
    assert.match(raw, new RegExp(`^HTTP/1\\.1 ${status} `), bytes.slice(0, 40));
    assert.match(raw, /content-type: application\/problem\+json/i);
    assert.ok(raw.includes(`"code":"${code}"`));
  }
  assert.equal((await get('/api/health')).status, 200);
});

test('a route that does not declare its access cannot be added', async (t) => {
  await assert.rejects(
    buildTestApp(t, { routes: (app) => void app.get('/open', async () => ({})) }),
    /does not state its access/,
  );
});

test('while the line for the store is long, requests are refused before their body is read', async (t) => {
  let waitMs = 0;
  const { get: ask } = await buildTestApp(t, {
    routes: addTestRoutes,
    store: (store) => ({ ...store, readWaitMs: () => waitMs }),
  });
  const send = () => ask('/echo', { ...buildPost('not JSON'), once: true });
  assertProblem(await send(), 400, 'malformed_json');
  waitMs = httpLimits.storeWaitMs + 1;
  const refused = await send();
  assertProblem(refused, 503, 'overloaded');
  assert.ok(refused.headers['retry-after']);
  assert.equal((await ask('/api/health')).status, 200);
});

test('an overloaded event loop sheds requests with 503, and health still answers', async (t) => {
  assert.equal((await get('/api/ready')).status, 200);
  const work = setInterval(() => {
    const end = Date.now() + 600;
    while (Date.now() < end);
  }, 0);
  t.after(() => clearInterval(work));
  let busy = await get('/api/ready', { once: true });
  while (busy.status === 200) busy = await get('/api/ready', { once: true });
  assertProblem(busy, 503, 'overloaded');
  assert.ok(busy.headers['retry-after']);
  assert.equal((await get('/api/health')).status, 200);
});
