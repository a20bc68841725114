/** Idempotency keys: replay, reuse, conflict, and what is stored. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { toObjectId } from '#sandbox/state.ts';
import { waitUntil } from '#test/patience.ts';
import {
  buildCheckoutParameters,
  buyInSandbox,
  SANDBOX_SECRET_KEY,
  type SandboxProcess,
  startSandboxProcess,
  stopSandboxProcess,
} from './sandbox-process.ts';

const CREATE = 'POST /v1/checkout/sessions';

suite('idempotency', () => {
  let sandbox: SandboxProcess;
  before(async () => {
    sandbox = await startSandboxProcess();
  });
  after(() => stopSandboxProcess(sandbox));

  const createSession = (idempotencyKey: string, changes = {}) =>
    sandbox
      .createStripeClient({ maxNetworkRetries: 0 })
      .checkout.sessions.create(buildCheckoutParameters(changes), { idempotencyKey });

  test('the same key with other parameters or another path is refused', async () => {
    const { id } = await createSession('reuse');
    const reused = { type: 'StripeIdempotencyError', statusCode: 400 };
    await assert.rejects(createSession('reuse', { client_reference_id: 'other' }), reused);
    await assert.rejects(
      sandbox.stripe.checkout.sessions.expire(id, {}, { idempotencyKey: 'reuse' }),
      reused,
    );
  });

  test('a refused request leaves its key free', async () => {
    await assert.rejects(createSession('refused', { mode: 'setup' }), { statusCode: 400 });
    assert.equal((await createSession('refused')).status, 'open');
  });

  test('a second request while the first is at work is a conflict', async () => {
    await sandbox.callControl('PUT', 'faults', { api: [{ match: CREATE, times: 1, hang: true }] });
    const countCreates = async () =>
      (await sandbox.callControl<{ counts: Record<string, number> }>('GET', 'calls')).counts[CREATE] ?? 0;
    const earlier = await countCreates();
    const body = new URLSearchParams();
    const stop = new AbortController();
    const first = fetch(`${sandbox.origin}/v1/checkout/sessions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${SANDBOX_SECRET_KEY}`, 'idempotency-key': 'busy' },
      body,
      signal: stop.signal,
    }).catch(() => 'cut');
    await waitUntil('the first has come', async () => (await countCreates()) > earlier);
    await assert.rejects(createSession('busy'), { statusCode: 409, code: 'idempotency_key_in_use' });
    stop.abort();
    assert.equal(await first, 'cut');
  });

  test('twenty equal refunds at once give the money back once', async () => {
    const { payment_intent } = await buyInSandbox(sandbox);
    const refundPayment = () =>
      sandbox.stripe.refunds.create(
        { payment_intent: toObjectId(payment_intent) },
        { idempotencyKey: 'refund' },
      );
    const refunds = await Promise.all(Array.from({ length: 20 }, refundPayment));
    assert.equal(new Set(refunds.map(({ id }) => id)).size, 1);
  });
});
