/** Released databases are upgraded by a start; those that do not fit are refused before anything is changed. */
import assert from 'node:assert/strict';
import test, { after, suite, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { systemClock } from '#platform/clock.ts';
import { readConfig } from '#platform/config.ts';
import { EXIT_CODES, StartError } from '#platform/exit-codes.ts';
import { deriveWordKeys } from '#seal/words.ts';
import { schemaMigrations } from '#store/migrations.ts';
import { hashStep } from '#store/schema-step.ts';
import { openStore, type Store } from '#store/store.ts';
import { findCaseByWords, openStoredCaseKey, openStoredInquiry } from '#test/cases/stored-case.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import {
  type EngineUnderTest,
  listEngines,
  openPostgresEngine,
  openTestStore,
  silentLog,
  type TestDatabase,
} from './engines.ts';
import { fillReleasedDatabase, type ReleasedDatabase } from './released-database.ts';

const cleanUp = withReverseCleanup({ after });

async function createReleased(engine: EngineUnderTest) {
  const place = await engine.createDatabase(cleanUp);
  return { place, released: await fillReleasedDatabase(engine, place, '0.1.0') };
}

async function assertCaseOpens(store: Store, { words, deskKey }: ReleasedDatabase): Promise<void> {
  const record = await findCaseByWords({ store }, words);
  assert.ok(record);
  for (const identity of [deskKey, (await deriveWordKeys(words)).identity]) {
    const key = await openStoredCaseKey({ store }, record, identity);
    assert.match((await openStoredInquiry({ store }, record, key)).question, /CANARY-QUESTION/);
  }
}

async function assertRefused(opening: Promise<Store>, reason: RegExp): Promise<void> {
  await assert.rejects(opening, (error: unknown) => {
    assert.ok(error instanceof StartError, String(error));
    assert.equal(error.exitCode, EXIT_CODES.config);
    assert.match(error.message, reason);
    return true;
  });
}

async function openWithoutMigrating(t: TestContext, { env }: TestDatabase): Promise<Store> {
  const options = { clock: systemClock, log: silentLog, migrates: false };
  const store = await openStore({ config: readConfig(env), ...options });
  withReverseCleanup(t).after(() => store.close());
  return store;
}

for (const engine of await listEngines(cleanUp))
  suite(`an upgrade on ${engine.name}`, () => {
    test('brings a database of 0.1.0 up to date, by many starts at once, and its case opens', async (t) => {
      const { place, released } = await createReleased(engine);
      const stores = await Promise.all([1, 2, 3].map(() => openTestStore(t, place)));
      for (const store of stores) await assertCaseOpens(store, released);
      assert.deepEqual(await stores[0]!.listMissingColumns(), []);
      const { rows } = await sql<{ hash: string }>`select hash from schema_hashes order by version`.execute(
        stores[0]!.records,
      );
      assert.equal(rows.length, schemaMigrations.length);
      for (const { hash } of rows) assert.match(hash, /^[0-9a-f]{64}$/);
      await assertCaseOpens(await openWithoutMigrating(t, place), released);
    });

    test('is not made by a command, which says what to do', async (t) => {
      const { place, released } = await createReleased(engine);
      await assertRefused(openWithoutMigrating(t, place), /earlier version; start the service/);
      await assertCaseOpens(await openTestStore(t, place), released);
    });

    test('is refused if columns are missing that its steps make, and nothing is changed', async (t) => {
      const { place } = await createReleased(engine);
      const breakSchema = [
        'drop index cases_by_owner',
        'alter table cases drop column owner',
        'drop table users',
      ];
      await runStatements(engine, place, breakSchema);
      await assertRefused(openTestStore(t, place), /cases\.owner, table users;.*office doctor/);
      await assertRefused(openWithoutMigrating(t, place), /earlier version/);
    });

    test('is refused by the name of a step that is not the one that was applied', async (t) => {
      const { place } = await createReleased(engine);
      const store = await openTestStore(t, place);
      await sql`update schema_hashes set hash = 'another' where version = 3`.execute(store.records);
      for (const open of [openTestStore, openWithoutMigrating])
        await assertRefused(open(t, place), /another schema step 3 "cases"/);
    });

    test('that was made before a table was lost is noticed', async (t) => {
      const { place } = await createReleased(engine);
      const store = await openTestStore(t, place);
      await sql`drop table case_alerts`.execute(store.records);
      await sql`drop index orders_held`.execute(store.records);
      await sql`alter table orders drop column held`.execute(store.records);
      assert.deepEqual(await store.listMissingColumns(), ['orders.held', 'table case_alerts']);
      await assertRefused(openTestStore(t, place), /orders\.held, table case_alerts/);
    });
  });

test('a dump of PostgreSQL without its shred keys is refused by their name', async (t) => {
  const engine = await openPostgresEngine(cleanUp);
  const { place } = await createReleased(engine);
  await runStatements(engine, place, ['drop table shred_keys']);
  await assertRefused(openTestStore(t, place), /table shred_keys/);
});

test('the hash of a step is that of what is executed, without its indentation', () => {
  const engine = { name: 'postgres' } as const;
  const hash = (...statements: string[]) => hashStep({ name: 'a', sql: statements }, engine);
  assert.equal(hash('create table a (\n  b text\n) without rowid'), hash('create table a ( b text )'));
  assert.notEqual(hash('create table a (b text)'), hash('create table a (c text)'));
  assert.notEqual(hash('drop table a', 'drop table b'), hash('drop table b', 'drop table a'));
  assert.equal(hashStep({ name: 'a', on: 'sqlite', sql: ['drop table a'] }, engine), hash());
});

async function runStatements(
  { name }: Pick<EngineUnderTest, 'name'>,
  { env }: TestDatabase,
  statements: readonly string[],
): Promise<void> {
  if (name === 'postgres') {
    const { Client } = await import('pg');
    const client = new Client(env['DATABASE_URL']);
    await client.connect();
    await client.query(statements.join(';'));
    return await client.end();
  }
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(`${env['DATA_DIR']}/inquiry-office.db`);
  database.exec(statements.join(';'));
  database.close();
}
