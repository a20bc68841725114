/** Contact messages on their way in: sealed to the desk, by the sender or on arrival. */
import { ServiceError } from '#platform/errors.ts';
import { newId } from '#platform/ids.ts';
import { recipientsIn, sealedSize } from '#seal/age.ts';
import { type ContactMessage, sealContactMessage } from '#seal/contact.ts';
import { SIZE_CLASSES } from '#seal/padding.ts';
import { insertContactMessage } from '#store/contact-messages.ts';
import type { SealedBy } from '#store/tables.ts';
import type { Registry } from './registry.ts';

export async function receiveMessage(registry: Registry, message: ContactMessage): Promise<void> {
  const { desk } = await registry.sealingKeys;
  await keep(registry, await sealContactMessage(message, desk), 'server');
}

export async function receiveSealedMessage(
  registry: Registry,
  sealed: Uint8Array,
  sealedBy: Exclude<SealedBy, 'server'>,
): Promise<void> {
  const recipients = recipientsIn(sealed);
  const sizes = SIZE_CLASSES.map((size) => sealedSize(size, recipients ?? 1));
  if (recipients === null || !sizes.includes(sealed.length)) throw new ServiceError('not_sealed');
  await keep(registry, sealed, sealedBy);
}

async function keep({ clock, store }: Registry, sealed: Uint8Array, sealedBy: SealedBy): Promise<void> {
  const row = { id: newId(), sealed, sealed_by: sealedBy, received_at: clock.now() };
  await store.transaction((records) => insertContactMessage(records, row));
}
