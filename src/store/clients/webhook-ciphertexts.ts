/** The encrypted parts of a webhook: its client, its address and secret, and its events. */
import { DAY_MS } from '#platform/durations.ts';
import { cutToDay } from '#platform/text/day.ts';
import { generateId } from '#platform/text/ids.ts';
import { EVENT_DAYS, WEBHOOK_EVENTS, type WebhookEventType } from '#platform/webhook-event-types.ts';
import type { Keyring } from '../keys/keyring.ts';
import { EVENT_KINDS, type EventKind } from '../schema/column-values.ts';
import type { Records } from '../schema/tables.ts';
import {
  countQueuedEvents,
  deleteQueuedEvents,
  findWebhook,
  insertWebhookEvent,
  type Webhook,
  type WebhookEvent,
} from './webhooks.ts';

export const WEBHOOK_PURPOSE = 'callback';
export const WEBHOOK_CLIENT_PURPOSE = 'callback client';
export const WEBHOOK_EVENT_PURPOSE = 'callback event';

/** For each kind of event of one client. */
export const MAX_WAITING_EVENTS = 100;
/** In bytes; longer than any event, so that the length of its ciphertext does not reveal its type. */
const EVENT_LENGTH = 192;

export interface WebhookFacts {
  readonly clientId: string;
  readonly url: string;
  readonly secret: string;
}

export function computeWebhookTag(keyring: Keyring, clientId: string): string {
  return keyring.tag(WEBHOOK_PURPOSE, clientId);
}

export function sealWebhook(keyring: Keyring, id: string, facts: WebhookFacts): Uint8Array {
  return keyring.seal(WEBHOOK_PURPOSE, JSON.stringify(facts), id);
}

export function openWebhook(
  keyring: Keyring,
  { id, ciphertext }: Pick<Webhook, 'id' | 'ciphertext'>,
): WebhookFacts {
  return JSON.parse(keyring.open(WEBHOOK_PURPOSE, ciphertext, id)) as WebhookFacts;
}

/** Undefined if the client has none, or has removed it. */
export async function findClientWebhook(
  records: Records,
  keyring: Keyring,
  clientId: string,
): Promise<Webhook | undefined> {
  const webhook = await findWebhook(records, computeWebhookTag(keyring, clientId));
  return webhook?.state === 'ending' ? undefined : webhook;
}

/** The context is the id of the order or case, so that no two of them share a ciphertext. */
export function sealWebhookClient(keyring: Keyring, clientId: string, recordId: string): Uint8Array {
  return keyring.seal(WEBHOOK_CLIENT_PURPOSE, clientId, recordId);
}

/** Null if it cannot be decrypted: then no client is notified, but nothing else is held up. */
export function openWebhookClient(keyring: Keyring, ciphertext: Uint8Array, recordId: string): string | null {
  try {
    return keyring.open(WEBHOOK_CLIENT_PURPOSE, ciphertext, recordId);
  } catch {
    return null;
  }
}

export interface EventFacts {
  readonly clientId: string;
  readonly type: WebhookEventType;
  /** The id of the order or the case. */
  readonly subject: string;
  readonly at: number;
}

/** Events of one client and one kind share a tag. */
export function computeQueueTag(keyring: Keyring, clientId: string, kind: EventKind): string {
  return keyring.tag(WEBHOOK_EVENT_PURPOSE, `${kind} ${clientId}`);
}

export function listQueueTags(keyring: Keyring, clientId: string): readonly string[] {
  return EVENT_KINDS.map((kind) => computeQueueTag(keyring, clientId, kind));
}

/**
 * Returns the id of the event; null if the webhook was removed or too many events wait. The event is due at once,
 * and is sent when events of its kind are sent. A test event replaces a waiting one.
 */
export async function enqueueWebhookEvent(
  records: Records,
  keyring: Keyring,
  facts: EventFacts,
): Promise<string | null> {
  const { clientId, type, at } = facts;
  if (!(await findClientWebhook(records, keyring, clientId))) return null;
  const kind = findEventKind(type);
  const tag = computeQueueTag(keyring, clientId, kind);
  if (kind === 'test') await deleteQueuedEvents(records, [tag]);
  if ((await countQueuedEvents(records, tag)) >= MAX_WAITING_EVENTS) return null;
  const id = generateId();
  const text = JSON.stringify(facts).padEnd(EVENT_LENGTH);
  // Only the day: a finer time could be matched with the payment or the case.
  const day = cutToDay(at);
  await insertWebhookEvent(records, {
    id,
    kind,
    queue_tag: tag,
    ciphertext: keyring.seal(WEBHOOK_EVENT_PURPOSE, text, id),
    due_at: day,
    ends_at: day + EVENT_DAYS * DAY_MS,
    attempts: 0,
    claimed_until: 0,
  });
  return id;
}

export function openWebhookEvent(keyring: Keyring, { id, ciphertext }: WebhookEvent): EventFacts {
  return JSON.parse(keyring.open(WEBHOOK_EVENT_PURPOSE, ciphertext, id)) as EventFacts;
}

function findEventKind(type: WebhookEventType): EventKind {
  const typesByKind: Readonly<Record<EventKind, readonly string[]>> = WEBHOOK_EVENTS;
  return EVENT_KINDS.find((kind) => typesByKind[kind].includes(type))!;
}
