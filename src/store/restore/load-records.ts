/** Loads copied records and shred keys into an empty place, where they then belong together. */
import { Kysely } from 'kysely';
import { listCasesWithoutKey } from '../cases/key-inspection.ts';
import type { DatabaseEngine } from '../engine/engine.ts';
import { createCommit } from '../engine/group-commit.ts';
import type { ReaderOptions } from '../engine/records-reader.ts';
import { updateRows } from '../engine/selected-rows.ts';
import { insertPreviousInstallations, replaceInstallation } from '../keys/installation.ts';
import type { Installation, ShredKeyCopy, ShredKeys } from '../keys/shred-keys.ts';
import { migrateSchema } from '../schema/migrate.ts';
import { schemaSteps } from '../schema/schema-steps.ts';
import type { Records, Tables } from '../schema/tables.ts';
import { openDatabaseEngine } from '../store.ts';
import { type CopiedItem, insertItems } from './insert-items.ts';

export interface RecordsToLoad {
  /** How many steps of the schema the records had. */
  readonly steps: number;
  readonly items: AsyncIterable<CopiedItem>;
  readonly keys: readonly ShredKeyCopy[];
  /** The installation ids under which earlier backups were written. */
  readonly previous: readonly Installation[];
}

export interface LoadedRecords {
  readonly rows: Readonly<Record<string, number>>;
  /** Cases whose key was destroyed after the records were copied: marked for purge. */
  readonly purged: number;
  /** Cases whose key was damaged already. */
  readonly unreadable: number;
  /** Keys of cases that were created after the records were copied. */
  readonly missing: number;
}

/** The rows are inserted at the schema that they were copied from, and then migrated like any others. */
export async function loadRecords(options: ReaderOptions, copy: RecordsToLoad): Promise<LoadedRecords> {
  const engine = await openDatabaseEngine({ ...options, restoring: true });
  const db = new Kysely<Tables>({ dialect: engine.dialect });
  let shredKeys: ShredKeys | undefined;
  try {
    const schema = { ...options, db, engine };
    await migrateSchema({ ...schema, steps: schemaSteps.slice(0, copy.steps) });
    const rows = await insertItems({ db, engine }, copy.items);
    await migrateSchema({ ...schema, steps: schemaSteps });
    await engine.writeShredKeys(db, copy.keys);
    shredKeys = await engine.openShredKeys(db, options.clock);
    const counts = await joinWithKeys({ db, engine, shredKeys }, copy, options.clock.now());
    return { rows, ...counts };
  } finally {
    await db.destroy();
    await shredKeys?.close();
  }
}

interface LoadedStore {
  readonly db: Kysely<Tables>;
  readonly engine: DatabaseEngine;
  readonly shredKeys: ShredKeys;
}

async function joinWithKeys(
  { db, engine, shredKeys }: LoadedStore,
  { keys, previous }: RecordsToLoad,
  now: number,
): Promise<Omit<LoadedRecords, 'rows'>> {
  const commit = createCommit(db, engine.mayRetry, shredKeys);
  const missing = await countKeysWithoutCase(db, keys);
  const lost = { purged: 0, unreadable: 0 };
  for await (const { id, state } of listCasesWithoutKey(db, shredKeys)) {
    lost[state === 'damaged' ? 'unreadable' : 'purged'] += 1;
    // The keys are newer than the records, so a missing key was destroyed.
    if (state !== 'damaged')
      await commit((records) => updateRows(records, 'cases', { id }, { purging: 1, purge_at: now }));
  }
  await commit((records) => insertPreviousInstallations(records, previous));
  await replaceInstallation({ commit, shredKeys });
  return { ...lost, missing };
}

async function countKeysWithoutCase(records: Records, keys: readonly ShredKeyCopy[]): Promise<number> {
  const rows = await records.selectFrom('cases').select(['id', 'shred_id']).execute();
  const known = new Set(rows.map(({ id, shred_id: slotId }) => slotId ?? id));
  return keys.filter(({ id, key }) => key !== null && !known.has(id)).length;
}
