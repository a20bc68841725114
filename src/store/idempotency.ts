/** What each Idempotency-Key made: the id of the record and a tag of the body, never an answer. */
import type { Records } from './tables.ts';

export const IDEMPOTENCY_KEY_LIFETIME_MS = 86_400_000;

interface Use {
  readonly keyTag: string;
  readonly bodyTag: string;
  readonly recordId: string;
  readonly now: number;
}

/** Takes the key for a new record, or tells what it was taken for before. */
export async function insertOrFindIdempotencyKey(
  records: Records,
  use: Use,
): Promise<{ bodyTag: string; recordId: string }> {
  await records
    .deleteFrom('idempotency')
    .where('key_tag', '=', use.keyTag)
    .where('created_at', '<=', use.now - IDEMPOTENCY_KEY_LIFETIME_MS)
    .execute();
  await records
    .insertInto('idempotency')
    .values({ key_tag: use.keyTag, body_tag: use.bodyTag, record_id: use.recordId, created_at: use.now })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { body_tag, record_id } = await records
    .selectFrom('idempotency')
    .select(['body_tag', 'record_id'])
    .where('key_tag', '=', use.keyTag)
    .executeTakeFirstOrThrow();
  return { bodyTag: body_tag, recordId: record_id };
}

/** What a key was taken for, while it counts. */
export async function findIdempotencyKey(
  records: Records,
  keyTag: string,
  now: number,
): Promise<{ bodyTag: string; recordId: string } | undefined> {
  return await records
    .selectFrom('idempotency')
    .select(['body_tag as bodyTag', 'record_id as recordId'])
    .where('key_tag', '=', keyTag)
    .where('created_at', '>', now - IDEMPOTENCY_KEY_LIFETIME_MS)
    .executeTakeFirst();
}

/** Gives a key to a newer record, when the one that it made is of no use any more. */
export async function repointIdempotencyKey(
  records: Records,
  keyTag: string,
  recordId: string,
): Promise<void> {
  await records
    .updateTable('idempotency')
    .set({ record_id: recordId })
    .where('key_tag', '=', keyTag)
    .execute();
}

/** A record that is purged takes with it that somebody sent it, and the tag of what was sent. */
export async function deleteIdempotencyKeysForRecord(records: Records, recordId: string): Promise<void> {
  await records.deleteFrom('idempotency').where('record_id', '=', recordId).execute();
}

export async function deleteExpiredIdempotencyKeys(records: Records, before: number): Promise<void> {
  await records.deleteFrom('idempotency').where('created_at', '<', before).execute();
}
