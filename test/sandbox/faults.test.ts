/** The switches that make the API fail, the counts that tests read, and what a key makes of a repeated call. */
import assert from 'node:assert/strict';
import test, { after, beforeEach } from 'node:test';
import { waitUntil } from '#test/patience.ts';
import { buildCheckoutParameters, SANDBOX_SECRET_KEY, startSandboxProcess } from './sandbox-process.ts';

const CREATE = 'POST /v1/checkout/sessions';

interface CallReport {
  readonly counts: Record<string, number>;
  readonly session_creates: { readonly idempotency_key: string; readonly params: object }[];
}

const sandbox = await startSandboxProcess({ after });
beforeEach(async () => {
  await sandbox.callControl('PUT', 'faults', {});
  await sandbox.callControl('DELETE', 'calls');
});

const withoutRetry = sandbox.createStripeClient({ maxNetworkRetries: 0 });
const createSession = (idempotencyKey: string, changes = {}) =>
  withoutRetry.checkout.sessions.create(buildCheckoutParameters(changes), { idempotencyKey });
const switchOnFaults = (...api: object[]) => sandbox.callControl('PUT', 'faults', { api });
const countSessions = async () => (await sandbox.stripe.checkout.sessions.list({ limit: 100 })).data.length;
const readCallReport = async (): Promise<CallReport> => sandbox.callControl<CallReport>('GET', 'calls');

test('a lost answer leaves the session made, and the retry finds it', async () => {
  for (const [loss, type] of [
    [{ status: 500 }, 'StripeAPIError'],
    [{ reset: true }, 'StripeConnectionError'],
  ] as const) {
    const sessionsBefore = await countSessions();
    await switchOnFaults({ match: CREATE, times: 2, after_effect: true, ...loss });
    await assert.rejects(createSession(type), { type });
    assert.equal(await countSessions(), sessionsBefore + 1);
    await sandbox.callControl('PUT', 'faults', {});
    assert.equal((await createSession(type)).status, 'open');
    assert.equal(await countSessions(), sessionsBefore + 1);
  }
});

test('create parameters are shown exactly as they came', async () => {
  await sandbox.stripe.checkout.sessions.create(buildCheckoutParameters({ metadata: { order_id: 'o' } }), {
    idempotencyKey: 'k',
  });
  const { session_creates } = await readCallReport();
  assert.deepEqual(session_creates, [
    {
      idempotency_key: 'k',
      params: {
        mode: 'payment',
        line_items: [
          {
            quantity: '1',
            price_data: { currency: 'usd', unit_amount: '29900', product_data: { name: 'Deep Sweep' } },
          },
        ],
        success_url: buildCheckoutParameters().success_url,
        cancel_url: buildCheckoutParameters().cancel_url,
        metadata: { order_id: 'o' },
      },
    },
  ]);
});

test('an unknown switch is refused and changes nothing', async () => {
  await switchOnFaults({ match: CREATE, times: 1, status: 429 });
  await assert.rejects(sandbox.callControl('PUT', 'faults', { webhook: { lose: 1 } }), /400/);
  await assert.rejects(switchOnFaults({ match: 'POST /v1/checkout/session', status: 500 }), /400/);
  await assert.rejects(sandbox.callControl('PUT', 'faults', { api: [{ match: CREATE, times: '1' }] }), /400/);
  await assert.rejects(createSession('refused'), { statusCode: 429 });
});

test('a web page cannot reach the switches', async () => {
  for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
    const answer = await fetch(`${sandbox.origin}/_sandbox/calls`, {
      headers: headers as Record<string, string>,
    });
    assert.equal(answer.status, 403);
  }
});

test('the same key with other parameters or another path is refused', async () => {
  const { id } = await createSession('reuse');
  const reused = { type: 'StripeIdempotencyError', statusCode: 400 };
  await assert.rejects(createSession('reuse', { client_reference_id: 'other' }), reused);
  await assert.rejects(sandbox.stripe.checkout.sessions.expire(id, {}, { idempotencyKey: 'reuse' }), reused);
});

test('a second request while the first is at work is a conflict', async () => {
  await sandbox.callControl('PUT', 'faults', { api: [{ match: CREATE, times: 1, hang: true }] });
  const body = new URLSearchParams();
  const stop = new AbortController();
  const first = fetch(`${sandbox.origin}/v1/checkout/sessions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${SANDBOX_SECRET_KEY}`, 'idempotency-key': 'busy' },
    body,
    signal: stop.signal,
  }).catch(() => 'cut');
  await waitUntil('the first has come', async () => (await readCallReport()).counts[CREATE]);
  await assert.rejects(createSession('busy'), { statusCode: 409, code: 'idempotency_key_in_use' });
  stop.abort();
  assert.equal(await first, 'cut');
});
