/** The shred keys on PostgreSQL: a table of their own, written together with the cases. */
import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { ShredKeys } from './shred-keys.ts';
import { SHRED_KEY_BYTES } from './shred-slot.ts';
import type { Records, Tables } from './tables.ts';

interface ShredKeyTables extends Tables {
  shred_keys: { case_id: string; key: Uint8Array };
}

export const shredKeysSql = [
  `create table if not exists shred_keys (
    case_id text not null primary key,
    key bytea not null,
    bound smallint not null check (bound in (0, 1)),
    made_at bigint not null
  ) without rowid`,
  'create index if not exists shred_keys_unbound on shred_keys (made_at) where bound = 0',
] as const;

/** Nothing looks for keys without a case any more. */
export const unboundShredKeysSql = [
  'drop index shred_keys_unbound',
  'alter table shred_keys drop column bound',
  'alter table shred_keys drop column made_at',
] as const;

export function createShredTable(db: Records): ShredKeys {
  return {
    begin: () => {},
    sync: async () => {},
    close: async () => {},
    create: async (records, caseId) => {
      const key = randomBytes(SHRED_KEY_BYTES);
      await toShredTables(records).insertInto('shred_keys').values({ case_id: caseId, key }).execute();
      return { key, place: { shred_slot: null, shred_id: null } };
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
      const query = toShredTables(db).selectFrom('shred_keys').select('key').where('case_id', '=', id);
      const row = await query.executeTakeFirst();
      // Version 0.1.0 put zeros before it.
      return row ? row.key.subarray(-SHRED_KEY_BYTES) : null;
    },
  };
}

function toShredTables(records: Records): Kysely<ShredKeyTables> {
  return records as unknown as Kysely<ShredKeyTables>;
}
