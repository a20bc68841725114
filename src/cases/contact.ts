/** Contact messages on their way in: sealed to the desk, by the sender or on arrival. */
import { ServiceError } from '#platform/errors.ts';
import { newId } from '#platform/ids.ts';
import { recipientsIn, sealedSize } from '#seal/age.ts';
import { type ContactMessage, sealContactMessage } from '#seal/contact-message.ts';
import { SIZE_CLASSES } from '#seal/padding.ts';
import type { Services } from '#services.ts';
import { closeContactMessage, findContactMessage, insertContactMessage } from '#store/contact-messages.ts';
import { type Repeat, takeKey } from '#store/idempotent-request.ts';
import type { SealedBy } from '#store/tables.ts';
import { contactPurgeTime } from './retention.ts';

export async function receiveMessage(
  services: Pick<Services, 'clock' | 'store' | 'sealingKeys'>,
  message: ContactMessage,
  repeat: Repeat | null = null,
): Promise<void> {
  const { desk } = await services.sealingKeys;
  await keep(services, { sealed: await sealContactMessage(message, desk), sealedBy: 'server', repeat });
}

export async function receiveSealedMessage(
  services: Pick<Services, 'clock' | 'store'>,
  sealed: Uint8Array,
  sealedBy: Exclude<SealedBy, 'server'>,
  repeat: Repeat | null = null,
): Promise<void> {
  const recipients = recipientsIn(sealed);
  const sizes = SIZE_CLASSES.map((size) => sealedSize(size, recipients ?? 1));
  if (recipients === null || !sizes.includes(sealed.length)) throw new ServiceError('not_sealed');
  await keep(services, { sealed, sealedBy, repeat });
}

interface Kept {
  readonly sealed: Uint8Array;
  readonly sealedBy: SealedBy;
  readonly repeat: Repeat | null;
}

/** A request that comes again leaves nothing new. */
async function keep(
  { clock, store }: Pick<Services, 'clock' | 'store'>,
  { sealed, sealedBy, repeat }: Kept,
): Promise<void> {
  const now = clock.now();
  const times = { received_at: now, purge_at: contactPurgeTime(now, null) };
  const row = { id: newId(), sealed, sealed_by: sealedBy, ...times };
  await store.transaction(async (records) => {
    const before = repeat ? await takeKey(records, repeat, row.id, now) : null;
    if (before === null) await insertContactMessage(records, row);
  });
}

/** The desk has dealt with it; it goes after its time. */
export async function closeMessage(
  { clock, store }: Pick<Services, 'clock' | 'store'>,
  id: string,
): Promise<void> {
  const doneAt = clock.now();
  await store.transaction(async (records) => {
    const found = await findContactMessage(records, id);
    if (!found) throw new ServiceError('not_found');
    const purgeAt = contactPurgeTime(found.received_at, doneAt);
    if (!(await closeContactMessage(records, id, { doneAt, purgeAt })))
      throw new ServiceError('case_state', { detail: 'This message was dealt with before.' });
  });
}
