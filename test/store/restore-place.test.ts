/** A restore overwrites nothing that was created in its place while the backup was being read. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import test, { after } from 'node:test';
import { Client } from 'pg';
import { readConfig } from '#platform/config/config.ts';
import { toDatabasePath } from '#store/engine/sqlite.ts';
import { openPostgresRestorePlace } from '#store/restore/postgres-restore-place.ts';
import { openSqliteRestorePlace } from '#store/restore/sqlite-restore-place.ts';
import { toRestoreFolder } from '#store/restore/unfinished-restore.ts';
import { createTemporaryFolder, withReverseCleanup } from '#test/cleanup.ts';
import { openPostgresEngine, TEST_MASTER_KEY, testKeyring } from './engines.ts';

const postgres = await openPostgresEngine(withReverseCleanup({ after }));
const refusal = { exitCode: 73, message: /a restore needs an empty/ };

test('a data folder that was taken meanwhile is refused, before the restore and at its end', async (t) => {
  for (const taken of ['before', 'at the end']) {
    const dataDir = await createTemporaryFolder(t);
    const place = await openSqliteRestorePlace(readConfig({ DATA_DIR: dataDir }), testKeyring);
    if (taken === 'at the end') {
      await place.prepare();
      await writeFile(toDatabasePath(toRestoreFolder(dataDir)), 'restored');
    }
    await writeFile(toDatabasePath(dataDir), 'of another');
    await assert.rejects(taken === 'before' ? place.prepare() : place.complete('{}'), refusal);
    assert.equal(await readFile(toDatabasePath(dataDir), 'utf8'), 'of another');
    assert.equal(existsSync(toRestoreFolder(dataDir)), taken === 'at the end');
  }
});

test('a database that was taken meanwhile is refused, and has no mark', async (t) => {
  const { url, query } = await openDatabase(t);
  const place = await openPostgresRestorePlace(
    readConfig({ MASTER_KEY: TEST_MASTER_KEY, DATABASE_URL: url }),
    url,
  );
  t.after(() => place.close());
  await query('create table cases (id text)');
  await assert.rejects(place.prepare(), refusal);
  assert.deepEqual(await listTables(query), ['public.cases']);
});

test('tables of another program in a later schema of the search path stay', async (t) => {
  const { url, query } = await openDatabase(t);
  for (const statement of ['create schema office', 'create table cases (id text)']) await query(statement);
  await query('create table unfinished_restore (id text)');
  const inOffice = `${url}${url.includes('?') ? '&' : '?'}options=${encodeURIComponent('-c search_path=office,public')}`;
  const open = () =>
    openPostgresRestorePlace(readConfig({ MASTER_KEY: TEST_MASTER_KEY, DATABASE_URL: inOffice }), inOffice);
  const killed = await open();
  await killed.prepare();
  await query('create table office.cases (id text)');
  await killed.close();
  const place = await open();
  await place.prepare();
  assert.deepEqual(await listTables(query), [
    'office.unfinished_restore',
    'public.cases',
    'public.unfinished_restore',
  ]);
  await place.abandon();
  await place.close();
  assert.deepEqual(await listTables(query), ['public.cases', 'public.unfinished_restore']);
});

type Query = (statement: string) => Promise<Record<string, unknown>[]>;

async function openDatabase(t: test.TestContext): Promise<{ url: string; query: Query }> {
  const { env } = await postgres.createDatabase(t);
  const url = env['DATABASE_URL'] ?? '';
  const client = new Client({ connectionString: url });
  await client.connect();
  t.after(() => client.end());
  return { url, query: async (statement) => (await client.query(statement)).rows };
}

async function listTables(query: Query): Promise<unknown[]> {
  const rows = await query(
    `select schemaname || '.' || tablename as name from pg_tables where schemaname in ('public', 'office') order by 1`,
  );
  return rows.map(({ name }) => name);
}
