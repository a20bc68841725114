/** PostgreSQL is vacuumed only when it is worthwhile: a few dead rows of a large table wait for more. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { sql } from 'kysely';
import type { Store } from '#store/store.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { openPostgresEngine, openTestStore } from './engines.ts';

const cleanUp = withReverseCleanup({ after });
const engine = await openPostgresEngine(cleanUp);

async function deleteMessages({ records }: Store, count: number): Promise<void> {
  await records.transaction().execute(async (transaction) => {
    const some = sql`select id from contact_messages limit ${sql.lit(count)}`;
    await sql`delete from contact_messages where id in (${some})`.execute(transaction);
    // Otherwise PostgreSQL may count the deleted rows seconds later.
    await sql`select pg_stat_force_next_flush()`.execute(transaction);
  });
}

async function countVacuums({ records, erase }: Store): Promise<number> {
  await erase();
  const { rows } = await sql<{ count: number }>`
    select vacuum_count as count from pg_stat_user_tables where relname = 'contact_messages'`.execute(
    records,
  );
  return rows[0]?.count ?? 0;
}

test('a few dead rows of a large table wait for more; the first call after a start waits for nothing', async (t) => {
  const place = await engine.createDatabase(cleanUp);
  const store = await openTestStore(t, place);
  await sql`insert into contact_messages (id, sealed, sealed_by, received_at, purge_at)
    select 'message ' || number, '', 'browser', 1, 2 from generate_series(1, 1000) as number`.execute(
    store.records,
  );
  await deleteMessages(store, 1);
  assert.equal(await countVacuums(store), 1);
  await deleteMessages(store, 5);
  assert.equal(await countVacuums(store), 1);
  await deleteMessages(store, 10);
  assert.equal(await countVacuums(store), 2);
  await deleteMessages(store, 1);
  assert.equal(await countVacuums(store), 2);
  assert.equal(await countVacuums(await openTestStore(t, place)), 3);
});
