/** Sends events to webhooks: one at a time to each client, to many clients at once, with retries for some days. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isCaseEventTrue } from '#cases/case-events.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#platform/durations.ts';
import { toErrorTrace } from '#platform/log.ts';
import { cutToDay } from '#platform/text/day.ts';
import { giveWay } from '#platform/turns.ts';
import type { Services } from '#services.ts';
import { findActiveClient } from '#store/clients/clients.ts';
import {
  computeQueueTag,
  type EventFacts,
  findClientWebhook,
  listQueueTags,
  openWebhook,
  openWebhookEvent,
} from '#store/clients/webhook-ciphertexts.ts';
import {
  claimWebhookEvent,
  deleteWebhookEvent,
  hasDueWebhookEvents,
  isWebhookEventClaimed,
  postponeQueuedEvents,
  postponeWebhookEvent,
  updateWebhook,
  type Webhook,
  type WebhookEvent,
} from '#store/clients/webhooks.ts';
import { EVENT_KINDS, type EventKind } from '#store/schema/column-values.ts';
import type { Records } from '#store/schema/tables.ts';
import { endWebhook } from './webhook.ts';
import { attemptDelivery, type DeliveryOutcome } from './webhook-delivery.ts';

/**
 * Events of orders and of cases are sent a sweep apart, so that their times do not link an order to a case. The turns
 * (orders, silence, cases, silence) follow the clock, so that all instances agree.
 */
const EVENT_TURNS = ['order', null, 'case', null] as const satisfies readonly (EventKind | null)[];

const FIRST_PAUSE_MS = 5 * SECOND_MS;
const MAX_PAUSE_MS = HOUR_MS;

/** How many clients are sent events at once. */
const LANES = 16;
/** Longer than one attempt takes, DNS included, so that no other instance sends the same event meanwhile. */
const LEASE_MS = MINUTE_MS;
/** How often to look for new events while receivers have not answered. */
const LOOK_MS = 250;
/** The longest time that other events of a client wait after its receiver failed. */
const MAX_REST_MS = MINUTE_MS;

interface SenderOptions extends Pick<Services, 'webhookNetwork' | 'clock' | 'keyring' | 'log' | 'store'> {
  readonly sweepMs: number;
  readonly answerMs?: number;
}

interface OpenedEvent {
  readonly row: WebhookEvent;
  readonly facts: EventFacts;
}

/** Returns a function that sends whatever is due now. A receiver that does not answer delays only its own events. */
export function createWebhookSender(options: SenderOptions): () => Promise<void> {
  const { clock, keyring, store, sweepMs } = options;
  const busy = new Map<string, Promise<void>>();
  const claimEvent = async (): Promise<WebhookEvent | undefined> => {
    if (busy.size >= LANES) return undefined;
    const now = clock.now();
    const busyTags = [...busy.keys()].flatMap((clientId) => listQueueTags(keyring, clientId));
    const due = { kinds: listEventTurns(now, sweepMs), now, busyTags };
    if (!(await hasDueWebhookEvents(store.records, due))) return undefined;
    return await store.transaction((records) =>
      claimWebhookEvent(records, { ...due, until: now + LEASE_MS }),
    );
  };
  return async () => {
    for (;;) {
      const row = await claimEvent();
      const event = row && (await openEvent(options, row));
      if (event) {
        const { clientId } = event.facts;
        // If the outcome cannot be stored, the event is sent again when its lease ends.
        const sending = sendEvent(options, event).catch((error: unknown) =>
          options.log.event('task_failed', { task: 'tell a program', ...toErrorTrace(error) }),
        );
        busy.set(
          clientId,
          sending.then(() => void busy.delete(clientId)),
        );
      }
      if (!row && busy.size === 0) return;
      if (!row) await Promise.race([...busy.values(), sleep(LOOK_MS)]);
      await giveWay();
    }
  };
}

/** Postpones an event whose key is missing; the event is eventually deleted like any other. */
async function openEvent(
  { clock, keyring, store }: SenderOptions,
  row: WebhookEvent,
): Promise<OpenedEvent | null> {
  try {
    return { row, facts: openWebhookEvent(keyring, row) };
  } catch {
    const dueAt = computeEventDue(clock.now() + HOUR_MS);
    await store.transaction((records) => postponeWebhookEvent(records, { ...row, dueAt }));
    return null;
  }
}

async function sendEvent(options: SenderOptions, event: OpenedEvent): Promise<void> {
  const { answerMs, webhookNetwork, clock, keyring, log, store, sweepMs } = options;
  const { row, facts } = event;
  const webhook = await findReceiver(options, facts);
  if (!webhook) return void (await store.transaction((records) => deleteWebhookEvent(records, row.id)));
  const outcome = await attemptDelivery({
    network: webhookNetwork,
    webhook: openWebhook(keyring, webhook),
    id: row.id,
    facts,
    readTime: () => clock.now(),
    isStillWanted: async () =>
      (await isWebhookEventClaimed(store.records, row)) &&
      isSameWebhook(webhook, await findReceiver(options, facts)) &&
      isEventTurn(row.kind, clock.now(), sweepMs),
    answerMs,
  });
  if (outcome.kind === 'failed')
    log.event('callback_failed', { attempt: row.attempts + 1, reason: outcome.fault });
  await store.transaction((records) => recordOutcome(options, records, { event, webhook, outcome }));
}

/** Undefined if the event should no longer be sent to the client. */
async function findReceiver(
  { clock, keyring, store }: SenderOptions,
  { clientId, type, subject }: EventFacts,
): Promise<Webhook | undefined> {
  const webhook = await findClientWebhook(store.records, keyring, clientId);
  if (!webhook || !(await findActiveClient(store.records, clientId))) return undefined;
  if (type === 'order.paid' || type === 'callback.test') return webhook;
  return (await isCaseEventTrue(store.records, { type, subject }, clock.now())) ? webhook : undefined;
}

/** A new address or a new secret changes the ciphertext. */
function isSameWebhook(one: Webhook, other: Webhook | undefined): boolean {
  return other !== undefined && Buffer.compare(one.ciphertext, other.ciphertext) === 0;
}

interface Delivery {
  readonly event: OpenedEvent;
  /** As it was read before the attempt. */
  readonly webhook: Webhook;
  readonly outcome: DeliveryOutcome;
}

/** An answer from the previous address of a webhook says nothing about the current one. */
async function recordOutcome(
  options: SenderOptions,
  records: Records,
  { event: { row, facts }, webhook, outcome }: Delivery,
): Promise<void> {
  const { keyring } = options;
  const isSame = isSameWebhook(webhook, await findClientWebhook(records, keyring, facts.clientId));
  if (outcome.kind === 'delivered') await deleteWebhookEvent(records, row.id);
  else if (!isSame || outcome.kind === 'put off')
    return await postponeWebhookEvent(records, { ...row, dueAt: row.due_at });
  if (!isSame) return;
  if (outcome.kind === 'gone') return void (await endWebhook(options, records, facts.clientId));
  await recordLastDelivery(options, records, webhook, outcome);
  if (outcome.kind === 'failed') await postponeFailed(options, records, { row, facts });
}

/** Stores only the day: a finer time could be linked to the case or the order of the same hour. */
async function recordLastDelivery(
  { clock }: SenderOptions,
  records: Records,
  { id, last_on: lastOn, last_fault: lastFault }: Webhook,
  outcome: DeliveryOutcome,
): Promise<void> {
  const today = cutToDay(clock.now());
  const fault = outcome.kind === 'failed' ? outcome.fault : null;
  if (lastOn !== today || lastFault !== fault)
    await updateWebhook(records, id, { last_on: today, last_fault: fault });
}

/** Other events of the same kind for this client are postponed, too. */
async function postponeFailed(
  { clock, keyring }: SenderOptions,
  records: Records,
  { row, facts }: OpenedEvent,
): Promise<void> {
  const attempts = row.attempts + 1;
  const pause = computeEventPause(attempts);
  const restUntil = computeEventDue(clock.now() + Math.min(pause, MAX_REST_MS));
  await postponeQueuedEvents(records, computeQueueTag(keyring, facts.clientId, row.kind), restUntil);
  await postponeWebhookEvent(records, { id: row.id, attempts, dueAt: computeEventDue(clock.now() + pause) });
}

/** A test can be sent at any time: it reveals nothing about an order or a case. */
export function isEventTurn(kind: EventKind, now: number, sweepMs: number): boolean {
  // An attempt takes some seconds, and must not run into the next turn.
  const turnMs = Math.max(sweepMs, MINUTE_MS);
  return kind === 'test' || EVENT_TURNS[Math.floor(now / turnMs) % EVENT_TURNS.length] === kind;
}

export function listEventTurns(now: number, sweepMs: number): readonly EventKind[] {
  return EVENT_KINDS.filter((kind) => isEventTurn(kind, now, sweepMs));
}

/** Doubles with each failure. */
export function computeEventPause(attempts: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), MAX_PAUSE_MS);
}

/** Rounds up to the minute, because the row of an event has no finer time. */
function computeEventDue(at: number): number {
  return Math.ceil(at / MINUTE_MS) * MINUTE_MS;
}
