/** A request that may come again: its Idempotency-Key, its body and what it made, kept as tags and an id alone. */
import { ServiceError } from '#platform/errors.ts';
import type { Keyring } from './keyring.ts';
import type { Records } from './tables.ts';

export const IDEMPOTENCY_KEY_LIFETIME_MS = 86_400_000;

export interface IdempotentRequest {
  readonly keyTag: string;
  readonly bodyTag: string;
}

interface Sent {
  /** Whose key it is, and for which operation: each has keys of its own. */
  readonly scope: string;
  /** Null for a request without an Idempotency-Key. */
  readonly key: string | null;
  /** A text is tagged as it is, anything else as JSON. */
  readonly body: unknown;
}

export function toIdempotentRequest(keyring: Keyring, { scope, key, body }: Sent): IdempotentRequest | null {
  if (key === null) return null;
  return {
    keyTag: keyring.tag('idempotency', `${scope}\n${key}`),
    bodyTag: keyring.tag('idempotency', typeof body === 'string' ? body : JSON.stringify(body)),
  };
}

/** The id of what the same request made before; null for a first one. */
export async function findEarlierRecordId(
  records: Records,
  { keyTag, bodyTag }: IdempotentRequest,
  now: number,
): Promise<string | null> {
  const used = await records
    .selectFrom('idempotency')
    .select(['body_tag', 'record_id'])
    .where('key_tag', '=', keyTag)
    .where('created_at', '>', now - IDEMPOTENCY_KEY_LIFETIME_MS)
    .executeTakeFirst();
  if (!used) return null;
  requireSameBody(used.body_tag, bodyTag);
  return used.record_id;
}

/** Takes the key for a new record, in its transaction; the id of the earlier one if the key was taken before. */
export async function claimIdempotencyKey(
  records: Records,
  { keyTag, bodyTag }: IdempotentRequest,
  recordId: string,
  now: number,
): Promise<string | null> {
  await records
    .deleteFrom('idempotency')
    .where('key_tag', '=', keyTag)
    .where('created_at', '<=', now - IDEMPOTENCY_KEY_LIFETIME_MS)
    .execute();
  await records
    .insertInto('idempotency')
    .values({ key_tag: keyTag, body_tag: bodyTag, record_id: recordId, created_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const used = await records
    .selectFrom('idempotency')
    .select(['body_tag', 'record_id'])
    .where('key_tag', '=', keyTag)
    .executeTakeFirstOrThrow();
  requireSameBody(used.body_tag, bodyTag);
  return used.record_id === recordId ? null : used.record_id;
}

/** Gives the key to a newer record, when the one that it made is gone or of no use any more. */
export async function reassignIdempotencyKey(
  records: Records,
  { keyTag }: IdempotentRequest,
  recordId: string,
): Promise<void> {
  await records
    .updateTable('idempotency')
    .set({ record_id: recordId })
    .where('key_tag', '=', keyTag)
    .execute();
}

/** A purged record leaves no trace that somebody sent it, nor a tag of what was sent. */
export async function deleteIdempotencyKeysForRecord(records: Records, recordId: string): Promise<void> {
  await records.deleteFrom('idempotency').where('record_id', '=', recordId).execute();
}

export async function deleteExpiredIdempotencyKeys(records: Records, before: number): Promise<void> {
  await records.deleteFrom('idempotency').where('created_at', '<', before).execute();
}

function requireSameBody(usedTag: string, bodyTag: string): void {
  if (usedTag !== bodyTag) throw new ServiceError('idempotency_key_reused');
}
