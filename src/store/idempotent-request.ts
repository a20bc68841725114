/** A request that may come again: its Idempotency-Key and its body, known by tags alone. */
import { ServiceError } from '#platform/errors.ts';
import { findIdempotencyKey, insertOrFindIdempotencyKey, repointIdempotencyKey } from './idempotency.ts';
import type { Keyring } from './keyring.ts';
import type { Records } from './tables.ts';

export interface IdempotentRequest {
  readonly keyTag: string;
  readonly bodyTag: string;
}

interface Sent {
  /** Whose key it is, and for which operation: each has keys of its own. */
  readonly scope: string;
  readonly key: string;
  readonly body: unknown;
}

export function toIdempotentRequest(keyring: Keyring, { scope, key, body }: Sent): IdempotentRequest {
  return {
    keyTag: keyring.tag('idempotency', `${scope}\n${key}`),
    bodyTag: keyring.tag('idempotency', JSON.stringify(body)),
  };
}

/** The id of what the same request made before; null for a first one. */
export async function findEarlierRecordId(
  records: Records,
  repeat: IdempotentRequest,
  now: number,
): Promise<string | null> {
  const used = await findIdempotencyKey(records, repeat.keyTag, now);
  if (!used) return null;
  requireSameBody(used, repeat);
  return used.recordId;
}

/** Takes the key for a new record, in its transaction; the id of the earlier one if the key was taken before. */
export async function claimIdempotencyKey(
  records: Records,
  repeat: IdempotentRequest,
  recordId: string,
  now: number,
): Promise<string | null> {
  const used = await insertOrFindIdempotencyKey(records, { ...repeat, recordId, now });
  requireSameBody(used, repeat);
  return used.recordId === recordId ? null : used.recordId;
}

/** When what a key made is gone, it stands for what takes its place. */
export async function reassignKey(
  records: Records,
  { keyTag }: IdempotentRequest,
  recordId: string,
): Promise<void> {
  await repointIdempotencyKey(records, keyTag, recordId);
}

function requireSameBody(used: { readonly bodyTag: string }, { bodyTag }: IdempotentRequest): void {
  if (used.bodyTag !== bodyTag) throw new ServiceError('idempotency_key_reused');
}
