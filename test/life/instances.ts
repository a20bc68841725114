/** Several instances on one PostgreSQL whose leader is killed: counts what people bought, were told and had purged. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Store } from '#store/store.ts';
import { postRegistration, sampleRegistration } from '#test/agents/sample-registration.ts';
import { openPaidForm, sendPlainForm } from '#test/cases/plain-form.ts';
import { type CleanupScope, withReverseCleanup } from '#test/cleanup.ts';
import { createDataFolder } from '#test/data-folder.ts';
import { waitUntil } from '#test/patience.ts';
import { findFreePorts } from '#test/ports.ts';
import { type ServiceProcess, startServiceProcess } from '#test/service-process.ts';
import { insertSweptRows } from '#test/store/swept-rows.ts';
import { createCheckoutSession, type ShopSandbox, startShopSandbox } from '#test/test-shop.ts';

/** Rows of each kind that wait for a sweep; the leader is killed in the middle of them. */
const SWEPT = 150;
const PAUSE_MS = 25;
const LATE_EMAIL = /^Subject: Late$/m;

interface Settings {
  /** The environment with which the instances reach the database. */
  readonly env: Record<string, string>;
  readonly count: number;
  /** A store on the same database, for the test itself. */
  readonly store: Store;
}

export async function assertOnceEach(owner: CleanupScope, { env, count, store }: Settings): Promise<void> {
  const t = withReverseCleanup(owner);
  const { instances, sandbox } = await startInstances(t, { env, count, store });
  const [first, ...others] = instances;
  const registered: string[] = [];
  const stop = new AbortController();
  const senders = instances.map((instance) => register(instance, registered, stop.signal));
  const bought = await buyAtAll(instances, sandbox);
  const leader = await readLeader(store);
  await insertSweptRows(store.records, SWEPT);
  const countDue = () => countRows(store, 'cases', "where state = 'delivered'");
  await waitUntil('the leader purges', async () => (await countDue()) < SWEPT);
  first!.process.kill('SIGKILL');
  await first!.ended;
  assert.ok((await countDue()) > 0, 'killed in the middle');
  const boughtLater = await buyAtAll(others, sandbox);
  await waitUntil('another one leads', async () => (await readLeader(store)) !== leader);
  await waitUntil('all is purged', async () => (await countDue()) === 0);
  await waitUntil('the e-mail is sent', () => countEmails(instances) > 0);
  stop.abort();
  await Promise.all(senders);

  // Earlier tombstones are deleted, and those of the cases stay for a while.
  const countPurged = () => countRows(store, 'tombstones', 'where purged_on is not null');
  await waitUntil('each case has one tombstone', async () => (await countPurged()) === SWEPT);
  const paid = bought + boughtLater;
  assert.equal(await countRows(store, 'orders', 'where redeemed = 1'), paid);
  assert.equal(await countRows(store, 'cases', "where state = 'received'"), paid);
  assert.equal(countEmails(instances), 1);
  const rows = await store.records.selectFrom('registrations').select('id').execute();
  const stored = new Set(rows.map(({ id }) => id));
  assert.ok(registered.length > 0);
  assert.deepEqual(
    registered.filter((id) => !stored.has(id)),
    [],
    'acknowledged and lost',
  );
}

/** Starts them one after the other, so that the first one leads. */
async function startInstances(t: CleanupScope, { env, count, store }: Settings) {
  const [port = 0] = await findFreePorts(1);
  const dataDir = await createDataFolder(t);
  const sandbox = await startShopSandbox(t, port, dataDir);
  const shared = {
    ...env,
    ...sandbox.env,
    SITE_URL: `https://localhost:${port}`,
    RATE_LIMIT: 'off',
    SWEEP_SECONDS: '1',
  };
  const instances = [await startServiceProcess(t, { ...shared, PORT: String(port), DATA_DIR: dataDir })];
  await waitUntil('the first leads', () => readLeader(store));
  while (instances.length < count) instances.push(await startServiceProcess(t, shared));
  return { instances, sandbox };
}

/** Buys once at each and sends that form to all at the same moment; returns the number of purchases. */
async function buyAtAll(instances: readonly ServiceProcess[], sandbox: ShopSandbox): Promise<number> {
  for (const { get } of instances) {
    const form = await openPaidForm({ get, sandbox, createSession: () => createCheckoutSession(get) });
    const answers = await Promise.all(instances.map((instance) => sendPlainForm(instance, form)));
    assert.ok(answers.some(({ status }) => status === 200));
  }
  return instances.length;
}

/** Registers until `stop` or until its instance is gone; stores what was acknowledged. */
async function register({ get }: ServiceProcess, acknowledged: string[], stop: AbortSignal): Promise<void> {
  while (!stop.aborted && acknowledged.length < 200) {
    const answer = await postRegistration(get, sampleRegistration).catch(() => null);
    if (answer === null) return;
    if (answer.status === 202) acknowledged.push(String(answer.json['registration_id']));
    await sleep(PAUSE_MS);
  }
}

async function readLeader({ records }: Store): Promise<string | null> {
  const row = await records.selectFrom('records_installation').select('leader').executeTakeFirst();
  return row?.leader ?? null;
}

async function countRows({ records }: Store, table: string, where: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${sql.table(table)} ${sql.raw(where)}`.execute(records);
  return Number(rows[0]?.count);
}

/** Counts the e-mails to the desk about late cases. */
function countEmails(instances: readonly ServiceProcess[]): number {
  const files = instances.flatMap(({ dataDir }) => globSync(join(dataDir, 'mail', '*.eml')));
  return files.filter((file) => LATE_EMAIL.test(readFileSync(file, 'utf8'))).length;
}
