/** The webhook of a client: set, changed, shown, tried and removed by the client itself. */
import { ServiceError } from '#platform/errors.ts';
import { toErrorTrace } from '#platform/log.ts';
import { resolveWebhookTarget, TargetFault } from '#platform/net/webhook-target.ts';
import { cutToDay } from '#platform/text/day.ts';
import { generateId } from '#platform/text/ids.ts';
import type { Services } from '#services.ts';
import {
  computeWebhookTag,
  enqueueWebhookEvent,
  findClientWebhook,
  listQueueTags,
  openWebhook,
  sealWebhook,
  type WebhookFacts,
} from '#store/clients/webhook-ciphertexts.ts';
import {
  deleteQueuedEvents,
  findWebhook,
  insertWebhook,
  updateWebhook,
  type Webhook,
} from '#store/clients/webhooks.ts';
import type { Records } from '#store/schema/tables.ts';
import { enqueueWebhookEmail } from './registration-mail.ts';
import { generateWebhookSecret } from './webhook-delivery.ts';
import { settleWebhook } from './webhook-linking.ts';

type EventServices = Pick<Services, 'clock' | 'keyring' | 'store'>;
type WebhookServices = EventServices & Pick<Services, 'webhookNetwork' | 'log'>;

export interface WebhookView {
  readonly url: string;
  readonly row: Webhook;
}

/**
 * A new address keeps the secret, unless a new secret is requested, such as when the answer with it was lost. Returns
 * the secret, null if the client already has it.
 */
export async function setWebhook(
  services: WebhookServices,
  clientId: string,
  { url: text, rotateSecret }: { readonly url: string; readonly rotateSecret: boolean },
) {
  const { clock, keyring, store } = services;
  const url = await requireAllowedUrl(services, text);
  const stored = await store.transaction(async (records) => {
    const known = await findWebhook(records, computeWebhookTag(keyring, clientId));
    const isNew = !known || known.state === 'ending';
    const secret = isNew || rotateSecret ? generateWebhookSecret() : null;
    const kept = isNew ? null : openWebhook(keyring, known);
    const facts = { clientId, url, secret: secret ?? kept?.secret ?? '' };
    if (secret !== null || kept?.url !== url) await enqueueWebhookEmail(records, clientId, clock.now());
    const row = await storeWebhook(services, records, { known, isNew, facts }, cutToDay(clock.now()));
    return { url, row, secret, isNew };
  });
  // A failure must not lose the only response with the secret; the sweep does the rest.
  if (stored.row.state === 'marking')
    await settleWebhook(services, stored.row).catch((error: unknown) =>
      services.log.event('task_failed', { task: 'settle a webhook', ...toErrorTrace(error) }),
    );
  return stored;
}

async function requireAllowedUrl(
  { webhookNetwork }: Pick<WebhookServices, 'webhookNetwork'>,
  text: string,
): Promise<string> {
  try {
    return (await resolveWebhookTarget(webhookNetwork, text)).url.href;
  } catch (error) {
    if (!(error instanceof TargetFault)) throw error;
    throw new ServiceError('validation_failed', { errors: [{ pointer: '/url', detail: error.message }] });
  }
}

interface WebhookChange {
  readonly known: Webhook | undefined;
  readonly isNew: boolean;
  readonly facts: WebhookFacts;
}

/** A webhook that is being removed is treated as new. */
async function storeWebhook(
  { keyring }: Pick<WebhookServices, 'keyring'>,
  records: Records,
  { known, isNew, facts }: WebhookChange,
  today: number,
): Promise<Webhook> {
  const id = known?.id ?? generateId();
  const ciphertext = sealWebhook(keyring, id, facts);
  if (known && !isNew) {
    await updateWebhook(records, id, { ciphertext });
    return { ...known, ciphertext };
  }
  const fresh = { ciphertext, state: 'marking', created_on: today, last_on: null, last_fault: null } as const;
  if (known) {
    await updateWebhook(records, id, fresh);
    return { ...known, ...fresh };
  }
  const row: Webhook = { id, client_tag: computeWebhookTag(keyring, facts.clientId), ...fresh };
  await insertWebhook(records, row);
  return row;
}

export async function requireWebhook(
  { keyring, store }: Pick<Services, 'keyring' | 'store'>,
  clientId: string,
): Promise<WebhookView> {
  const row = await findClientWebhook(store.records, keyring, clientId);
  if (!row) throw createMissingError();
  return { url: openWebhook(keyring, row).url, row };
}

/** From now on nothing is sent, not even queued events. Removing twice is not an error. */
export async function removeWebhook(services: EventServices, clientId: string): Promise<void> {
  const ended = await services.store.transaction(async (records) => {
    const known = await findClientWebhook(records, services.keyring, clientId);
    if (known) await enqueueWebhookEmail(records, clientId, services.clock.now());
    return await endWebhook(services, records, clientId);
  });
  if (ended) await settleWebhook(services, ended);
}

/** Deletes the address, the secret and the queued events at once; the sweep does the rest. */
export async function endWebhook(
  { keyring }: Pick<Services, 'keyring'>,
  records: Records,
  clientId: string,
): Promise<Webhook | null> {
  const known = await findWebhook(records, computeWebhookTag(keyring, clientId));
  if (!known) return null;
  const ciphertext = sealWebhook(keyring, known.id, { clientId, url: '', secret: '' });
  await updateWebhook(records, known.id, { ciphertext, state: 'ending' });
  await deleteQueuedEvents(records, listQueueTags(keyring, clientId));
  return { ...known, ciphertext, state: 'ending' };
}

/** Returns the id that the receiver will see. */
export async function enqueueTestEvent(services: EventServices, clientId: string): Promise<string> {
  const { clock, keyring, store } = services;
  const facts = { clientId, type: 'callback.test', subject: generateId(), at: clock.now() } as const;
  const id = await store.transaction((records) => enqueueWebhookEvent(records, keyring, facts));
  if (id === null) throw createMissingError();
  return id;
}

function createMissingError(): ServiceError {
  return new ServiceError('not_found', { detail: 'This client has set no webhook.' });
}
