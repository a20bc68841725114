/** The desk API from other networks: any request gets the answer of an unknown path, byte for byte. */
import assert from 'node:assert/strict';
import { connect as connectPlain } from 'node:net';
import test, { after } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { connect } from 'node:tls';
import { readConfig } from '#platform/config/config.ts';
import { createCallerAddressReader } from '#platform/http/caller-address.ts';
import { httpLimits, rateBudgets } from '#platform/http/limits/limits.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { buildTestApp } from '#test/test-app.ts';
import { JSON_TYPE, loadOnlyDeskKey, requestChallenge, signInAtDesk } from './desk-client.ts';

const OUTSIDE = '127.0.0.2';
const cleanUp = withReverseCleanup({ after });
const office = await buildTestApp(cleanUp, { env: { DESK_NETWORKS: '127.0.0.1' } });
const key = await loadOnlyDeskKey(office.dataDir);
const ID = 'q1Zl7yBq3mJx0c2y8l4QxA';

const bodies = [
  '',
  '{}',
  '{',
  JSON.stringify({ recipient: key.recipient }),
  'x'.repeat(httpLimits.jsonBytes + 1),
];
const paths = [
  '',
  '/',
  '/challenges',
  '/sessions',
  '/cases',
  `/cases/${ID}`,
  `/cases/${'x'.repeat(300)}`,
  `/cases/${ID}/objects/finding-file.v1/0/pieces/0`,
  `/cases/${ID}/objects/finding-file.v1/${'1'.repeat(300)}/pieces/0`,
  `/cases/${ID}/uploads/${ID}/${'1'.repeat(300)}`,
  `/cases/${ID}/uploads/${ID}/0`,
  '/cases?access_token=x',
  '/%63ases',
  '/contact',
  `/contact/${'x'.repeat(300)}/done`,
  '/numbers',
  `/agents/${'x'.repeat(300)}`,
  `/orders/${ID}/done`,
  '/nothing',
];

test('from elsewhere, every method and body gets what an unknown path gets, headers included', async () => {
  for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'] as const)
    for (const path of paths)
      for (const body of path === '/challenges' ? bodies : bodies.slice(0, 2)) {
        const ask = async (url: string, remoteAddress: string) => {
          const content = body && method !== 'GET' ? { payload: body } : {};
          const headers = { host: 'localhost', ...(body ? JSON_TYPE : {}) };
          const answer = await office.app.inject({ method, url, headers, remoteAddress, ...content });
          return stripOwnValues(JSON.stringify([answer.statusCode, answer.headers, answer.payload]));
        };
        const unknown = await ask(`/api/disk${path}`, OUTSIDE);
        assert.match(unknown, /^\[404/);
        const others = path === '/cases' ? [`::ffff:${OUTSIDE}`, '203.0.113.9', '2001:db8::1'] : [];
        for (const address of [OUTSIDE, ...others])
          assert.equal(
            await ask(`/api/desk${path}`, address),
            unknown,
            `${method} ${path} ${body.slice(0, 20)}`,
          );
      }
});

test('the bytes of the answer are the same, too', async () => {
  for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS'])
    for (const body of method === 'POST' ? bodies : [''])
      assert.equal(
        await exchange('/api/desk/challenges', method, body),
        await exchange('/api/disk/challenges', method, body),
      );
});

test('other spellings of the path lead nowhere either, and pages are told the same', async () => {
  for (const spelling of [
    '/api/%64esk/challenges',
    '/api/desk/%zz',
    '/api/desk//challenges',
    '/api/desk;a=1/challenges',
    `https://localhost:${office.port}/api/desk/challenges`,
  ])
    for (const headers of [
      {},
      { accept: 'text/html' },
      { accept: 'image/png' },
      { 'content-encoding': 'gzip' },
    ]) {
      const other = spelling.replace(/esk\b/, 'isk');
      const [answer, unknown] = [spelling, other].map((path) => exchange(path, 'POST', '{}', headers));
      assert.equal(await answer, await unknown, spelling);
    }
});

test('a session does not open the desk API from elsewhere', async () => {
  const desk = await signInAtDesk(office, key);
  assert.equal((await desk.send('')).status, 200);
  const away = await desk.send('', { from: OUTSIDE });
  assert.deepEqual([away.status, away.json['code']], [404, 'not_found']);
  assert.equal((await desk.send('/sessions', { method: 'DELETE', from: OUTSIDE })).status, 404);
  assert.equal((await desk.send('')).status, 200, 'the session still lasts');
});

test('the log does not tell such a request from one to an unknown path', async () => {
  await office.get('/api/desk/challenges', { method: 'POST', from: OUTSIDE });
  const line = office.readLog().trim().split('\n').at(-1) ?? '';
  assert.match(line, /"route":"unknown","status":404/);
});

test('it counts towards the limit of an address as an unknown path does', async (t) => {
  const limited = await buildTestApp(t, { env: { DESK_NETWORKS: '127.0.0.1', RATE_LIMIT: 'on' } });
  const send = async (url: string) =>
    await limited.app.inject({
      method: 'POST',
      url,
      remoteAddress: OUTSIDE,
      headers: { ...JSON_TYPE, host: 'localhost' },
    });
  for (let sent = 0; sent < rateBudgets.requests.max; sent += 1)
    assert.equal((await send('/api/desk/challenges')).statusCode, 404);
  assert.equal((await send('/api/desk/challenges')).statusCode, 429);
  assert.equal((await send('/api/disk/challenges')).statusCode, 429);
});

test('with off, the desk API answers no one', async (t) => {
  const shut = await buildTestApp(t, { env: { DESK_NETWORKS: 'off' } });
  assert.equal((await requestChallenge(shut, key)).status, 404);
});

test('behind a proxy the address is the right-most that is no proxy, and none at all is refused', async (t) => {
  const env = {
    TLS: 'proxy',
    TRUSTED_PROXIES: '127.0.0.0/8',
    SITE_URL: 'https://office.example',
    DESK_NETWORKS: '10.8.0.0/24,fd00::/64,127.0.0.1',
  };
  const { app } = await buildTestApp(t, { env });
  const ask = async (chain: string | null, remoteAddress = '127.0.0.1') => {
    const forwarded = chain === null ? {} : { 'x-forwarded-for': chain };
    const headers = { host: 'office.example', 'x-forwarded-proto': 'https', ...forwarded };
    return (await app.inject({ url: '/api/desk', headers, remoteAddress })).statusCode;
  };
  for (const inside of [
    '10.8.0.7',
    '::ffff:10.8.0.7',
    '::ffff:a08:7',
    'fd00::1',
    '203.0.113.9, 10.8.0.7',
    '203.0.113.9, 10.8.0.7, 127.0.0.9',
    ' , 10.8.0.7 ,',
    '127.0.0.1', // a tunnel to the proxy itself
  ])
    assert.equal(await ask(inside), 401, inside);
  assert.equal(await ask('10.8.0.7', '::ffff:127.0.0.1'), 401);
  for (const outside of [
    null,
    '',
    ' , ',
    '203.0.113.9',
    '10.8.0.7, 203.0.113.9',
    '127.0.0.1, 203.0.113.9, 127.0.0.1',
    '10.8.1.7',
    '127.0.0.2',
    'fd00:0:0:1::1',
    'unknown',
    '10.8.0.7:443',
    '"10.8.0.7"',
    '10.8.0.07',
    'for=10.8.0.7',
    '::ffff:203.0.113.9',
  ])
    assert.equal(await ask(outside), 404, String(outside));
  // Without a proxy that vouches for it, no request counts as HTTPS, whatever it claims.
  assert.equal(await ask('10.8.0.7', '203.0.113.9'), 403, 'a caller that is no proxy claims an address');
  assert.equal(await ask(null, '10.8.0.7'), 403, 'past the proxy');
});

test('a caller among the proxies cannot claim to be the machine itself, and the limit uses the same address', async (t) => {
  const tls = { TLS: 'proxy', TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8,::1' };
  const { app } = await buildTestApp(t, {
    env: { ...tls, SITE_URL: 'https://office.example' },
    routes: (server) =>
      void server.get('/own-address', { config: { access: 'public' } }, async ({ ip }) => ({ ip })),
  });
  const toHeaders = (chain: string) => ({
    host: 'office.example',
    'x-forwarded-proto': 'https',
    'x-forwarded-for': chain,
  });
  const ask = async (chain: string, remoteAddress: string) =>
    (await app.inject({ url: '/api/desk', headers: toHeaders(chain), remoteAddress })).statusCode;
  for (const claimed of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '127.8.8.8'])
    for (const [chain, socket] of [
      [claimed, '10.0.0.9'],
      [`${claimed}, 10.0.0.9`, '127.0.0.1'],
      [`${claimed}, 10.0.0.9, 127.0.0.1`, '127.0.0.1'],
    ] as const)
      assert.equal(await ask(chain, socket), 404, `${chain} by ${socket}`);
  assert.equal(await ask('127.0.0.1', '127.0.0.1'), 401, 'a tunnel to a proxy on this machine');
  assert.equal(await ask('::1, 127.0.0.1', '::1'), 401);
  const readAddress = createCallerAddressReader(readConfig(tls).tls);
  for (const remoteAddress of ['127.0.0.1', '::1', '::ffff:10.0.0.1'])
    for (const chain of [
      '192.0.2.1',
      '192.0.2.1, 10.0.0.1',
      '10.1.1.1,192.0.2.7',
      '10.0.0.2, 10.0.0.1',
      'x',
      '2001:db8::1, ::1',
    ]) {
      const headers = toHeaders(chain);
      const answer = await app.inject({ url: '/own-address', headers, remoteAddress });
      const { ip } = answer.json<{ ip: string }>();
      const request = { headers, socket: { remoteAddress } } as unknown as Parameters<typeof readAddress>[0];
      assert.equal(readAddress(request)?.address, ip, `${remoteAddress} ${chain}`);
    }
});

test('no public document names the desk API', async () => {
  for (const path of [
    '/openapi.json',
    '/docs',
    '/auth.md',
    '/llms.txt',
    '/robots.txt',
    '/sitemap.xml',
    '/.well-known/api-catalog',
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-protected-resource',
    '/.well-known/security.txt',
  ])
    assert.ok(!(await office.get(path)).text.includes('/desk'), path);
});

/** On a busy machine the service sheds load, which this test does not check. */
async function exchange(...given: Parameters<typeof exchangeOnce>): Promise<string> {
  for (;;) {
    const answer = await exchangeOnce(...given);
    if (!answer.startsWith('HTTP/1.1 503 ')) return answer;
    await setTimeout(100);
  }
}

/** Returns the whole answer as sent, without the parts that differ between any two answers. */
async function exchangeOnce(
  target: string,
  method: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const socket = connect({
    socket: connectPlain({ port: office.port, host: '127.0.0.1', localAddress: OUTSIDE }),
    rejectUnauthorized: false,
  });
  const content = body ? { ...JSON_TYPE, 'content-length': String(body.length) } : {};
  const own = { host: `localhost:${office.port}`, connection: 'close', ...content, ...headers };
  const lines = Object.entries(own).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
  let answer = '';
  socket.on('data', (chunk) => {
    answer += String(chunk);
  });
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('close', resolve));
  return stripOwnValues(answer);
}

function stripOwnValues(answer: string): string {
  return answer
    .replaceAll(/[\w-]{22}/g, '<id>')
    .replace(/\b(date\W+)\w{3}, [\w :]+/i, '$1')
    .replaceAll('disk', 'desk')
    .replaceAll('%64isk', '%64esk');
}
