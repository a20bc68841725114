/** What of a callback is encrypted: whose it is, where it goes, and what each event says. */

import { DAY_MS } from '#platform/durations.ts';
import { cutToDay } from '#platform/text/day.ts';
import { generateId } from '#platform/text/ids.ts';
import type { Keyring } from '../keys/keyring.ts';
import { EVENT_KINDS, type EventKind } from '../schema/column-values.ts';
import type { Records } from '../schema/tables.ts';
import {
  type CallbackEvent,
  countQueuedEvents,
  deleteQueuedEvents,
  insertCallbackEvent,
} from './webhook-events.ts';
import { type Callback, findCallback } from './webhooks.ts';

export const CALLBACK_PURPOSE = 'callback';
export const CALLBACK_CLIENT_PURPOSE = 'callback client';
export const CALLBACK_EVENT_PURPOSE = 'callback event';

/** An event is no longer tried on the day that comes so many days later. */
export const EVENT_DAYS = 3;
/** Of each kind, for one client. */
export const MAX_WAITING_EVENTS = 100;
/** In bytes; longer than any event, so that the length of its box does not tell what it is. */
const EVENT_LENGTH = 192;

/** The types by what they are about. */
export const CALLBACK_EVENTS = {
  order: ['order.paid'],
  case: ['case.question', 'case.delivered', 'case.purge_soon', 'case.purged'],
  test: ['callback.test'],
} as const satisfies Record<EventKind, readonly string[]>;

export type CaseEventType = (typeof CALLBACK_EVENTS)['case'][number];
type CallbackEventType = (typeof CALLBACK_EVENTS)[EventKind][number];

export interface CallbackFacts {
  readonly clientId: string;
  readonly url: string;
  readonly secret: string;
}

export function computeCallbackTag(keyring: Keyring, clientId: string): string {
  return keyring.tag(CALLBACK_PURPOSE, clientId);
}

export function sealCallback(keyring: Keyring, id: string, facts: CallbackFacts): Uint8Array {
  return keyring.seal(CALLBACK_PURPOSE, JSON.stringify(facts), id);
}

export function openCallback(keyring: Keyring, { id, box }: Pick<Callback, 'id' | 'box'>): CallbackFacts {
  return JSON.parse(keyring.open(CALLBACK_PURPOSE, box, id)) as CallbackFacts;
}

/** Undefined if the client has none, or has removed it. */
export async function findClientCallback(
  records: Records,
  keyring: Keyring,
  clientId: string,
): Promise<Callback | undefined> {
  const callback = await findCallback(records, computeCallbackTag(keyring, clientId));
  return callback?.state === 'ending' ? undefined : callback;
}

/** For an order or a case, whose id is the context: two of them share no value. */
export function sealCallbackClient(keyring: Keyring, clientId: string, recordId: string): Uint8Array {
  return keyring.seal(CALLBACK_CLIENT_PURPOSE, clientId, recordId);
}

/** Null if it cannot be read: then nobody is told, but nothing else is held up. */
export function openCallbackClient(keyring: Keyring, box: Uint8Array, recordId: string): string | null {
  try {
    return keyring.open(CALLBACK_CLIENT_PURPOSE, box, recordId);
  } catch {
    return null;
  }
}

export interface EventFacts {
  readonly clientId: string;
  readonly type: CallbackEventType;
  /** Of the order or the case. */
  readonly subject: string;
  readonly at: number;
}

/** Events of one client and one kind have the same, those of another kind another one. */
export function computeQueueTag(keyring: Keyring, clientId: string, kind: EventKind): string {
  return keyring.tag(CALLBACK_EVENT_PURPOSE, `${kind} ${clientId}`);
}

/** Of every kind. */
export function listQueueTags(keyring: Keyring, clientId: string): readonly string[] {
  return EVENT_KINDS.map((kind) => computeQueueTag(keyring, clientId, kind));
}

/**
 * Returns the id of the event; null if the callback is gone, or if too many wait already. It is due at once, and is
 * sent when events of its kind are. A test takes the place of the one that waits.
 */
export async function enqueueCallbackEvent(
  records: Records,
  keyring: Keyring,
  facts: EventFacts,
): Promise<string | null> {
  const { clientId, type, at } = facts;
  if (!(await findClientCallback(records, keyring, clientId))) return null;
  const kind = findEventKind(type);
  const tag = computeQueueTag(keyring, clientId, kind);
  if (kind === 'test') await deleteQueuedEvents(records, [tag]);
  if ((await countQueuedEvents(records, tag)) >= MAX_WAITING_EVENTS) return null;
  const id = generateId();
  const text = JSON.stringify(facts).padEnd(EVENT_LENGTH);
  // The day alone: a finer time would find the payment or the case.
  const day = cutToDay(at);
  await insertCallbackEvent(records, {
    id,
    kind,
    queue_tag: tag,
    box: keyring.seal(CALLBACK_EVENT_PURPOSE, text, id),
    due_at: day,
    ends_at: day + EVENT_DAYS * DAY_MS,
    attempts: 0,
    claimed_until: 0,
  });
  return id;
}

export function openCallbackEvent(keyring: Keyring, { id, box }: CallbackEvent): EventFacts {
  return JSON.parse(keyring.open(CALLBACK_EVENT_PURPOSE, box, id)) as EventFacts;
}

function findEventKind(type: CallbackEventType): EventKind {
  if (type === 'order.paid') return 'order';
  return type === 'callback.test' ? 'test' : 'case';
}
