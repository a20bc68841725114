/** A request that may come again: its Idempotency-Key and its body, known by tags alone. */
import { ServiceError } from '#platform/errors.ts';
import { findKey, repointKey, useKey } from './idempotency.ts';
import type { Keyring } from './keyring.ts';
import type { Records } from './tables.ts';

export interface Repeat {
  readonly keyTag: string;
  readonly bodyTag: string;
}

interface Sent {
  /** Whose key it is, and for which operation: each has keys of its own. */
  readonly scope: string;
  readonly key: string;
  readonly body: unknown;
}

export function repeatOf(keyring: Keyring, { scope, key, body }: Sent): Repeat {
  return {
    keyTag: keyring.tag('idempotency', `${scope}\n${key}`),
    bodyTag: keyring.tag('idempotency', JSON.stringify(body)),
  };
}

/** The id of what the same request made before; null for a first one. */
export async function madeBefore(records: Records, repeat: Repeat, now: number): Promise<string | null> {
  const used = await findKey(records, repeat.keyTag, now);
  if (!used) return null;
  demandSameBody(used, repeat);
  return used.recordId;
}

/** Takes the key for a new record, in its transaction; the id of the earlier one if the key was taken before. */
export async function takeKey(
  records: Records,
  repeat: Repeat,
  recordId: string,
  now: number,
): Promise<string | null> {
  const used = await useKey(records, { ...repeat, recordId, now });
  demandSameBody(used, repeat);
  return used.recordId === recordId ? null : used.recordId;
}

/** When what a key made is gone, it stands for what takes its place. */
export async function giveKeyTo(records: Records, { keyTag }: Repeat, recordId: string): Promise<void> {
  await repointKey(records, keyTag, recordId);
}

function demandSameBody(used: { readonly bodyTag: string }, { bodyTag }: Repeat): void {
  if (used.bodyTag !== bodyTag) throw new ServiceError('idempotency_key_reused');
}
