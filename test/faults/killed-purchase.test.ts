/** kill -9 at every step of a purchase, and a restart: no order is lost and nobody is charged twice. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test, { type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { lastFirst, ownFolder } from '#test/folder.ts';
import type { Answer } from '#test/https-client.ts';
import { freePorts } from '#test/ports.ts';
import { type RunningService, startService } from '#test/running-service.ts';
import { assertNoSecrets, openSandbox, type Sandbox, sessionIdOf } from '#test/shop.ts';

const CREATE = 'POST /v1/checkout/sessions';
const READ = 'GET /v1/checkout/sessions/{id}';

interface Office {
  readonly sandbox: Sandbox;
  readonly start: () => Promise<RunningService>;
  readonly orders: () => { payment: string; session_tag: string | null }[];
  readonly outbox: () => number;
}

async function openOffice(owner: TestContext): Promise<Office> {
  const t = lastFirst(owner);
  const [port = 0] = await freePorts(1);
  const dataDir = await ownFolder(t);
  const sandbox = await openSandbox(t, port, dataDir);
  const rows = (query: string) => {
    const database = new DatabaseSync(join(dataDir, 'inquiry-office.db'), { readOnly: true });
    try {
      return database
        .prepare(query)
        .all()
        .map((row) => ({ ...row }));
    } finally {
      database.close();
    }
  };
  return {
    sandbox,
    start: async () => {
      const service = await startService(t, {
        PORT: String(port),
        DATA_DIR: dataDir,
        SWEEP_SECONDS: '1',
        ...sandbox.env,
      });
      t.after(() => assertNoSecrets(service.output().replaceAll(/^ .*$/gm, '')));
      return service;
    },
    orders: () => rows('select payment, session_tag from orders') as ReturnType<Office['orders']>,
    outbox: () => rows('select id from outbox').length,
  };
}

function buy(service: RunningService): Promise<Answer> {
  const headers = { 'content-type': 'application/json', 'idempotency-key': 'the-purchase' };
  return service.get('/api/stripe/checkout', { method: 'POST', headers, body: '{"tier":"Dossier"}' });
}

async function kill(service: RunningService): Promise<void> {
  service.process.kill('SIGKILL');
  await service.ended;
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 15_000;
  while (!(await holds())) {
    assert.ok(Date.now() < deadline, 'in time');
    await sleep(10);
  }
}

async function charges(sandbox: Sandbox): Promise<number> {
  return (await sandbox.events()).filter(({ type }) => type === 'charge.succeeded').length;
}

async function sessions(sandbox: Sandbox): Promise<number> {
  return (await sandbox.api<{ data: unknown[] }>('GET', 'checkout/sessions?limit=100')).data.length;
}

/** The restarted service sells the same purchase: one order, one session, one charge. */
async function buysOnce(office: Office): Promise<void> {
  await office.sandbox.pay(sessionIdOf(await buy(await office.start())));
  await until(() => office.orders().every(({ payment }) => payment === 'paid'));
  const counts = [office.orders().length, await sessions(office.sandbox), await charges(office.sandbox)];
  assert.deepEqual(counts, [1, 1, 1]);
}

test('killed before the provider has done anything: the same purchase goes through after the restart', async (t) => {
  const office = await openOffice(t);
  const first = await office.start();
  await office.sandbox.faults({ api: [{ match: CREATE, hang: true, times: 1 }] });
  const lost = buy(first);
  await until(async () => ((await office.sandbox.calls()).counts[CREATE] ?? 0) > 0);
  await Promise.all([assert.rejects(lost), kill(first)]);
  assert.deepEqual(office.orders(), [{ payment: 'pending', session_tag: null }]);

  await buysOnce(office);
});

test('killed after the provider made the session: the caller gets that very session after the restart', async (t) => {
  const office = await openOffice(t);
  const first = await office.start();
  await office.sandbox.faults({ api: [{ match: CREATE, hang: true, after_effect: true, times: 1 }] });
  const lost = buy(first);
  await until(async () => (await sessions(office.sandbox)) === 1);
  await Promise.all([assert.rejects(lost), kill(first)]);

  await buysOnce(office);
});

test('killed while a webhook is being worked: its redelivery pays the order once', async (t) => {
  const office = await openOffice(t);
  const first = await office.start();
  const sessionId = sessionIdOf(await buy(first));
  await office.sandbox.faults({ api: [{ match: READ, hang: true, times: 1 }] });
  const paying = office.sandbox.pay(sessionId);
  await until(async () => ((await office.sandbox.calls()).counts[READ] ?? 0) > 0);
  await kill(first);
  await paying;
  assert.deepEqual(
    office.orders().map(({ payment }) => payment),
    ['pending'],
  );

  await office.start();
  await office.sandbox.control('POST', 'webhooks/flush');
  await until(() => office.orders()[0]?.payment === 'paid');
  assert.deepEqual([office.outbox(), await charges(office.sandbox)], [1, 1]);
});

test('killed between a webhook’s effect and its answer: the redelivery changes nothing', async (t) => {
  const office = await openOffice(t);
  const first = await office.start();
  const sessionId = sessionIdOf(await buy(first));
  const paying = office.sandbox.pay(sessionId);
  await until(() => office.orders()[0]?.payment === 'paid');
  await kill(first);
  await paying;

  await office.start();
  const completed = (await office.sandbox.events()).find(({ type }) => type === 'checkout.session.completed');
  await office.sandbox.control('POST', 'webhooks/flush');
  const { statuses } = await office.sandbox.control<{ statuses: number[] }>(
    'POST',
    `events/${completed?.id}/deliver`,
  );
  assert.deepEqual(statuses, [200]);
  assert.deepEqual(
    [office.orders()[0]?.payment, office.outbox(), await charges(office.sandbox)],
    ['paid', 1, 1],
  );
});

test('killed over and over at random while people buy and pay: every payment arrives, none twice', {
  timeout: 120_000,
}, async (t) => {
  const office = await openOffice(t);
  let bought = 0;
  for (let round = 0; round < 6; round += 1) {
    const service = await office.start();
    const sold = Promise.withResolvers<void>();
    const killing = Promise.race([sold.promise, sleep(3_000)])
      .then(() => sleep(Math.random() * 60))
      .then(() => kill(service));
    const buyers = Array.from({ length: 4 }, async () => {
      const headers = { 'content-type': 'application/json' };
      const ask = { method: 'POST', headers, body: '{"tier":"Trace"}' };
      const answer = await service.get('/api/stripe/checkout', ask).catch(() => null);
      if (answer?.status !== 200) return;
      sold.resolve();
      await office.sandbox.pay(sessionIdOf(answer));
      bought += 1;
    });
    await Promise.all([killing, ...buyers]);
  }
  await office.start();
  await office.sandbox.control('POST', 'webhooks/flush');
  const paid = () => office.orders().filter(({ payment }) => payment === 'paid').length;
  await until(() => paid() === bought);
  assert.ok(bought > 0);
  assert.deepEqual([office.outbox(), await charges(office.sandbox)], [bought, bought]);
});
