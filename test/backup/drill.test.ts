/** The drill: backups under load, a disaster, and a restore that returns nothing purged, spent or revoked. */
import assert from 'node:assert/strict';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after, type TestContext } from 'node:test';
import { recordCaseReading } from '#cases/desk/audited-change.ts';
import { createPurger } from '#cases/ending/purge.ts';
import { setNoticeAddress } from '#cases/notices/notice-address.ts';
import { settleWebhooks } from '#clients/webhook-linking.ts';
import { sweepOrders } from '#payments/sweep.ts';
import { DAY_MS } from '#platform/durations.ts';
import { findAuditHead, listAuditEntries } from '#store/audit-log.ts';
import { insertRefund, listRefunds } from '#store/cases/refunds.ts';
import { findPurgeDay } from '#store/cases/tombstones.ts';
import { createClockGuard } from '#store/clock-guard.ts';
import { listSealedRows } from '#store/keys/sealed-rows.ts';
import { readCaseKey } from '#store/keys/shred-keys.ts';
import { readLastBackup } from '#store/last-backup.ts';
import {
  type ApiTestbed,
  assertProblem,
  openAgentCase,
  openApiTestbed,
  samplePlainInquiry,
} from '#test/api/api-testbed.ts';
import { type SeededCase, seedCases } from '#test/cases/seeded-case.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { createDeskCli, type DeskCli, type SentCase, sendCase } from '#test/cli/desk-cli.ts';
import { createDataFolder, readRecipientSettings } from '#test/data-folder.ts';
import { clientCredentialsForm } from '#test/oauth/oauth-test-app.ts';
import { chainAppended, checkAuditChain } from '#test/store/audit-check.ts';
import { listEngines, TEST_MASTER_KEY } from '#test/store/engines.ts';

interface BackupReport {
  readonly records: { readonly file: string; readonly cases: number };
  readonly keys: { readonly file: string; readonly kept: number };
}

interface RestoredReport {
  readonly cases: number;
  readonly purged: { readonly since: number; readonly due: number };
  readonly missing: number;
  readonly held: { readonly paid: number; readonly other: number };
}

interface RestoredPlace {
  readonly env: Record<string, string> & { readonly DATA_DIR: string };
  readonly report: RestoredReport;
}

for (const engine of await listEngines({ after }))
  test(`on ${engine.name}, a restore brings back every case of the cut, and nothing that ended since`, async (t) => {
    const env = { MASTER_KEY: TEST_MASTER_KEY, ...(await createPlace(t)) };
    const shop = await openApiTestbed(t, { env });
    const desk = createDeskCli(shop, env);
    const folder = await createTemporaryFolder(t);
    const writeBackup = () => desk.runForJson<BackupReport>('backup', '--to', folder);
    const agent = await shop.createAgent();
    const order = await agent.buy();
    const followed = await openAgentCase(shop, agent);
    const { status } = await agent.request('PUT', '/callback', { url: 'https://93.184.215.14/' });
    assert.equal(status, 201);
    const purged = await sendCase(shop);
    const delivered = await sendCase(shop);
    await recordCaseReading(shop.services, purged.id, null);

    const underLoad = await seedWhile(shop, writeBackup);
    const first = underLoad.result;
    await purgeAtOnce(shop, purged.id);
    await setNoticeAddress(shop.services, delivered.id, { address: 'told@example.org', language: 'en' });
    await deliver(t, desk, delivered.id);
    const late = await sendCase(shop);
    const owed = { id: late.id, case_id: null, purge_at: Date.now() + DAY_MS, sealed: new Uint8Array([1]) };
    await insertRefund(shop.store.records, owed);
    const second = await writeBackup();
    const doomed = await sendCase(shop);
    await recordCaseReading(shop.services, doomed.id, null);
    await chainAppended(shop.store.records);
    const head = await findAuditHead(shop.store.records);
    assert.deepEqual((await readdir(folder)).toSorted(), [
      first.keys.file,
      second.keys.file,
      first.records.file,
      second.records.file,
    ]);
    assert.ok(((await readLastBackup(shop.store.records)).keysAt ?? 0) > Date.now() - 60_000);
    const body = { order_id: order.orderId, plain: { inquiry: samplePlainInquiry } };
    assert.equal((await agent.submit(body)).status, 201);
    await shop.app.close();
    await shop.store.close();
    await rm(env.DATA_DIR, { recursive: true });

    const restore = async (...options: string[]): Promise<RestoredPlace> => {
      const place = { ...env, ...(await createPlace(t)) };
      const restored = createDeskCli({ dataDir: place.DATA_DIR }, place);
      const args = ['restore', '--from', folder, '--key', restored.key, ...options];
      return { env: place, report: await restored.runForJson<RestoredReport>(...args) };
    };

    await t.test('the second cut', async (ts) => {
      const { env: place, report } = await restore();
      const { purged: counts, missing, held } = report;
      assert.deepEqual([counts, missing, held], [{ since: 0, due: 0 }, 0, { paid: 1, other: 0 }]);
      const again = await openApiTestbed(ts, { env: { ...shop.sandbox.env, ...place } });
      const restored = createDeskCli(again, place);
      assert.equal((await checkAuditChain(again.store.records, null)).fault, null);
      const { fault } = await checkAuditChain(again.store.records, head);
      assert.equal(fault?.kind, 'shorter', 'the audit log ends where the backup did');
      await assertSeededOpen(again, underLoad.seeded);
      await assertOpens(restored, delivered.id, 'delivered');
      assert.deepEqual(await listNoticeIds(again), [], 'no backup has an address for notices');
      await assertOpens(restored, late.id, 'received');
      const [refund] = await listRefunds(again.store.records, { limit: 9 });
      // PostgreSQL returns a Buffer.
      const sealed = refund && new Uint8Array(refund.sealed);
      assert.deepEqual({ ...refund, sealed }, { ...owed, restored: 1 }, 'it may have been made since');
      await assertGone(again, restored, [purged, doomed]);
      assert.notEqual(await findPurgeDay(again.store.records, purged.keys.lookupHash), null);

      const { authorization } = agent;
      assert.equal((await again.get('/api/orders', { headers: { authorization } })).status, 401);
      const token = await again.oauth.requestToken(agent.client, clientCredentialsForm);
      const fresh = again.createAgentWithToken(agent.client, `Bearer ${token.json['access_token']}`);
      const webhook = await fresh.request('GET', '/callback');
      assert.equal(webhook.json['url'], 'https://93.184.215.14/');
      assert.deepEqual(
        await listSealedRows(again.store.records, 'case_webhooks', { after: '', limit: 9 }),
        [],
        'no backup has them',
      );
      await settleWebhooks(again.services);
      const linked = await listSealedRows(again.store.records, 'case_webhooks', { after: '', limit: 9 });
      assert.deepEqual(
        linked.map(({ case_id: id }) => id),
        [followed.id],
      );
      assertProblem(await fresh.submit(body), 409, 'payment_held');
      assert.equal((await restored.run('orders', 'release', order.orderId)).code, 1, 'not asked yet');
      await sweepOrders(again.services);
      await restored.runForText('orders', 'release', order.orderId);
      assert.equal((await fresh.submit(body)).status, 201);
      await again.store.tryWrite();
    });

    await t.test('the first records with the newest keys', async (ts) => {
      const { env: place, report } = await restore('--records', join(folder, first.records.file));
      assert.deepEqual([report.purged.since, report.held.paid], [1, 1]);
      assert.ok(report.missing >= 1, 'the case that came between the cuts');
      assert.equal(report.cases, first.records.cases - 1);
      const again = await openApiTestbed(ts, { env: { ...shop.sandbox.env, ...place } });
      const restored = createDeskCli(again, place);
      await chainAppended(again.store.records);
      const entries = await listAuditEntries(again.store.records, { limit: 10 });
      assert.ok(entries.length > 0 && !JSON.stringify(entries).includes(purged.id));
      assert.equal((await checkAuditChain(again.store.records, null)).fault, null);
      const { rows } = await readCaseIds(again);
      await assertSeededOpen(
        again,
        underLoad.seeded.filter(({ record }) => rows.has(record.id)),
      );
      await assertOpens(restored, delivered.id, 'received');
      await assertGone(again, restored, [purged]);
      assert.notEqual(await findPurgeDay(again.store.records, purged.keys.lookupHash), null, 'a tombstone');
    });

    /** Creates a data folder with the keys of the desk and, if the engine needs one, an empty database. */
    async function createPlace(scope: TestContext): Promise<{ DATA_DIR: string }> {
      const database = engine.name === 'sqlite' ? {} : (await engine.createDatabase(scope)).env;
      const dataDir = await createDataFolder(scope);
      return { ...database, ...(await readRecipientSettings(dataDir)), DATA_DIR: dataDir };
    }
  });

/** Lists the ids of the notices, and those to which cases refer. */
async function listNoticeIds({ store: { records } }: ApiTestbed): Promise<unknown[]> {
  const named = records.selectFrom('cases').select('notice_id').where('notice_id', 'is not', null);
  return [...(await named.execute()), ...(await records.selectFrom('notices').select('id').execute())];
}

/** Stores cases from before the work begins until it is done. */
async function seedWhile<Result>(
  { store }: Pick<ApiTestbed, 'store'>,
  work: () => Promise<Result>,
): Promise<{ result: Result; seeded: SeededCase[] }> {
  const seeded = await seedCases(store, 5);
  const progress = { isDone: false };
  const ended = work().finally(() => {
    progress.isDone = true;
  });
  while (!progress.isDone && seeded.length < 100) seeded.push(...(await seedCases(store, 5)));
  return { result: await ended, seeded };
}

async function purgeAtOnce({ store, services }: ApiTestbed, id: string): Promise<void> {
  const change = { state: 'delivered', purge_at: 1 } as const;
  await store.records.updateTable('cases').set(change).where('id', '=', id).execute();
  const clockGuard = createClockGuard({ ...services });
  await createPurger({ ...services, clockGuard }, services.log).run();
}

async function deliver(t: TestContext, desk: DeskCli, id: string): Promise<void> {
  const finding = join(await createTemporaryFolder(t), 'finding.md');
  await writeFile(finding, '# Yes\n');
  await desk.runForText('cases', 'take', id);
  await desk.runForText('cases', 'deliver', id, '--key', desk.key, '--finding', finding);
}

async function readCaseIds({ store }: Pick<ApiTestbed, 'store'>) {
  const ids = await store.records.selectFrom('cases').select('id').execute();
  return { rows: new Set(ids.map(({ id }) => id)) };
}

async function assertSeededOpen({ store }: Pick<ApiTestbed, 'store'>, seeded: readonly SeededCase[]) {
  assert.ok(seeded.length > 0);
  for (const { record } of seeded) {
    assert.ok(await readCaseKey(store, record), record.id);
    const objects = store.records.selectFrom('objects').select('bytes').where('case_id', '=', record.id);
    assert.equal((await objects.execute()).filter(({ bytes }) => bytes !== null).length, 3);
  }
}

async function assertOpens(desk: DeskCli, id: string, state: string): Promise<void> {
  const opened = await desk.runForJson<{ case: { state: string }; inquiry: object }>(
    'cases',
    'open',
    id,
    '--key',
    desk.key,
  );
  assert.deepEqual([opened.case.state, typeof opened.inquiry], [state, 'object']);
}

/** Neither the desk's key nor the words find anything of the case. */
async function assertGone(shop: ApiTestbed, desk: DeskCli, cases: readonly SentCase[]): Promise<void> {
  const [first] = cases;
  assert.ok(first);
  assert.match(await desk.runRefused(1, 'cases', 'open', first.id), /no such case/);
  const { rows } = await readCaseIds(shop);
  for (const { id, keys } of cases) {
    const found = shop.store.records.selectFrom('cases').select('id');
    assert.deepEqual(await found.where('lookup_hash', '=', keys.lookupHash).execute(), []);
    assert.ok(!rows.has(id));
  }
}
