/** Public operations, which pages of any site may call, and contact messages. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { openContactMessage, sealContactMessage } from '#seal/case/contact-message.ts';
import { stripErasurePadding } from '#store/engine/overflow-bytes.ts';
import { computeAddedRows, countStoredRows } from '#test/cases/row-counts.ts';
import { readPrivateKey } from '#test/cases/stored-case.ts';
import { buildTestApp } from '#test/test-app.ts';
import { assertProblem, encodeBase64url, shareApiTestbed } from './api-testbed.ts';

const testbed = await shareApiTestbed();
const { get } = testbed;

const publicPaths = ['/health', '/ready', '/stripe/status', '/pricing', '/sealing-keys'];

test('the published sealing keys are those of the desk', async () => {
  const { json } = await get('/api/sealing-keys');
  const { desk, recovery, set } = await testbed.services.sealingKeys;
  assert.deepEqual(json, { desk, recovery, set });
});

test('pages of any site may read public responses and refusals, without cookies', async () => {
  for (const path of publicPaths) {
    const headers = { origin: 'https://elsewhere.example' };
    const answer = await get(`/api${path}`, { headers });
    assert.equal(answer.headers['access-control-allow-origin'], '*', path);
    assert.equal(answer.headers['access-control-allow-credentials'], undefined);
    const refused = await get(`/api${path}`, { headers: { ...headers, accept: 'text/html' } });
    assert.deepEqual([refused.status, refused.headers['access-control-allow-origin']], [406, '*'], path);
  }
  const checkout = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' };
  const refused = await get('/api/stripe/checkout', checkout);
  assert.deepEqual([refused.status, refused.headers['access-control-allow-origin']], [400, '*']);
  const token = await get('/api/pricing', { headers: { authorization: 'Bearer wrong' } });
  assert.deepEqual([token.status, token.headers['access-control-allow-origin']], [401, '*']);
});

test('the CORS preflight of a checkout is answered', async () => {
  const { status, headers, text } = await get('/api/stripe/checkout', {
    method: 'OPTIONS',
    headers: {
      origin: 'https://elsewhere.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,idempotency-key',
    },
  });
  assert.deepEqual([status, text, headers['access-control-allow-origin']], [204, '', '*']);
  assert.match(String(headers['access-control-allow-methods']), /POST/);
  assert.match(String(headers['access-control-allow-headers']), /Content-Type.*Idempotency-Key/);
});

test('protected operations and the webhook do not allow cross-origin requests', async () => {
  for (const path of ['/orders', '/cases', '/contact', '/inquiries', '/stripe/webhook']) {
    const answer = await get(`/api${path}`, { headers: { origin: 'https://elsewhere.example' } });
    assert.equal(answer.headers['access-control-allow-origin'], undefined, path);
    assertProblem(await get(`/api${path}`, { method: 'OPTIONS' }), 405, 'method_not_allowed');
  }
});

test('a 429 and its limit headers can be read by pages of other sites', async (t) => {
  const limited = await buildTestApp(t, { env: { RATE_LIMIT: 'on' } });
  const url = '/api/pricing';
  for (let count = 0; (await limited.app.inject(url)).statusCode === 200; count += 1) assert.ok(count < 700);
  const answer = await limited.get(url);
  assertProblem(answer, 429, 'rate_limited');
  assert.equal(answer.headers['access-control-allow-origin'], '*');
  assert.match(String(answer.headers['ratelimit']), /^"default";r=0;t=\d+$/);
  assert.match(String(answer.headers['retry-after']), /^\d+$/);
});

test('a contact message, sealed or plain, is stored once for each key, and the desk can decrypt both', async () => {
  const agent = await testbed.createAgent();
  const { desk } = await testbed.services.sealingKeys;
  const message = { topic: 'press', message: 'May we write about you?', reply_to: '' } as const;
  const sealed = encodeBase64url(await sealContactMessage(message, desk));
  const [before, start] = [await countStoredRows(testbed), Date.now()];
  for (const [key, body] of [
    ['sealed', { sealed }],
    ['plain', { plain: message }],
  ] as const)
    for (let time = 0; time < 3; time += 1) {
      const answer = await agent.request('POST', '/contact', body, { 'idempotency-key': key });
      assert.deepEqual([answer.status, answer.json], [202, { status: 'received' }], answer.text);
    }
  assert.deepEqual(computeAddedRows(before, await countStoredRows(testbed)), { messages: 2 });
  const stored = testbed.store.records.selectFrom('contact_messages').selectAll();
  const rows = await stored.where('received_at', '>=', start).execute();
  assert.deepEqual(rows.map(({ sealed_by }) => sealed_by).toSorted(), ['agent', 'server']);
  const identity = await readPrivateKey(testbed.dataDir, 'desk');
  for (const row of rows)
    assert.deepEqual(await openContactMessage(stripErasurePadding(row.sealed), identity), message);
  const other = await agent.request('POST', '/contact', { sealed }, { 'idempotency-key': 'plain' });
  assertProblem(other, 422, 'idempotency_key_reused');
});

test('an invalid contact message is refused with a pointer to each error', async () => {
  const agent = await testbed.createAgent();
  const before = await countStoredRows(testbed);
  const refused: [object, string][] = [
    [{}, 'validation_failed'],
    [{ plain: { topic: 'press', message: 'short' } }, 'validation_failed'],
    [{ plain: { topic: 'gossip', message: 'long enough to read' } }, 'validation_failed'],
    [{ sealed: encodeBase64url(Buffer.from('in plain')) }, 'not_sealed'],
  ];
  for (const [body, code] of refused) assertProblem(await agent.request('POST', '/contact', body), 422, code);
  const short = await agent.request('POST', '/contact', refused[1]?.[0]);
  assert.match(short.text, /"pointer":"\/plain\/message"/);
  assert.deepEqual(computeAddedRows(before, await countStoredRows(testbed)), {});
});
