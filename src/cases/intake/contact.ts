/** Receives contact messages: sealed to the desk by the sender or on arrival. */
import { ServiceError } from '#platform/errors.ts';
import { generateId } from '#platform/text/ids.ts';
import type { ContactMessage } from '#seal/case/contact-message.ts';
import { computeSealedSize, countRecipients } from '#seal/core/age.ts';
import { PADDING_SIZE_CLASSES } from '#seal/core/padding.ts';
import type { Services } from '#services.ts';
import { appendAuditEntry } from '#store/audit-log.ts';
import {
  closeContactMessage,
  deleteHandledContactMessages,
  findContactMessage,
  hasHandledContactMessages,
  insertContactMessage,
} from '#store/cases/contact-messages.ts';
import { claimIdempotencyKey, type IdempotentRequest } from '#store/idempotent-request.ts';
import type { SealedBy } from '#wire/case-states.ts';
import { computeContactPurgeTime } from '../ending/retention.ts';
import { requireCurrentRecipientSet } from '../sealing/recipient-set.ts';

/** The longest message, sealed for a few investigators. */
const LONGEST_BYTES = 68 * 1024;
/** How many messages one transaction deletes. */
const BATCH = 20;

/** False if there is no room, and no handled message that could be deleted to make some. */
export async function acceptsContactMessages({ store }: Pick<Services, 'store'>): Promise<boolean> {
  return (
    (await store.gate.hasRoom({ kind: 'contact_messages', bytes: LONGEST_BYTES })) ||
    (await hasHandledContactMessages(store.records))
  );
}

export async function receiveContactMessage(
  services: Pick<Services, 'addresses' | 'clock' | 'store' | 'sealing' | 'sealingKeys'>,
  message: ContactMessage,
  repeat: IdempotentRequest | null = null,
): Promise<void> {
  const { desk, set } = await services.sealingKeys;
  await storeContactMessage(services, {
    sealed: await services.sealing.sealContactMessage(message, desk),
    recipientSet: set,
    sealedBy: 'server',
    repeat,
  });
}

/** `recipientSet` is null if a client did not say which keys it sealed to. */
export async function receiveSealedContactMessage(
  services: Pick<Services, 'addresses' | 'clock' | 'store' | 'sealingKeys'>,
  message: SealedContactMessage,
): Promise<void> {
  const { sealed } = message;
  const recipients = countRecipients(sealed);
  const sizes = PADDING_SIZE_CLASSES.map((size) => computeSealedSize(size, recipients ?? 1));
  if (recipients === null || !sizes.includes(sealed.length)) throw new ServiceError('not_sealed');
  // Each recipient costs the desk an attempt to open the message.
  const { desk } = await services.sealingKeys;
  if (recipients !== desk.length) throw new ServiceError('sealing_keys_changed');
  await storeContactMessage(services, message);
}

interface SealedContactMessage {
  readonly sealed: Uint8Array;
  readonly recipientSet: string | null;
  readonly sealedBy: SealedBy;
  readonly repeat: IdempotentRequest | null;
}

/** A repeated request stores nothing. */
async function storeContactMessage(
  { addresses, clock, store, sealingKeys }: Pick<Services, 'addresses' | 'clock' | 'store' | 'sealingKeys'>,
  { sealed, recipientSet, sealedBy, repeat }: SealedContactMessage,
): Promise<void> {
  const { set: ownSet } = await sealingKeys;
  const now = clock.now();
  const times = { received_at: now, purge_at: computeContactPurgeTime(now, null) };
  const row = { id: generateId(), sealed, sealed_by: sealedBy, ...times };
  const admission = {
    kind: 'contact_messages',
    bytes: sealed.length,
    makeRoom: () => store.transaction((records) => deleteHandledContactMessages(records, BATCH)),
    refusal: () =>
      new ServiceError('contact_full', {
        detail: `Our mailbox is full at the moment. Please write to ${addresses.maintainer} instead, but put nothing about a case into an e-mail.`,
      }),
  } as const;
  await store.gate.admit(admission, () =>
    store.transaction(async (records) => {
      const earlierId = repeat ? await claimIdempotencyKey(records, repeat, row.id, now) : null;
      if (earlierId !== null) return;
      await requireCurrentRecipientSet(records, ownSet, recipientSet);
      await insertContactMessage(records, row);
    }),
  );
}

/** Marks a message as handled, which starts its shorter retention time. */
export async function resolveContactMessage(
  { clock, store }: Pick<Services, 'clock' | 'store'>,
  id: string,
  by: string | null,
): Promise<void> {
  const doneAt = clock.now();
  await store.transaction(async (records) => {
    const message = await findContactMessage(records, id);
    if (!message) throw new ServiceError('not_found', { detail: `There is no message ${id}.` });
    const purgeAt = computeContactPurgeTime(message.received_at, doneAt);
    if (!(await closeContactMessage(records, id, { doneAt, purgeAt })))
      throw new ServiceError('case_state', { detail: `Message ${id} was already marked as handled.` });
    await appendAuditEntry(records, { by, act: 'handle_contact', subject: { kind: 'contact', id } }, doneAt);
  });
}
