/** A request that may be repeated: stores tags of its Idempotency-Key and body and the id of the record it created. */
import type { Insertable } from 'kysely';
import { HOUR_MS } from '#platform/durations.ts';
import { ServiceError } from '#platform/errors.ts';
import { IDEMPOTENCY_KEY_HOURS } from '#platform/expiry.ts';
import { serializeCanonicalJson } from '#platform/text/canonical-json.ts';
import { cutToDay } from '#platform/text/day.ts';
import { prepareQuery } from './engine/prepared.ts';
import { deleteBy, findRow, updateRows } from './engine/selected-rows.ts';
import type { Keyring } from './keys/keyring.ts';
import type { Records, Tables } from './schema/tables.ts';

/** A key is stored until the end of the day on which it expires, because the record has only the day. */
export function computeOldestKeyDay(now: number): number {
  return cutToDay(now - IDEMPOTENCY_KEY_HOURS * HOUR_MS);
}

export interface IdempotentRequest {
  readonly keyTag: string;
  readonly bodyTag: string;
  /** Random; set if the service makes the words of the case. */
  readonly wordsSalt?: string | null;
}

export interface KeyedRequest {
  /** Client and operation: keys are separate for each. */
  readonly scope: string;
  /** Null for a request without an Idempotency-Key. */
  readonly key: string | null;
  /** A string is tagged unchanged, anything else as canonical JSON, because a program may build its body again. */
  readonly body: unknown;
}

export function toIdempotentRequest(
  keyring: Keyring,
  { scope, key, body }: KeyedRequest,
): IdempotentRequest | null {
  if (key === null) return null;
  const text = typeof body === 'string' ? body : serializeCanonicalJson(body);
  return {
    keyTag: keyring.tag('idempotency', `${scope}\n${key}`),
    bodyTag: keyring.tag('idempotency', text),
  };
}

/** Returns the id of the record that the same request created before, or null for a first request. */
export async function findEarlierRecordId(
  records: Records,
  request: IdempotentRequest,
  now: number,
): Promise<string | null> {
  const valid = { key_tag: request.keyTag, created_at: ['>=', computeOldestKeyDay(now)] } as const;
  const earlier = await findRow(records, 'idempotency', valid);
  if (!earlier) return null;
  if (earlier.body_tag !== request.bodyTag) throw new ServiceError('idempotency_key_reused');
  return earlier.record_id;
}

/** The salt of the words of the case that the same request created, as long as its key is stored. */
export async function findWordsSalt(records: Records, { keyTag }: IdempotentRequest): Promise<string | null> {
  return (await findRow(records, 'idempotency', { key_tag: keyTag }))?.words_salt ?? null;
}

export function buildClaim(
  { keyTag, bodyTag, wordsSalt = null }: IdempotentRequest,
  recordId: string,
  now: number,
): Insertable<Tables['idempotency']> {
  return {
    key_tag: keyTag,
    body_tag: bodyTag,
    record_id: recordId,
    created_at: cutToDay(now),
    words_salt: wordsSalt,
  };
}

/** For use as a part of the statement that stores the record; returns no row if the key was used before. */
export const claimKey = prepareQuery<Insertable<Tables['idempotency']>, unknown>((records, row) =>
  records
    .insertInto('idempotency')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning('key_tag'),
);

/** In the transaction of a new record; returns the earlier record's id if the key was used. A second claim waits. */
export async function claimIdempotencyKey(
  records: Records,
  request: IdempotentRequest,
  recordId: string,
  now: number,
): Promise<string | null> {
  const row = buildClaim(request, recordId, now);
  const { key_tag: _key, ...values } = row;
  const claimed = await records
    .insertInto('idempotency')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .column('key_tag')
        .doUpdateSet(values)
        .where('idempotency.created_at', '<', computeOldestKeyDay(now)),
    )
    .returning('key_tag')
    .executeTakeFirst();
  return claimed ? null : await findEarlierRecordId(records, request, now);
}

/** Points the key to a newer record if the one that it created was deleted or can no longer be used. */
export async function reassignIdempotencyKey(
  records: Records,
  request: IdempotentRequest,
  recordId: string,
): Promise<void> {
  const change = { record_id: recordId, words_salt: request.wordsSalt ?? null };
  await updateRows(records, 'idempotency', { key_tag: request.keyTag }, change);
}

/** A purge also removes the trace that a client submitted the record, and the tag of the request body. */
export const deleteIdempotencyKeysForRecord = deleteBy('idempotency', 'record_id');
