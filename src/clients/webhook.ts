/** The callback of a client: set, changed, shown, tried and removed by the client itself. */

import { ServiceError } from '#platform/errors.ts';
import { toErrorTrace } from '#platform/log.ts';
import { resolveCallbackTarget, TargetFault } from '#platform/net/webhook-target.ts';
import { cutToDay } from '#platform/text/day.ts';
import { generateId } from '#platform/text/ids.ts';
import type { Services } from '#services.ts';
import {
  type CallbackFacts,
  computeCallbackTag,
  enqueueCallbackEvent,
  findClientCallback,
  listQueueTags,
  openCallback,
  sealCallback,
} from '#store/clients/webhook-ciphertexts.ts';
import { deleteQueuedEvents } from '#store/clients/webhook-events.ts';
import { type Callback, findCallback, insertCallback, updateCallback } from '#store/clients/webhooks.ts';
import type { Records } from '#store/schema/tables.ts';
import { enqueueCallbackLetter } from './registration-mail.ts';
import { settleCallback } from './webhook-settling.ts';
import { generateCallbackSecret } from './webhook-signature.ts';

type CallbackServices = Pick<Services, 'callbackNetwork' | 'clock' | 'keyring' | 'log' | 'store'>;

export interface CallbackView {
  readonly url: string;
  readonly row: Callback;
}

interface CallbackChoice {
  readonly url: string;
  readonly rotateSecret: boolean;
}

interface StoredCallback extends CallbackView {
  /** Null if it is the one that the client already has. */
  readonly secret: string | null;
  readonly isNew: boolean;
}

/** Another address keeps the secret, unless a new one is asked for: the answer that had it may have been lost. */
export async function setCallback(
  services: CallbackServices,
  clientId: string,
  { url: text, rotateSecret }: CallbackChoice,
): Promise<StoredCallback> {
  const { clock, keyring, store } = services;
  const url = await requireAllowedUrl(services, text);
  const stored = await store.transaction(async (records) => {
    const known = await findCallback(records, computeCallbackTag(keyring, clientId));
    const isNew = !known || known.state === 'ending';
    const secret = isNew || rotateSecret ? generateCallbackSecret() : null;
    const kept = isNew ? null : openCallback(keyring, known);
    const facts = { clientId, url, secret: secret ?? kept?.secret ?? '' };
    if (secret !== null || kept?.url !== url) await enqueueCallbackLetter(records, clientId, clock.now());
    const row = await storeCallback(services, records, { known, isNew, facts }, cutToDay(clock.now()));
    return { url, row, secret, isNew };
  });
  // The answer is the only one that has the secret, and the sweep goes on with what is left.
  if (stored.row.state === 'marking')
    await settleCallback(services, stored.row).catch((error: unknown) =>
      services.log.event('task_failed', { task: 'settle a callback', ...toErrorTrace(error) }),
    );
  return stored;
}

async function requireAllowedUrl(
  { callbackNetwork }: Pick<CallbackServices, 'callbackNetwork'>,
  text: string,
): Promise<string> {
  try {
    return (await resolveCallbackTarget(callbackNetwork, text)).url.href;
  } catch (error) {
    if (!(error instanceof TargetFault)) throw error;
    throw new ServiceError('validation_failed', { errors: [{ pointer: '/url', detail: error.message }] });
  }
}

interface CallbackChange {
  readonly known: Callback | undefined;
  readonly isNew: boolean;
  readonly facts: CallbackFacts;
}

/** One that is being removed begins anew. */
async function storeCallback(
  { keyring }: Pick<CallbackServices, 'keyring'>,
  records: Records,
  { known, isNew, facts }: CallbackChange,
  today: number,
): Promise<Callback> {
  const id = known?.id ?? generateId();
  const box = sealCallback(keyring, id, facts);
  if (known && !isNew) {
    await updateCallback(records, id, { box });
    return { ...known, box };
  }
  const fresh = { box, state: 'marking', created_on: today, last_on: null, last_fault: null } as const;
  if (known) {
    await updateCallback(records, id, fresh);
    return { ...known, ...fresh };
  }
  const row: Callback = { id, client_tag: computeCallbackTag(keyring, facts.clientId), ...fresh };
  await insertCallback(records, row);
  return row;
}

export async function requireCallback(
  { keyring, store }: Pick<Services, 'keyring' | 'store'>,
  clientId: string,
): Promise<CallbackView> {
  const row = await findClientCallback(store.records, keyring, clientId);
  if (!row) throw createMissingError();
  return { url: openCallback(keyring, row).url, row };
}

/** From now on nothing is sent, whatever waits. Removing twice is not an error. */
export async function removeCallback(
  services: Pick<Services, 'clock' | 'keyring' | 'store'>,
  clientId: string,
): Promise<void> {
  const ended = await services.store.transaction(async (records) => {
    const known = await findClientCallback(records, services.keyring, clientId);
    if (known) await enqueueCallbackLetter(records, clientId, services.clock.now());
    return await endCallback(services, records, clientId);
  });
  if (ended) await settleCallback(services, ended);
}

/** Address, secret and what waits go at once; the sweep finds what else there is. */
export async function endCallback(
  { keyring }: Pick<Services, 'keyring'>,
  records: Records,
  clientId: string,
): Promise<Callback | null> {
  const known = await findCallback(records, computeCallbackTag(keyring, clientId));
  if (!known) return null;
  const box = sealCallback(keyring, known.id, { clientId, url: '', secret: '' });
  await updateCallback(records, known.id, { box, state: 'ending' });
  await deleteQueuedEvents(records, listQueueTags(keyring, clientId));
  return { ...known, box, state: 'ending' };
}

/** Returns the id that the receiver will see. */
export async function enqueueTestEvent(
  services: Pick<Services, 'clock' | 'keyring' | 'store'>,
  clientId: string,
): Promise<string> {
  const { clock, keyring, store } = services;
  const facts = { clientId, type: 'callback.test', subject: generateId(), at: clock.now() } as const;
  const id = await store.transaction((records) => enqueueCallbackEvent(records, keyring, facts));
  if (id === null) throw createMissingError();
  return id;
}

function createMissingError(): ServiceError {
  return new ServiceError('not_found', { detail: 'This client has set no callback.' });
}
