/** Specification 4.2 and 2.3: whether payments are active. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { buildTestApp } from '#test/test-app.ts';
import { startTestShop } from '#test/test-shop.ts';

const status = '/api/stripe/status';

test('status is exactly the one field, true with key and webhook secret', async (t) => {
  const { get } = await buildTestApp(t, {
    env: { STRIPE_SECRET_KEY: 'sk_test_x', STRIPE_WEBHOOK_SECRET: 'whsec_x' },
  });
  const answer = await get(status);
  assert.deepEqual([answer.status, answer.text], [200, '{"configured":true}']);
});

test('status is false when either is missing', async (t) => {
  for (const env of [{}, { STRIPE_SECRET_KEY: 'sk_test_x' }, { STRIPE_WEBHOOK_SECRET: 'whsec_x' }]) {
    const { get } = await buildTestApp(t, { env });
    assert.equal((await get(status)).text, '{"configured":false}');
  }
});

test('status answers while the provider hangs', async (t) => {
  const { get, sandbox } = await startTestShop(t);
  await sandbox.setFaults({ api: [{ match: 'POST /v1/checkout/sessions', hang: true }] });
  assert.equal((await get(status)).text, '{"configured":true}');
  assert.deepEqual((await sandbox.readCalls()).counts, {}, 'without asking');
});

test('a permission that is missing for something else leaves the shop open', async (t) => {
  const { get, sandbox, createSession } = await startTestShop(t);
  const id = await createSession();
  await sandbox.setFaults({ api: [{ match: 'GET /v1/checkout/sessions/{id}', status: 403 }] });
  assert.equal((await get(`/inquiry?session_id=${id}`)).status, 503);
  assert.equal((await get(status)).text, '{"configured":true}');
});

test('a key that the provider rejects counts as none for a minute', async (t) => {
  let now = Date.now();
  const { get, sandbox, postCheckout, readLog } = await startTestShop(t, { clock: { now: () => now } });
  await sandbox.setFaults({ api: [{ match: 'POST /v1/checkout/sessions', status: 401, times: 1 }] });
  assert.equal((await postCheckout('Trace')).json['code'], 'payment_provider_unavailable');
  assert.equal((await get(status)).text, '{"configured":false}');
  assert.equal((await postCheckout('Trace')).json['code'], 'payments_not_configured');
  assert.equal((await sandbox.readCalls()).counts['POST /v1/checkout/sessions'], 1);
  assert.match(readLog(), /"event":"payment_alarm","reason":"provider rejects our key"/);
  now += 60_000;
  assert.equal((await get(status)).text, '{"configured":true}');
  assert.equal((await postCheckout('Trace')).status, 200);
});
