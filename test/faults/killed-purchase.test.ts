/** kill -9 at the steps of a purchase, then a restart: no order is lost and no buyer is charged twice. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRestartableService } from '#test/cases/restartable-service.ts';
import type { HttpsResponse } from '#test/https-client.ts';
import { waitUntil } from '#test/patience.ts';
import { isLongRun } from '#test/scale.ts';
import type { ServiceProcess } from '#test/service-process.ts';
import { assertNoPaymentSecrets, readCheckoutSessionId, type ShopSandbox } from '#test/test-shop.ts';

const CREATE = 'POST /v1/checkout/sessions';
const READ = 'GET /v1/checkout/sessions/{id}';
const RANDOM_KILLS = 6;

interface PurchaseSetup {
  readonly sandbox: ShopSandbox;
  readonly start: () => Promise<ServiceProcess>;
  readonly readOrders: () => { payment: string; session_tag: string | null }[];
  /** Orders whose payment was recorded once. */
  readonly countPayments: () => number;
}

async function createPurchaseSetup(t: TestContext): Promise<PurchaseSetup> {
  const { sandbox, start, queryRows } = await createRestartableService(t, { SWEEP_SECONDS: '1' });
  return {
    sandbox,
    start: async () => {
      const service = await start();
      t.after(() => assertNoPaymentSecrets(service.readOutput().replaceAll(/^ .*$/gm, '')));
      return service;
    },
    readOrders: () =>
      queryRows('select payment, session_tag from orders') as ReturnType<PurchaseSetup['readOrders']>,
    countPayments: () =>
      queryRows("select revision from orders where payment = 'paid' and revision = 1").length,
  };
}

const KEY = { 'idempotency-key': 'the-purchase-that-is-killed' };

function buyDossier(service: ServiceProcess, key: Partial<typeof KEY> = KEY): Promise<HttpsResponse> {
  const headers = { 'content-type': 'application/json', ...key };
  return service.get('/api/stripe/checkout', { method: 'POST', headers, body: '{"tier":"Dossier"}' });
}

async function killService(service: ServiceProcess): Promise<void> {
  service.process.kill('SIGKILL');
  await service.ended;
}

async function countCharges(sandbox: ShopSandbox): Promise<number> {
  return (await sandbox.listEvents()).filter(({ type }) => type === 'charge.succeeded').length;
}

async function countSessions(sandbox: ShopSandbox): Promise<number> {
  return (await sandbox.callApi<{ data: unknown[] }>('GET', 'checkout/sessions?limit=100')).data.length;
}

/** The restarted service completes the same purchase: one order, one session, one charge. */
async function assertBuysOnce(office: PurchaseSetup): Promise<void> {
  await office.sandbox.pay(readCheckoutSessionId(await buyDossier(await office.start())));
  await waitUntil('it is paid', () => office.readOrders().every(({ payment }) => payment === 'paid'));
  const counts = [
    office.readOrders().length,
    await countSessions(office.sandbox),
    await countCharges(office.sandbox),
  ];
  assert.deepEqual(counts, [1, 1, 1]);
}

if (isLongRun)
  test('killed before the provider has done anything: the same purchase succeeds after the restart', async (t) => {
    const office = await createPurchaseSetup(t);
    const first = await office.start();
    await office.sandbox.setFaults({ api: [{ match: CREATE, hang: true, times: 1 }] });
    const lost = buyDossier(first);
    await waitUntil(
      'it is asked for',
      async () => ((await office.sandbox.readCalls()).counts[CREATE] ?? 0) > 0,
    );
    await Promise.all([assert.rejects(lost), killService(first)]);
    assert.deepEqual(office.readOrders(), [{ payment: 'pending', session_tag: null }]);

    await assertBuysOnce(office);
  });

test('killed after the provider created the session, and while its webhook is processed: the caller gets the same session, and pays once', async (t) => {
  const office = await createPurchaseSetup(t);
  const first = await office.start();
  await office.sandbox.setFaults({ api: [{ match: CREATE, hang: true, after_effect: true, times: 1 }] });
  const lost = buyDossier(first);
  await waitUntil('there is a session', async () => (await countSessions(office.sandbox)) === 1);
  await Promise.all([assert.rejects(lost), killService(first)]);

  const second = await office.start();
  const sessionId = readCheckoutSessionId(await buyDossier(second));
  await office.sandbox.setFaults({ api: [{ match: READ, hang: true, times: 1 }] });
  const paying = office.sandbox.pay(sessionId);
  await waitUntil('it is read', async () => ((await office.sandbox.readCalls()).counts[READ] ?? 0) > 0);
  await killService(second);
  await paying;
  assert.deepEqual(
    office.readOrders().map(({ payment }) => payment),
    ['pending'],
  );

  await office.start();
  await office.sandbox.callControl('POST', 'webhooks/flush');
  await waitUntil('it is paid', () => office.readOrders()[0]?.payment === 'paid');
  const counts = [
    office.countPayments(),
    await countSessions(office.sandbox),
    await countCharges(office.sandbox),
  ];
  assert.deepEqual(counts, [1, 1, 1]);
});

if (isLongRun)
  test('killed before an order that cannot be repeated is stored: no buyer has its session, and its end is no alarm', async (t) => {
    const office = await createPurchaseSetup(t);
    const first = await office.start();
    await office.sandbox.setFaults({ api: [{ match: CREATE, hang: true, after_effect: true, times: 1 }] });
    const lost = buyDossier(first, {});
    await waitUntil('there is a session', async () => (await countSessions(office.sandbox)) === 1);
    await Promise.all([assert.rejects(lost), killService(first)]);
    assert.deepEqual(office.readOrders(), []);

    const second = await office.start();
    const { data } = await office.sandbox.callApi<{ data: { id: string }[] }>('GET', 'checkout/sessions');
    await office.sandbox.callApi('POST', `checkout/sessions/${data[0]?.id}/expire`);
    await office.sandbox.callControl('POST', 'webhooks/flush');
    assert.deepEqual(office.readOrders(), []);
    await office.sandbox.pay(readCheckoutSessionId(await buyDossier(second, {})));
    await waitUntil('it is paid', () => office.countPayments() === 1);
    assert.ok(!second.readOutput().includes('payment_alarm'));
    assert.equal(await countCharges(office.sandbox), 1);
  });

if (isLongRun)
  test('killed between a webhook’s effect and its response: the redelivery changes nothing', async (t) => {
    const office = await createPurchaseSetup(t);
    const first = await office.start();
    const sessionId = readCheckoutSessionId(await buyDossier(first));
    const paying = office.sandbox.pay(sessionId);
    await waitUntil('it is paid', () => office.readOrders()[0]?.payment === 'paid');
    await killService(first);
    await paying;

    await office.start();
    const completed = (await office.sandbox.listEvents()).find(
      ({ type }) => type === 'checkout.session.completed',
    );
    await office.sandbox.callControl('POST', 'webhooks/flush');
    const { statuses } = await office.sandbox.callControl<{ statuses: number[] }>(
      'POST',
      `events/${completed?.id}/deliver`,
    );
    assert.deepEqual(statuses, [200]);
    assert.deepEqual(
      [office.readOrders()[0]?.payment, office.countPayments(), await countCharges(office.sandbox)],
      ['paid', 1, 1],
    );
  });

if (isLongRun)
  test('killed repeatedly at random while people buy and pay: every payment is recorded once', async (t) => {
    const office = await createPurchaseSetup(t);
    let bought = 0;
    for (let round = 0; round < RANDOM_KILLS; round += 1) {
      const service = await office.start();
      const sold = Promise.withResolvers<void>();
      const buyers = Array.from({ length: 4 }, async () => {
        const headers = { 'content-type': 'application/json' };
        const ask = { method: 'POST', headers, body: '{"tier":"Trace"}' };
        const answer = await service.get('/api/stripe/checkout', ask).catch(() => null);
        if (answer?.status !== 200) return;
        sold.resolve();
        await office.sandbox.pay(readCheckoutSessionId(answer));
        bought += 1;
      });
      await Promise.race([sold.promise, Promise.all(buyers)]);
      await sleep(Math.random() * 60);
      await killService(service);
      await Promise.all(buyers);
    }
    await office.start();
    await office.sandbox.callControl('POST', 'webhooks/flush');
    const countPaidOrders = () => office.readOrders().filter(({ payment }) => payment === 'paid').length;
    await waitUntil('all are paid', () => countPaidOrders() === bought);
    assert.ok(bought > 0);
    assert.deepEqual([office.countPayments(), await countCharges(office.sandbox)], [bought, bought]);
  });
