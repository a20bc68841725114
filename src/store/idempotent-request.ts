/** A request that may be repeated: stores tags of its Idempotency-Key and body and the id of the record it created. */
import { cutToDay } from '#platform/day.ts';
import { HOUR_MS } from '#platform/durations.ts';
import { ServiceError } from '#platform/errors.ts';
import { IDEMPOTENCY_KEY_HOURS } from '#platform/expiry.ts';
import { deleteSelected } from './delete-selected.ts';
import type { Keyring, KeyringKey } from './keyring.ts';
import type { Records } from './tables.ts';

/** A key is kept to the end of the day on which its time is over, because the record stores only the day. */
function computeOldestKeyDay(now: number): number {
  return cutToDay(now - IDEMPOTENCY_KEY_HOURS * HOUR_MS);
}

interface RequestTags {
  readonly keyTag: string;
  readonly bodyTag: string;
}

export interface IdempotentRequest extends RequestTags {
  /** As the other master key tags the same request. */
  readonly others: readonly RequestTags[];
}

interface KeyedRequest {
  /** Client and operation: keys are separate for each. A function, if the scope contains a tag itself. */
  readonly scope: string | ((key: KeyringKey) => string);
  /** Null for a request without an Idempotency-Key. */
  readonly key: string | null;
  /** A string is tagged unchanged, anything else as JSON. */
  readonly body: unknown;
}

export function toIdempotentRequest(
  keyring: Keyring,
  { scope, key, body }: KeyedRequest,
): IdempotentRequest | null {
  if (key === null) return null;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const toTags = (one: KeyringKey) => ({
    keyTag: one.tag('idempotency', `${typeof scope === 'string' ? scope : scope(one)}\n${key}`),
    bodyTag: one.tag('idempotency', text),
  });
  return { ...toTags(keyring), others: keyring.keys.slice(1).map(toTags) };
}

function listKeyTags({ keyTag, others }: IdempotentRequest): string[] {
  return [keyTag, ...others.map((other) => other.keyTag)];
}

/** Returns the id of the record that the same request created before, or null for a first request. */
export async function findEarlierRecordId(
  records: Records,
  request: IdempotentRequest,
  now: number,
): Promise<string | null> {
  const earlier = await records
    .selectFrom('idempotency')
    .select(['key_tag', 'body_tag', 'record_id'])
    .where('key_tag', 'in', listKeyTags(request))
    .where('created_at', '>=', computeOldestKeyDay(now))
    .executeTakeFirst();
  if (!earlier) return null;
  requireSameBody(earlier, request);
  return earlier.record_id;
}

/** Claims the key for a new record inside its transaction; returns the earlier record's id if the key was used. */
export async function claimIdempotencyKey(
  records: Records,
  request: IdempotentRequest,
  recordId: string,
  now: number,
): Promise<string | null> {
  const { keyTag, bodyTag } = request;
  const keyTags = listKeyTags(request);
  await records
    .deleteFrom('idempotency')
    .where('key_tag', 'in', keyTags)
    .where('created_at', '<', computeOldestKeyDay(now))
    .execute();
  await records
    .insertInto('idempotency')
    .values({ key_tag: keyTag, body_tag: bodyTag, record_id: recordId, created_at: cutToDay(now) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const claims = await records
    .selectFrom('idempotency')
    .select(['key_tag', 'body_tag', 'record_id'])
    .where('key_tag', 'in', keyTags)
    .execute();
  // Also for the same record: a second message to a case is another body.
  for (const claim of claims) requireSameBody(claim, request);
  const earlier = claims.find(({ record_id }) => record_id !== recordId);
  if (!earlier) return null;
  // The earlier request was tagged with the other master key: its claim is the one that stays.
  if (claims.length > 1)
    await records
      .deleteFrom('idempotency')
      .where('key_tag', '=', keyTag)
      .where('record_id', '=', recordId)
      .execute();
  return earlier.record_id;
}

/** Points the key to a newer record, when the one it created is gone or can no longer be used. */
export async function reassignIdempotencyKey(
  records: Records,
  request: IdempotentRequest,
  recordId: string,
): Promise<void> {
  await records
    .updateTable('idempotency')
    .set({ record_id: recordId })
    .where('key_tag', 'in', listKeyTags(request))
    .execute();
}

/** A purge also removes the trace that somebody submitted the record, and the tag of the request body. */
export async function deleteIdempotencyKeysForRecord(records: Records, recordId: string): Promise<void> {
  await records.deleteFrom('idempotency').where('record_id', '=', recordId).execute();
}

/** Returns the number of deleted keys. */
export async function deleteExpiredIdempotencyKeys(
  records: Records,
  now: number,
  limit: number,
): Promise<number> {
  const expired = records
    .selectFrom('idempotency')
    .select('key_tag')
    .where('created_at', '<', computeOldestKeyDay(now))
    .limit(limit);
  return await deleteSelected(records, 'idempotency', 'key_tag', expired);
}

function requireSameBody(
  earlier: { readonly key_tag: string; readonly body_tag: string },
  request: IdempotentRequest,
): void {
  const sameKey = [request, ...request.others].find(({ keyTag }) => keyTag === earlier.key_tag);
  if (sameKey?.bodyTag !== earlier.body_tag) throw new ServiceError('idempotency_key_reused');
}
