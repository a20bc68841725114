/** Shred keys: one per case, stored apart from the records; deleting it makes every copy of the case unreadable. */
import { createSecretKey, randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import { padForErasure, stripErasurePadding } from './overflow-bytes.ts';
import { decryptBox, encryptBox } from './secret-box.ts';
import type { SqlBoolean } from './tables.ts';

const KEY_BYTES = 32;

export interface ShredKeyTables {
  shred_keys: {
    case_id: string;
    key: Uint8Array;
    /** 0 until the case is known to be stored; finds keys that have no case. */
    bound: SqlBoolean;
    made_at: number;
  };
}

type ShredKeys = Kysely<ShredKeyTables>;

export const shredKeysSql = [
  `create table if not exists shred_keys (
    case_id text not null primary key,
    key bytea not null,
    bound smallint not null check (bound in (0, 1)),
    made_at bigint not null
  ) without rowid`,
  'create index if not exists shred_keys_unbound on shred_keys (made_at) where bound = 0',
] as const;

/** Encrypts `secret` under a new shred key for the case. */
export async function encryptWithShredKey(
  keys: ShredKeys,
  caseId: string,
  secret: Uint8Array,
  now: number,
): Promise<Uint8Array> {
  const key = randomBytes(KEY_BYTES);
  await keys
    .insertInto('shred_keys')
    .values({ case_id: caseId, key: padForErasure(key), bound: 0, made_at: now })
    .execute();
  return padForErasure(encryptBox(createSecretKey(key), secret, caseId));
}

/** Returns null if the key has been deleted. */
export async function decryptWithShredKey(
  keys: ShredKeys,
  caseId: string,
  box: Uint8Array,
): Promise<Uint8Array | null> {
  const row = await keys
    .selectFrom('shred_keys')
    .select('key')
    .where('case_id', '=', caseId)
    .executeTakeFirst();
  return row
    ? decryptBox(createSecretKey(stripErasurePadding(row.key)), stripErasurePadding(box), caseId)
    : null;
}

/** Returns false if the key has been deleted, and so the case is lost. */
export async function bindShredKey(keys: ShredKeys, caseId: string): Promise<boolean> {
  const { numUpdatedRows } = await keys
    .updateTable('shred_keys')
    .set({ bound: 1 })
    .where('case_id', '=', caseId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Lists the case ids of bound keys, page by page. */
export async function listBoundShredKeys(keys: ShredKeys, after: string, limit: number): Promise<string[]> {
  const rows = await keys
    .selectFrom('shred_keys')
    .select('case_id')
    .where('bound', '=', 1)
    .where('case_id', '>', after)
    .orderBy('case_id')
    .limit(limit)
    .execute();
  return rows.map(({ case_id }) => case_id);
}

export async function deleteShredKeys(keys: ShredKeys, caseIds: readonly string[]): Promise<void> {
  if (caseIds.length > 0) await keys.deleteFrom('shred_keys').where('case_id', 'in', caseIds).execute();
}

/** Lists the case ids of keys whose case was never confirmed as stored. */
export async function listUnboundShredKeys(
  keys: ShredKeys,
  before: number,
  limit: number,
): Promise<string[]> {
  const rows = await keys
    .selectFrom('shred_keys')
    .select('case_id')
    .where('bound', '=', 0)
    .where('made_at', '<', before)
    .orderBy('made_at')
    .limit(limit)
    .execute();
  return rows.map(({ case_id }) => case_id);
}
