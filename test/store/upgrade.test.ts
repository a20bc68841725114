/** A start upgrades the records of every release; it refuses other records before anything is changed. */
import assert from 'node:assert/strict';
import test, { after, suite, type TestContext } from 'node:test';
import { Kysely, sql } from 'kysely';
import { systemClock } from '#platform/clock.ts';
import { readConfig } from '#platform/config/config.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { findCase } from '#store/cases/cases.ts';
import { migrateSchema } from '#store/schema/migrate.ts';
import { hashStep, type SchemaStep } from '#store/schema/schema-step.ts';
import { schemaSteps } from '#store/schema/schema-steps.ts';
import type { Tables } from '#store/schema/tables.ts';
import { openDatabaseEngine, openStore, type Store } from '#store/store.ts';
import { openApiTestbed, samplePlainInquiry } from '#test/api/api-testbed.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { createDataFolder } from '#test/data-folder.ts';
import { isLongRun } from '#test/scale.ts';
import {
  type EngineUnderTest,
  openPostgresEngine,
  openTestStore,
  silentLog,
  sqliteUnderTest,
  TEST_MASTER_KEY,
  type TestDatabase,
} from './engines.ts';
import {
  assertReleasedOpens,
  fillReleasedDatabase,
  RELEASED_VERSIONS,
  type ReleasedVersion,
} from './released-database.ts';

const cleanUp = withReverseCleanup({ after });
const engines = [sqliteUnderTest, await openPostgresEngine(cleanUp)];

async function createReleased(engine: EngineUnderTest, version: ReleasedVersion) {
  const place = await engine.createDatabase(cleanUp);
  return { place, released: await fillReleasedDatabase(engine, place, version) };
}

async function assertRefused(opening: Promise<unknown>, reason: RegExp): Promise<void> {
  await assert.rejects(opening, (error: unknown) => {
    assert.ok(error instanceof ProgramError, String(error));
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

for (const engine of engines)
  suite(`an upgrade on ${engine.name}`, () => {
    // A start on PostgreSQL takes longer than all other steps, and the statements are the same.
    const isWhole = isLongRun || engine.name === 'sqlite';
    for (const version of RELEASED_VERSIONS) {
      test(`takes the records of ${version} over, by many starts at once, and everything opens`, async (t) => {
        const { place, released } = await createReleased(engine, version);
        const further = `insert into object_pieces (object_id, piece, size, bytes)
          select object_id, 3, size, bytes from object_pieces where piece = 1`;
        if (version === '0.1.0') await runStatements(engine, place, [further]);
        const stores = await Promise.all([1, 2, 3].map(() => openTestStore(t, place)));
        for (const store of stores) await assertReleasedOpens(store, released);
        const { records } = stores[0]!;
        const pieces = await records.selectFrom('object_pieces').select('piece').orderBy('piece').execute();
        assert.deepEqual(
          pieces.map(({ piece }) => piece),
          [1, 3],
          'the piece between them never arrived',
        );
        assert.deepEqual(await stores[0]!.listMissingColumns(), []);
        const { rows } = await sql`select name, hash from schema_hashes`.execute(records);
        const steps = schemaSteps.map((step) => ({ name: step.name, hash: hashStep(step, engine.name) }));
        assert.deepEqual(
          rows.map((row) => ({ ...(row as object) })),
          steps,
        );
        const names = (await records.introspection.getTables()).map(({ name }) => name);
        assert.deepEqual(
          names.filter((name) => /^previous_|schema_version/.test(name)),
          ['previous_installations'],
        );
        await assertReleasedOpens(await openWithoutMigrating(t, place), released);
      });

      if (isWhole)
        test(`leaves a client of ${version} its token, its order and its case`, async (t) => {
          const { place, released } = await createReleased(engine, version);
          const dataDir = place.env['DATA_DIR'] ?? (await createDataFolder(t));
          const names = ['DESK_RECIPIENTS', 'RECOVERY_RECIPIENT'];
          const recipients = Object.fromEntries(names.map((name) => [name, released.read(name)]));
          const env = { ...place.env, ...recipients, DATA_DIR: dataDir, MASTER_KEY: TEST_MASTER_KEY };
          const at = Date.parse(released.read('at'));
          const shop = await openApiTestbed(t, { env, clock: { now: () => at } });
          const client = { clientId: released.read('client'), clientSecret: '' };
          const agent = shop.createAgentWithToken(client, released.read('authorization'));
          const read = await agent.request('GET', `/cases/${released.read('agent case')}`);
          assert.equal(read.status, 200, read.text);
          const body = { order_id: released.read('order'), plain: { inquiry: samplePlainInquiry } };
          assert.equal((await agent.submit(body)).status, 201);
          assert.equal((await agent.submit(body)).status, 409, 'and that once');
          assert.ok(await findCase(shop.store.records, released.read('case'), at));
        });
    }

    if (isWhole)
      test('is not made by a command, which says what to do', async (t) => {
        const { place, released } = await createReleased(engine, '0.1.0');
        await assertRefused(openWithoutMigrating(t, place), /earlier version; start the service/);
        await assertReleasedOpens(await openTestStore(t, place), released);
      });

    test('is refused for records of an earlier commit, and nothing is changed', async (t) => {
      const { place } = await createReleased(engine, '0.1.0');
      for (const change of [
        "update schema_hashes set hash = 'another' where version = 3",
        'delete from schema_version where version = 60',
        'drop table schema_hashes',
      ]) {
        await runStatements(engine, place, [change]);
        const before = await readEverything(engine, place);
        for (const open of [openTestStore, openWithoutMigrating])
          await assertRefused(open(t, place), /commit d6754aa with them once, then this version/);
        assert.deepEqual(await readEverything(engine, place), before);
      }
    });

    test('is refused by the name of a step that is not the one that was applied', async (t) => {
      const place = await engine.createDatabase(cleanUp);
      const store = await openTestStore(t, place);
      await sql`update schema_hashes set hash = 'another'`.execute(store.records);
      for (const open of [openTestStore, openWithoutMigrating])
        await assertRefused(open(t, place), /a schema step "001 first release" that differs/);
    });

    test('that was made before a table was lost is noticed', async (t) => {
      const place = await engine.createDatabase(cleanUp);
      const store = await openTestStore(t, place);
      await sql`drop table case_alerts`.execute(store.records);
      await sql`drop index orders_on_hold`.execute(store.records);
      await sql`alter table orders drop column on_hold`.execute(store.records);
      assert.deepEqual(await store.listMissingColumns(), ['orders.on_hold', 'table case_alerts']);
      await assertRefused(openTestStore(t, place), /orders\.on_hold, table case_alerts/);
    });

    if (isWhole)
      test('by a later step happens once, whole, and with its hash', async (t) => {
        const place = await engine.createDatabase(cleanUp);
        await openTestStore(t, place);
        const next: SchemaStep = {
          name: '002 for a test',
          sql: ['create table later (id text not null primary key) without rowid'],
        };
        const broken = { ...next, sql: [...next.sql, 'create table later (id text)'] };
        const migrate = async (step: SchemaStep) => {
          const opened = await openDatabaseEngine({ config: readConfig(place.env), log: silentLog });
          const db = new Kysely<Tables>({ dialect: opened.dialect });
          withReverseCleanup(t).after(() => db.destroy());
          await migrateSchema({ db, engine: opened, steps: [...schemaSteps, step], log: silentLog });
          return db;
        };
        await assert.rejects(migrate(broken), /later/);
        const [db] = await Promise.all([migrate(next), migrate(next)]);
        const { rows } = await sql<{
          hash: string;
        }>`select hash from schema_hashes where name = ${next.name}`.execute(db);
        assert.deepEqual(
          rows.map(({ hash }) => hash),
          [hashStep(next, engine.name)],
        );
        await assertRefused(
          migrate({ ...next, sql: ['create table other (id text)'] }),
          /a schema step "002 for a test" that differs/,
        );
        await assertRefused(openTestStore(t, place), /"002 for a test", which this version does not know/);
      });
  });

test('the hash of a step is that of what is executed, without its indentation', () => {
  const hash = (...statements: string[]) => hashStep({ name: 'a', sql: statements }, 'postgres');
  assert.equal(hash('create table a (\n  b text\n) without rowid'), hash('create table a ( b text )'));
  assert.notEqual(hash('create table a (b text)'), hash('create table a (c text)'));
  assert.notEqual(hash('drop table a', 'drop table b'), hash('drop table b', 'drop table a'));
  assert.equal(hashStep({ name: 'a', sql: [], sqlite: ['drop table a'] }, 'postgres'), hash());
});

async function runStatements(
  engine: EngineUnderTest,
  { env }: TestDatabase,
  statements: readonly string[],
): Promise<readonly object[][]> {
  if (engine.name === 'postgres') {
    const { Client } = await import('pg');
    const client = new Client(env['DATABASE_URL']);
    await client.connect();
    const answers = await Array.fromAsync(
      statements,
      async (text) => (await client.query(text)).rows as object[],
    );
    await client.end();
    return answers;
  }
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(`${env['DATA_DIR']}/inquiry-office.db`);
  const answers = statements.map((text) => database.prepare(text).all());
  database.close();
  return answers;
}

/** Reads the tables, and the rows of some of them. */
async function readEverything(engine: EngineUnderTest, place: TestDatabase): Promise<readonly object[][]> {
  const tables =
    engine.name === 'sqlite'
      ? 'select name, sql from sqlite_schema order by name'
      : 'select tablename from pg_tables where schemaname = current_schema() order by 1';
  const rows = ['cases', 'objects', 'orders', 'schema_version'].map((name) => `select * from ${name}`);
  return await runStatements(engine, place, [tables, ...rows]);
}
