/**
 * Writes the dumps of a release that later versions are tested with: what its service has stored on each engine, and
 * the keys that open it. Run it on the commit that is released; the dumps of a tagged version stay as they are.
 *
 *   npm run dump -- 1.0.1
 */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { Kysely, sql } from 'kysely';
import { readConfig } from '#platform/config/config.ts';
import { toShredKeysPath } from '#store/keys/orphaned-keys.ts';
import { migrateSchema } from '#store/schema/migrate.ts';
import { schemaSteps } from '#store/schema/schema-steps.ts';
import { listOurTableNames } from '#store/schema/schema-tables.ts';
import type { Tables } from '#store/schema/tables.ts';
import type { RecordValue } from '#store/schema/typed-columns.ts';
import { openDatabaseEngine, type Store } from '#store/store.ts';
import { openApiTestbed } from '#test/api/api-testbed.ts';
import { endProcessScope, processScope } from '#test/cleanup.ts';
import {
  type EngineUnderTest,
  openPostgresEngine,
  silentLog,
  sqliteUnderTest,
  TEST_MASTER_KEY,
} from '#test/store/engines.ts';
import { storeReleasedRecords } from '#test/store/released-records.ts';

async function writeDump(engine: EngineUnderTest, version: string): Promise<void> {
  const { env } = engine.name === 'sqlite' ? { env: {} } : await engine.createDatabase(processScope);
  const shop = await openApiTestbed(processScope, {
    env: { MASTER_KEY: TEST_MASTER_KEY, ...env },
    resolveHost: async () => ['93.184.215.14'],
  });
  const facts = Object.entries(await storeReleasedRecords(shop));
  if (engine.name === 'sqlite') {
    const slots = await readFile(toShredKeysPath(shop.dataDir));
    facts.push(['slots', gzipSync(slots).toString('base64')]);
  }
  const lines = [
    `-- Written by version ${version}: a delivered case of the website, one of a client, its unused order.`,
    ...facts.map(([name, value]) => `-- ${name}: ${value}`),
    ...(await listSchemaStatements(engine)),
    ...(await listInserts(shop.store)),
  ];
  await writeFile(`test/store/fixtures/${version}-${engine.name}.sql`, `${lines.join('\n')}\n`);
}

/** Records the statements as they are executed, because the packaged PostgreSQL has no pg_dump. */
async function listSchemaStatements(engine: EngineUnderTest): Promise<string[]> {
  const { env } = await engine.createDatabase(processScope);
  const opened = await openDatabaseEngine({ config: readConfig(env), log: silentLog });
  const executed: string[] = [];
  const db = new Kysely<Tables>({
    dialect: opened.dialect,
    log: ({ level, query }) => void (level === 'query' && executed.push(query.sql)),
  });
  await migrateSchema({ db, engine: opened, steps: schemaSteps, log: silentLog });
  await db.destroy();
  const made = executed.filter((text) => /^(?:create|alter|drop) /.test(text));
  return made.map((text) => `${text.replace(/\s+/g, ' ')};`);
}

async function listInserts({ engine, records }: Store): Promise<string[]> {
  const present = new Set((await records.introspection.getTables()).map(({ name }) => name));
  const formatValue = (value: RecordValue) => {
    if (value instanceof Uint8Array)
      return `${engine.name === 'sqlite' ? "x'" : String.raw`'\x`}${Buffer.from(value).toString('hex')}'`;
    return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
  };
  const inserts = await Array.fromAsync(listOurTableNames(), async (table) => {
    if (!present.has(table)) return [];
    const query = sql<Record<string, RecordValue>>`select * from ${sql.table(table)} order by 1`;
    return (await query.execute(records)).rows.map(
      (row) =>
        `insert into ${table} (${Object.keys(row).join(', ')}) values (${Object.values(row).map(formatValue).join(', ')});`,
    );
  });
  return inserts.flat();
}

const [version = ''] = process.argv.slice(2);
assert.match(version, /^\d+\.\d+\.\d+$/, 'say which version: npm run dump -- 1.0.1');
try {
  for (const engine of [sqliteUnderTest, await openPostgresEngine(processScope)])
    await writeDump(engine, version);
} finally {
  await endProcessScope();
}
