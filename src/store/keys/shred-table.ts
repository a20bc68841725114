/** The shred keys on PostgreSQL: a separate table, written together with the cases. */
import { randomBytes } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { prepareQuery } from '../engine/prepared.ts';
import type { Records, Tables } from '../schema/tables.ts';
import { createMismatch } from './installation.ts';
import { SHRED_KEY_BYTES } from './key-slot.ts';
import type { Installation, ShredKeyCopy, ShredKeys } from './shred-keys.ts';

const INSERT_BATCH = 500;

interface ShredKeyTables extends Tables {
  shred_keys: { case_id: string; key: Uint8Array };
  shred_installation: { id: 1; installation_id: string; generation: number };
}

export function createShredTable(db: Records): ShredKeys {
  return {
    begin: () => {},
    countCreated: () => 0,
    discardCreated: () => {},
    sync: async () => {},
    close: async () => {},
    create: async (records, caseId) => {
      const key = randomBytes(SHRED_KEY_BYTES);
      await insertShredKey(records, { caseId, key });
      return { key, place: { key_slot: null, shred_id: null } };
    },
    destroy: async (records, caseIds) => {
      if (caseIds.length === 0) return;
      const tables = toShredTables(records);
      const purging = tables
        .selectFrom('cases')
        .select('id')
        .where('id', 'in', caseIds)
        .where('purging', '=', 1);
      await tables.deleteFrom('shred_keys').where('case_id', 'in', purging).execute();
    },
    read: async ({ id }) => {
      const [row] = await selectShredKey(db, { caseId: id });
      return row?.key ?? null;
    },
    inspect: async (records, cases) => {
      const ids = cases.map(({ id }) => id);
      const query = toShredTables(records).selectFrom('shred_keys').select('case_id');
      const rows = ids.length === 0 ? [] : await query.where('case_id', 'in', ids).execute();
      const present = new Set(rows.map(({ case_id: id }) => id));
      // A freed key also counts as missing: its deleted row leaves no trace.
      return ids.map((id) => (present.has(id) ? 'present' : 'missing'));
    },
    copy: async (records) => {
      const rows = await toShredTables(records).selectFrom('shred_keys').selectAll().execute();
      return rows.map(({ case_id: id, key }) => ({ slot: null, id, freedOn: null, key }));
    },
    hasAny: async (records) => {
      const query = toShredTables(records).selectFrom('shred_keys').select('case_id').limit(1);
      return (await query.executeTakeFirst()) !== undefined;
    },
    readInstallation,
    writeInstallation: async (records, { id, generation }) => {
      const values = { installation_id: id, generation };
      await toShredTables(records)
        .insertInto('shred_installation')
        .values({ id: 1, ...values })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
        .execute();
    },
  };
}

export const insertShredKey = prepareQuery<{ readonly caseId: string; readonly key: Uint8Array }, unknown>(
  (records, { caseId, key }) =>
    toShredTables(records).insertInto('shred_keys').values({ case_id: caseId, key }),
);

const selectShredKey = prepareQuery<{ readonly caseId: string }, { key: Uint8Array }>((records, { caseId }) =>
  toShredTables(records).selectFrom('shred_keys').select('key').where('case_id', '=', caseId),
);

/** Puts copied keys into the empty table. */
export async function insertShredKeys(records: Records, copies: readonly ShredKeyCopy[]): Promise<void> {
  const rows = copies.flatMap(({ id, key }) => (key ? [{ case_id: id, key }] : []));
  for (let at = 0; at < rows.length; at += INSERT_BATCH)
    await toShredTables(records)
      .insertInto('shred_keys')
      .values(rows.slice(at, at + INSERT_BATCH))
      .execute();
}

async function readInstallation(records: Records): Promise<Installation | null> {
  const tables = toShredTables(records);
  const row = await tables.selectFrom('shred_installation').selectAll().executeTakeFirst();
  return row ? { id: row.installation_id, generation: row.generation } : null;
}

/** A dump that was made without these tables and restored into an empty database lacks them. */
export async function requireShredTables(records: Records): Promise<void> {
  const { rows } = await sql<{ missing: boolean }>`
    select to_regclass('shred_keys') is null or to_regclass('shred_installation') is null as missing`.execute(
    records,
  );
  if (rows[0]?.missing) throw createMismatch('the tables of the shred keys are missing');
}

function toShredTables(records: Records): Kysely<ShredKeyTables> {
  return records as unknown as Kysely<ShredKeyTables>;
}
