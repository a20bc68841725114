/** An acknowledged write survives a crash of the process; for the database server: restarts-under-load.test.ts. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { findOrder, insertOrder } from '#store/orders/orders.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { waitUntil } from '#test/patience.ts';
import { scale } from '#test/scale.ts';
import { startProgram } from '#test/service-process.ts';
import { openTestStore, sqliteUnderTest } from '#test/store/engines.ts';
import { createSampleOrder } from '#test/store/sample-order.ts';

const ROUNDS = scale.writerKills;

test('repeated kill -9 while writing loses no acknowledged row and leaves the file intact', async (t) => {
  const folder = await createTemporaryFolder(t);
  const acknowledged: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const program = startProgram(t, 'test/faults/order-writer.ts', { DATA_DIR: folder });
    await waitUntil('six rows are written', () => program.readOutput().split('\n').length > 6);
    await sleep(Math.random() * 150);
    program.process.kill('SIGKILL');
    assert.equal(await program.ended, 'SIGKILL');
    // The last line may be half written; it counts only when complete.
    acknowledged.push(...program.readOutput().split('\n').slice(0, -1));
  }
  const database = new DatabaseSync(join(folder, 'inquiry-office.db'));
  t.after(() => database.close());
  const stored = new Set(
    database
      .prepare('select id from orders')
      .all()
      .map(({ id }) => id),
  );
  assert.ok(acknowledged.length > ROUNDS * 5, `${acknowledged.length} rows`);
  assert.deepEqual(
    acknowledged.filter((id) => !stored.has(id)),
    [],
  );
  assert.deepEqual({ ...database.prepare('pragma integrity_check').get() }, { integrity_check: 'ok' });
});

test('every acknowledged write on SQLite was synced to disk first', async (t) => {
  const { records } = await openTestStore(t, await sqliteUnderTest.createDatabase(t));
  const readPragma = async (name: string) =>
    Object.values((await sql.raw(`pragma ${name}`).execute(records)).rows[0] ?? {});
  assert.deepEqual(await readPragma('journal_mode'), ['wal']);
  assert.deepEqual(await readPragma('synchronous'), [2]);
  assert.deepEqual(await readPragma('secure_delete'), [1]);
  assert.deepEqual(await readPragma('foreign_keys'), [1]);
});

test('a write to a full disk is refused and changes nothing, and the store works again when there is space', async (t) => {
  const store = await openTestStore(t, await sqliteUnderTest.createDatabase(t));
  const setMaxPages = (pages: number) => sql.raw(`pragma max_page_count = ${pages}`).execute(store.records);
  await setMaxPages(1);
  const ciphertext = new Uint8Array(100_000);
  const order = createSampleOrder({ session_ciphertext: ciphertext });
  const error: unknown = await store
    .transaction((records) => insertOrder(records, order))
    .catch((caught: unknown) => caught);
  assert.equal(store.translate(error)?.code, 'storage_unavailable');
  assert.equal(await findOrder(store.records, order.id), undefined);
  await setMaxPages(100_000);
  await store.transaction((records) => insertOrder(records, order));
  assert.ok(await findOrder(store.records, order.id));
});
