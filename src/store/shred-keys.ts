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
    /** Always 1; version 0.1.0 set it only after the case was stored. */
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
    .values({ case_id: caseId, key: padForErasure(key), bound: 1, made_at: now })
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

export async function deleteShredKeys(keys: ShredKeys, caseIds: readonly string[]): Promise<void> {
  if (caseIds.length > 0) await keys.deleteFrom('shred_keys').where('case_id', 'in', caseIds).execute();
}
