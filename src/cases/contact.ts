/** Receives contact messages: sealed to the desk by the sender or on arrival. */
import { ServiceError } from '#platform/errors.ts';
import { generateId } from '#platform/ids.ts';
import { computeSealedSize, countRecipients } from '#seal/age.ts';
import { type ContactMessage, sealContactMessage } from '#seal/contact-message.ts';
import { PADDING_SIZE_CLASSES } from '#seal/padding.ts';
import type { Services } from '#services.ts';
import type { SealedBy } from '#store/column-values.ts';
import { closeContactMessage, findContactMessage, insertContactMessage } from '#store/contact-messages.ts';
import { claimIdempotencyKey, type IdempotentRequest } from '#store/idempotent-request.ts';
import { computeContactPurgeTime } from './retention.ts';

export async function receiveContactMessage(
  services: Pick<Services, 'clock' | 'store' | 'sealingKeys'>,
  message: ContactMessage,
  repeat: IdempotentRequest | null = null,
): Promise<void> {
  const { desk } = await services.sealingKeys;
  await storeContactMessage(services, {
    sealed: await sealContactMessage(message, desk),
    sealedBy: 'server',
    repeat,
  });
}

export async function receiveSealedContactMessage(
  services: Pick<Services, 'clock' | 'store'>,
  sealed: Uint8Array,
  sealedBy: Exclude<SealedBy, 'server'>,
  repeat: IdempotentRequest | null = null,
): Promise<void> {
  const recipients = countRecipients(sealed);
  const sizes = PADDING_SIZE_CLASSES.map((size) => computeSealedSize(size, recipients ?? 1));
  if (recipients === null || !sizes.includes(sealed.length)) throw new ServiceError('not_sealed');
  await storeContactMessage(services, { sealed, sealedBy, repeat });
}

interface SealedContactMessage {
  readonly sealed: Uint8Array;
  readonly sealedBy: SealedBy;
  readonly repeat: IdempotentRequest | null;
}

/** A repeated request stores nothing. */
async function storeContactMessage(
  { clock, store }: Pick<Services, 'clock' | 'store'>,
  { sealed, sealedBy, repeat }: SealedContactMessage,
): Promise<void> {
  const now = clock.now();
  const times = { received_at: now, purge_at: computeContactPurgeTime(now, null) };
  const row = { id: generateId(), sealed, sealed_by: sealedBy, ...times };
  await store.transaction(async (records) => {
    const earlierId = repeat ? await claimIdempotencyKey(records, repeat, row.id, now) : null;
    if (earlierId === null) await insertContactMessage(records, row);
  });
}

/** Marks a message as handled, which starts its shorter retention time. */
export async function resolveContactMessage(
  { clock, store }: Pick<Services, 'clock' | 'store'>,
  id: string,
): Promise<void> {
  const doneAt = clock.now();
  await store.transaction(async (records) => {
    const message = await findContactMessage(records, id);
    if (!message) throw new ServiceError('not_found');
    const purgeAt = computeContactPurgeTime(message.received_at, doneAt);
    if (!(await closeContactMessage(records, id, { doneAt, purgeAt })))
      throw new ServiceError('case_state', { detail: 'This message was already marked as handled.' });
  });
}
