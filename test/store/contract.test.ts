/** The contract that every engine must fulfil. */

import assert from 'node:assert/strict';
import test, { after, suite } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { systemClock as clock } from '#platform/clock.ts';
import { readConfig } from '#platform/config/config.ts';
import { ProgramError } from '#platform/exit-codes.ts';
import { generateId } from '#platform/text/ids.ts';
import { deleteExpiredRows } from '#store/due-work.ts';
import { countMatching, deleteRows } from '#store/engine/selected-rows.ts';
import { createKeyring, generateMasterKey } from '#store/keys/keyring.ts';
import { adoptMasterKey } from '#store/keys/master-keys.ts';
import { findOrder, insertOrder, listOrdersByOwner, type Order, redeemOrder } from '#store/orders/orders.ts';
import {
  claimOutboxEntries,
  completeOutboxEntry,
  discardOutboxEntry,
  enqueueOutboxEntry,
} from '#store/outbox.ts';
import type { Records } from '#store/schema/tables.ts';
import { openStore } from '#store/store.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { isLongRun } from '#test/scale.ts';
import { openPostgresEngine, openTestStore, silentLog, sqliteUnderTest } from './engines.ts';
import { createSampleOrder } from './sample-order.ts';

const cleanUp = withReverseCleanup({ after });
const sample = { topic: 'sample', dedupe: 'x', payload: null, dueAt: 0 };
const claim = async (records: Records, worker: string, now: number) =>
  await claimOutboxEntries(records, { topics: ['sample'], worker, now, leaseMs: 10, limit: 10 });

for (const engine of [sqliteUnderTest, await openPostgresEngine(cleanUp)])
  suite(`records on ${engine.name}`, () => {
    const openFreshStore = async (t: test.TestContext) =>
      await openTestStore(t, await engine.createDatabase(cleanUp));

    test('an order comes back as it was written, bytes and large numbers included', async (t) => {
      const { records } = await openFreshStore(t);
      const written = createSampleOrder({
        session_ciphertext: Uint8Array.of(0, 255, 10, 13, 0),
        owner: 'öwner “x” 🗝',
        check_at: 2 ** 45,
      });
      await insertOrder(records, written);
      const read = await findOrder(records, written.id);
      assert.ok(read);
      assert.deepEqual(
        { ...read, session_ciphertext: [...(read.session_ciphertext ?? [])] },
        { ...written, session_ciphertext: [0, 255, 10, 13, 0] },
      );
      assert.equal(await findOrder(records, generateId()), undefined);
    });

    test('an empty choice of rows is refused, since it would mean every row', async (t) => {
      const { records } = await openFreshStore(t);
      const { id } = createSampleOrder();
      await insertOrder(records, createSampleOrder({ id }));
      await assert.rejects(deleteRows(records, 'orders', {}), /no row is chosen/);
      assert.ok(await findOrder(records, id));
    });

    test('who waits too long for a transaction is refused, and the patient are served', async (t) => {
      const config = readConfig((await engine.createDatabase(cleanUp)).env);
      const store = await openStore({ config, clock, log: silentLog, maxWaitMs: 1_000 });
      t.after(() => store.close());
      // Keeps the process running as the service's listeners do; waiting transactions do not.
      const running = setInterval(() => {}, 1_000);
      t.after(() => clearInterval(running));
      let release = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      const holders = Array.from({ length: 8 }, () => store.transaction(async () => await released));
      await sleep(20);
      const patient = store.patientTransaction(async () => 'served');
      await assert.rejects(
        store.transaction(async () => 'late'),
        { code: 'overloaded' },
      );
      release();
      await Promise.all(holders);
      assert.equal(await patient, 'served');
    });

    test('two orders cannot share a session', async (t) => {
      const { records } = await openFreshStore(t);
      await insertOrder(records, createSampleOrder({ session_tag: 'same' }));
      await assert.rejects(insertOrder(records, createSampleOrder({ session_tag: 'same' })));
      await insertOrder(records, createSampleOrder({ session_tag: null }));
      await insertOrder(records, createSampleOrder({ session_tag: null }));
    });

    test('pages by day and id show every order once, the newest day first, also while orders are settled', async (t) => {
      const { records } = await openFreshStore(t);
      const days = [20_001, 20_000, 20_000, 20_000, 19_999];
      const mine = Array.from({ length: 60 }, (_, index) =>
        createSampleOrder({
          owner: 'me',
          payment: 'paid',
          created_at: days[index % days.length]! * 86_400_000 + 1_000 * index,
        }),
      );
      for (const one of [...mine, createSampleOrder({ owner: 'another' }), createSampleOrder()])
        await insertOrder(records, one);
      const seen: Order[] = [];
      for (let page = await listOrdersByOwner(records, 'me', { limit: 7 }); page.length > 0; ) {
        seen.push(...page);
        const { created_at: at, id } = page.at(-1)!;
        // Redeems the last order seen, and one that may be on any page.
        for (const used of [id, mine[seen.length % 60]!.id])
          await redeemOrder(records, { sessionTag: null, id: used, owner: 'me', livemode: 0 });
        page = await listOrdersByOwner(records, 'me', { limit: 7, after: { at, id } });
      }
      const toDay = ({ created_at }: Order) => Math.floor(created_at / 86_400_000);
      const newestFirst = mine.toSorted((a, b) => toDay(b) - toDay(a) || (a.id < b.id ? 1 : -1));
      assert.deepEqual(
        seen.map(({ id }) => id),
        newestFirst.map(({ id }) => id),
      );
    });

    test('transactions that read and then write lose no update', async (t) => {
      const place = await engine.createDatabase(cleanUp);
      const stores = await Promise.all([
        openTestStore(t, place),
        openTestStore(t, place),
        openTestStore(t, place),
      ]);
      const { id } = createSampleOrder();
      await insertOrder(stores[0].records, createSampleOrder({ id, amount: 1 }));
      const incrementAmount = (store: (typeof stores)[number]) =>
        store.transaction(async (inside) => {
          const { amount } = (await findOrder(inside, id))!;
          await inside
            .updateTable('orders')
            .set({ amount: amount + 1 })
            .where('id', '=', id)
            .execute();
        });
      await Promise.all(stores.flatMap((store) => Array.from({ length: 4 }, () => incrementAmount(store))));
      assert.equal((await findOrder(stores[0].records, id))?.amount, 13);
    });

    test('work is enqueued once for the same reason, and with the transaction or not at all', async (t) => {
      const { records, transaction } = await openFreshStore(t);
      const entry = { topic: 'sample', dedupe: 'event-1', payload: { a: 1 }, dueAt: 0 };
      assert.equal(await enqueueOutboxEntry(records, entry), true);
      assert.equal(await enqueueOutboxEntry(records, entry), false);
      await assert.rejects(
        transaction(async (inside) => {
          await enqueueOutboxEntry(inside, { ...entry, dedupe: 'event-2' });
          throw new Error('no');
        }),
      );
      assert.equal((await claim(records, 'w', 1)).length, 1);
    });

    test('work that is enqueued while the same is being done is done once more', async (t) => {
      const { records } = await openFreshStore(t);
      const entry = { topic: 'sample', dedupe: 'event-1', payload: null, dueAt: 0 };
      await enqueueOutboxEntry(records, entry);
      const [first] = await claim(records, 'w', 1);
      assert.equal(await enqueueOutboxEntry(records, entry), true);
      assert.equal(await completeOutboxEntry(records, first!.id, 'w'), false);
      const [second] = await claim(records, 'w', 1);
      assert.equal(await completeOutboxEntry(records, second!.id, 'w'), true);
    });

    test('eight workers claim five hundred entries, each exactly once', async (t) => {
      const place = await engine.createDatabase(cleanUp);
      const stores = await Promise.all(Array.from({ length: 8 }, () => openTestStore(t, place)));
      const [first] = stores;
      await first!.transaction(async (inside) => {
        for (let index = 0; index < 500; index += 1)
          await enqueueOutboxEntry(inside, { ...sample, dedupe: `entry-${index}` });
      });
      const claimed = await Promise.all(
        stores.map(async ({ transaction }, index) => {
          const mine: string[] = [];
          for (;;) {
            const batch = await transaction((inside) => claim(inside, `worker-${index}`, 1));
            // An empty batch may mean that another worker was faster, not that nothing is left.
            if (batch.length === 0 && (await countUnclaimed(first!.records)) === 0) return mine;
            mine.push(...batch.map(({ id }) => id));
          }
        }),
      );
      assert.equal(claimed.flat().length, 500);
      assert.equal(new Set(claimed.flat()).size, 500);
    });

    test('a claim that runs out is taken over, and the first worker can no longer finish it', async (t) => {
      const { records } = await openFreshStore(t);
      await enqueueOutboxEntry(records, sample);
      const [entry] = await claim(records, 'slow', 1_000);
      assert.deepEqual(await claim(records, 'early', 1_005), []);
      const [again] = await claim(records, 'next', 1_010);
      assert.equal(again?.id, entry?.id);
      assert.equal(again?.attempts, 2);
      assert.equal(await completeOutboxEntry(records, entry!.id, 'slow'), false);
      assert.equal(await completeOutboxEntry(records, entry!.id, 'next'), true);
    });

    test('work that is done leaves no row, and work that was given up leaves a day and is deleted after thirty', async (t) => {
      const { records } = await openFreshStore(t);
      const day = 86_400_000;
      const now = 20_000 * day + 5_000;
      for (const dedupe of ['done', 'dead'])
        await enqueueOutboxEntry(records, { ...sample, dedupe, dueAt: now });
      const entries = await claim(records, 'w', now);
      const [done, dead] = ['done', 'dead'].map((name) => entries.find(({ dedupe }) => dedupe === name)!);
      await completeOutboxEntry(records, done!.id, 'w');
      await discardOutboxEntry(records, { id: dead!.id, worker: 'w', reason: 'No.', now });
      const readTimes = () =>
        records.selectFrom('outbox').select(['id', 'due_at', 'claimed_until', 'claimed_by']).execute();
      const [row] = await readTimes();
      assert.deepEqual(
        { ...row },
        { id: dead!.id, due_at: 20_000 * day, claimed_until: 0, claimed_by: null },
      );
      await deleteExpiredRows(records, 'dead entries', now + 30 * day, 10);
      assert.equal((await readTimes()).length, 1);
      await deleteExpiredRows(records, 'dead entries', now + 31 * day, 10);
      assert.deepEqual(await readTimes(), []);
    });

    test('eight programs that start at once migrate the schema once', async (t) => {
      for (let round = 0; round < (isLongRun ? 5 : 1); round += 1) {
        const place = await engine.createDatabase(cleanUp);
        const stores = await Promise.all(Array.from({ length: 8 }, () => openTestStore(t, place)));
        const { rows } = await sql`select name from schema_steps`.execute(stores[0]!.records);
        assert.equal(rows.length, 1);
      }
    });

    if (engine.name === 'sqlite')
      test('every table is ordered by its own random key, not by when its rows were written', async (t) => {
        const { records } = await openFreshStore(t);
        const { rows } = await sql<{
          name: string;
          wr: number;
        }>`select name, wr from pragma_table_list where schema = 'main' and name not like 'sqlite_%' and name not in ('schema_steps', 'schema_lock')`.execute(
          records,
        );
        assert.ok(rows.length > 10, 'the tables are listed');
        const numbered = rows.filter(({ wr }) => wr === 0).map(({ name }) => name);
        // The row numbers of these tables are derived from ids.
        assert.deepEqual(numbered.toSorted(), ['case_keys', 'object_pieces', 'objects']);
      });

    test('one failing transaction among many that commit together fails alone', async (t) => {
      const { records, transaction } = await openFreshStore(t);
      const ids = Array.from({ length: 10 }, () => generateId());
      const outcomes = await Promise.allSettled(
        ids.map((id, index) =>
          transaction(async (inside) => {
            await insertOrder(inside, createSampleOrder({ id }));
            if (index === 4) throw new Error('only this one');
            if (index === 7) await insertOrder(inside, createSampleOrder({ amount: -1 }));
          }),
        ),
      );
      const kept = await Promise.all(ids.map(async (id) => (await findOrder(records, id)) !== undefined));
      assert.deepEqual(
        kept,
        ids.map((_id, index) => index !== 4 && index !== 7),
      );
      assert.deepEqual(
        outcomes.map(({ status }) => status === 'fulfilled'),
        kept,
      );
    });

    test('an error from elsewhere is not taken for the store’s', async (t) => {
      const { translate } = await openFreshStore(t);
      const foreign = Object.assign(new Error('from another service'), { code: 'ECONNREFUSED', errcode: 5 });
      assert.equal(translate(foreign), undefined);
      assert.equal(translate(null), undefined);
    });

    test('a schema that a newer version wrote is left alone', async (t) => {
      const place = await engine.createDatabase(cleanUp);
      const { records } = await openTestStore(t, place);
      await sql`insert into schema_steps values ('999 from the future', '0')`.execute(records);
      await assert.rejects(
        openTestStore(t, place),
        (error) => error instanceof ProgramError && /from the future/.test(error.message),
      );
    });

    test('of two first starts with different master keys one is refused', async (t) => {
      const store = await openFreshStore(t);
      const starts = await Promise.allSettled(
        [generateMasterKey(), generateMasterKey()].map((key) =>
          adoptMasterKey({ store, clock, keyring: createKeyring(key) }),
        ),
      );
      assert.deepEqual(starts.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
    });
  });

async function countUnclaimed(records: Records): Promise<number> {
  return await countMatching(records, 'outbox', { claimed_until: 0 });
}
