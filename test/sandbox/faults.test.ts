/** The switches that make the API fail, and the counts that tests read. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, suite, test } from 'node:test';
import {
  buildCheckoutParameters,
  type SandboxProcess,
  startSandboxProcess,
  stopSandboxProcess,
} from './sandbox-process.ts';

const CREATE = 'POST /v1/checkout/sessions';

interface CallReport {
  readonly counts: Record<string, number>;
  readonly session_creates: { readonly idempotency_key: string; readonly params: object }[];
}

suite('fault switches', () => {
  let sandbox: SandboxProcess;
  before(async () => {
    sandbox = await startSandboxProcess();
  });
  after(() => stopSandboxProcess(sandbox));
  beforeEach(async () => {
    await sandbox.callControl('PUT', 'faults', {});
    await sandbox.callControl('DELETE', 'calls');
  });

  const switchOnFaults = (...api: object[]) => sandbox.callControl('PUT', 'faults', { api });
  const countSessions = async () => (await sandbox.stripe.checkout.sessions.list({ limit: 100 })).data.length;
  const readCallReport = async (): Promise<CallReport> => sandbox.callControl<CallReport>('GET', 'calls');

  test('a lost answer leaves the session made, and the retry finds it', async () => {
    const once = sandbox.createStripeClient({ maxNetworkRetries: 0 });
    for (const [loss, type] of [
      [{ status: 500 }, 'StripeAPIError'],
      [{ reset: true }, 'StripeConnectionError'],
    ] as const) {
      const sessionsBefore = await countSessions();
      const createSession = () =>
        once.checkout.sessions.create(buildCheckoutParameters(), { idempotencyKey: type });
      await switchOnFaults({ match: CREATE, times: 2, after_effect: true, ...loss });
      await assert.rejects(createSession(), { type });
      assert.equal(await countSessions(), sessionsBefore + 1);
      await sandbox.callControl('PUT', 'faults', {});
      assert.equal((await createSession()).status, 'open');
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
    await assert.rejects(
      sandbox.callControl('PUT', 'faults', { api: [{ match: CREATE, times: '1' }] }),
      /400/,
    );
    const once = sandbox.createStripeClient({ maxNetworkRetries: 0 });
    await assert.rejects(once.checkout.sessions.create(buildCheckoutParameters()), { statusCode: 429 });
  });

  test('a web page cannot reach the switches', async () => {
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      const answer = await fetch(`${sandbox.origin}/_sandbox/calls`, {
        headers: headers as Record<string, string>,
      });
      assert.equal(answer.status, 403);
    }
  });
});
