/** The shred keys on PostgreSQL: a separate table, written together with the cases. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { prepareFind, prepareInsert } from '../engine/prepared.ts';
import { chooseRows } from '../engine/selected-rows.ts';
import type { Records } from '../schema/tables.ts';
import { createMismatch, readInstallation, writeInstallation } from './installation.ts';
import { SHRED_KEY_BYTES } from './key-slot.ts';
import type { ShredKeyCopy, ShredKeys } from './shred-keys.ts';

const INSERT_BATCH = 500;

export function createShredTable(db: Records): ShredKeys {
  return {
    begin: () => {},
    countCreated: () => 0,
    discardCreated: () => {},
    sync: async () => {},
    close: async () => {},
    create: async (records, caseId) => {
      const key = randomBytes(SHRED_KEY_BYTES);
      await insertShredKey(records, { case_id: caseId, key });
      return { key, place: { key_slot: null, shred_id: null } };
    },
    destroy: async (records, caseIds) => {
      if (caseIds.length === 0) return;
      const purging = chooseRows(records, 'cases', { id: ['in', caseIds], purging: 1 }).select('id');
      await records.deleteFrom('shred_keys').where('case_id', 'in', purging).execute();
    },
    read: async ({ id }) => (await findShredKey(db, id))?.key ?? null,
    inspect: async (records, cases) => {
      const ids = cases.map(({ id }) => id);
      const query = records.selectFrom('shred_keys').select('case_id');
      const rows = ids.length === 0 ? [] : await query.where('case_id', 'in', ids).execute();
      const present = new Set(rows.map(({ case_id: id }) => id));
      // A freed key also counts as missing: its deleted row leaves no trace.
      return ids.map((id) => (present.has(id) ? 'present' : 'missing'));
    },
    copy: async (records) => {
      const rows = await records.selectFrom('shred_keys').selectAll().execute();
      return rows.map(({ case_id: id, key }) => ({ slot: null, id, freedOn: null, key }));
    },
    hasAny: async (records) => {
      const query = records.selectFrom('shred_keys').select('case_id').limit(1);
      return (await query.executeTakeFirst()) !== undefined;
    },
    readInstallation: async (records) => await readInstallation(records, 'shred_installation'),
    writeInstallation: async (records, installation) =>
      await writeInstallation(records, 'shred_installation', installation),
  };
}

export const insertShredKey = prepareInsert('shred_keys');
const findShredKey = prepareFind('shred_keys', 'case_id');

/** Puts copied keys into the empty table. */
export async function insertShredKeys(records: Records, copies: readonly ShredKeyCopy[]): Promise<void> {
  const rows = copies.flatMap(({ id, key }) => (key ? [{ case_id: id, key }] : []));
  for (let at = 0; at < rows.length; at += INSERT_BATCH)
    await records
      .insertInto('shred_keys')
      .values(rows.slice(at, at + INSERT_BATCH))
      .execute();
}

/** A dump that was made without these tables and restored into an empty database lacks them. */
export async function requireShredTables(records: Records): Promise<void> {
  const { rows } = await sql<{ missing: boolean }>`
    select to_regclass('shred_keys') is null or to_regclass('shred_installation') is null as missing`.execute(
    records,
  );
  if (rows[0]?.missing) throw createMismatch('the tables of the shred keys are missing');
}
