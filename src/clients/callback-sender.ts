/** Sends events to callbacks: one at a time to each client, many clients at once, again and again for some days. */
import { setTimeout as sleep } from 'node:timers/promises';
import { resolveCallbackTarget, TargetFault } from '#platform/callback-target.ts';
import { cutToDay } from '#platform/day.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#platform/durations.ts';
import { readErrorCode } from '#platform/error-code.ts';
import { toIsoTime } from '#platform/iso-time.ts';
import { toErrorTrace } from '#platform/log.ts';
import { postPinned } from '#platform/pinned-post.ts';
import { giveWay } from '#platform/turns.ts';
import type { Services } from '#services.ts';
import {
  type CallbackFacts,
  type EventFacts,
  findClientCallback,
  openCallback,
  openCallbackEvent,
} from '#store/callback-boxes.ts';
import {
  type CallbackEvent,
  claimCallbackEvents,
  deleteCallbackEvent,
  hasDueCallbackEvents,
  postponeCallbackEvent,
} from '#store/callback-events.ts';
import { type Callback, updateCallback } from '#store/callbacks.ts';
import { findCase } from '#store/cases.ts';
import { findActiveClient } from '#store/clients.ts';
import { endCallback } from './callback.ts';
import { buildSignedHeaders } from './callback-signature.ts';
import { computeEventPause, isEventTurn, listEventTurns } from './callback-times.ts';

/** A receiver that takes longer has failed. */
export const ANSWER_SECONDS = 5;
/** So many clients are told at once. */
const LANES = 16;
const BATCH = 10;
/** Longer than a batch takes, so that no other instance sends the same meanwhile. */
const LEASE_MS = MINUTE_MS;
/** How often something new is looked for while others do not answer. */
const LOOK_MS = 250;
/** What else waits for a client whose receiver failed is not tried before. */
const MAX_REST_MS = MINUTE_MS;
const GONE = 410;

interface SenderOptions extends Pick<Services, 'callbackNetwork' | 'clock' | 'keyring' | 'log' | 'store'> {
  readonly sweepMs: number;
  /** From the connection to the status of the answer. */
  readonly answerMs?: number;
}

interface OpenedEvent {
  readonly row: CallbackEvent;
  readonly facts: EventFacts;
}

/** Returns a function that sends everything that is due now. A receiver that does not answer holds up itself alone. */
export function createCallbackSender(options: SenderOptions): () => Promise<void> {
  const { clock, store, sweepMs } = options;
  const busy = new Map<string, Promise<undefined>>();
  const restsUntil = new Map<string, number>();
  const startSending = (clientId: string, events: readonly OpenedEvent[]) => {
    restsUntil.delete(clientId);
    const sending = sendOrLog(options, clientId, events).then((pause) => {
      busy.delete(clientId);
      if (pause > 0) restsUntil.set(clientId, clock.now() + Math.min(pause, MAX_REST_MS));
      return undefined;
    });
    busy.set(clientId, sending);
  };
  const claimEvents = async (): Promise<CallbackEvent[]> => {
    const now = clock.now();
    const kinds = listEventTurns(now, sweepMs);
    if (busy.size >= LANES || !(await hasDueCallbackEvents(store.records, kinds, now))) return [];
    const claim = { kinds, now, until: now + LEASE_MS, limit: BATCH };
    return await store.transaction((records) => claimCallbackEvents(records, claim));
  };
  return async () => {
    for (;;) {
      const claimed = await claimEvents();
      const opened = await openEvents(options, claimed);
      for (const [clientId, events] of Map.groupBy(opened, ({ facts }) => facts.clientId))
        if (!busy.has(clientId) && (restsUntil.get(clientId) ?? 0) <= clock.now())
          startSending(clientId, events);
        else
          await postponeAll(
            options,
            events,
            Math.max(clock.now() + SECOND_MS, restsUntil.get(clientId) ?? 0),
          );
      if (claimed.length === 0 && busy.size === 0) return;
      if (claimed.length === 0) await Promise.race([...busy.values(), sleep(LOOK_MS)]);
      await giveWay();
    }
  };
}

/** One whose key is missing waits for it; in the end it goes like any other. */
async function openEvents(
  { clock, keyring, store }: SenderOptions,
  rows: readonly CallbackEvent[],
): Promise<OpenedEvent[]> {
  const opened: OpenedEvent[] = [];
  const unreadable: CallbackEvent[] = [];
  for (const row of rows)
    try {
      opened.push({ row, facts: openCallbackEvent(keyring, row) });
    } catch {
      unreadable.push(row);
    }
  const dueAt = clock.now() + HOUR_MS;
  if (unreadable.length > 0)
    await store.transaction(async (records) => {
      for (const { id, attempts, ends_at: endsAt } of unreadable)
        if (dueAt > endsAt) await deleteCallbackEvent(records, id);
        else await postponeCallbackEvent(records, { id, attempts, dueAt });
    });
  return opened;
}

async function postponeAll(
  { store }: Pick<SenderOptions, 'store'>,
  events: readonly OpenedEvent[],
  dueAt: number,
): Promise<void> {
  if (events.length > 0)
    await store.transaction(async (records) => {
      for (const { row } of events)
        await postponeCallbackEvent(records, { id: row.id, attempts: row.attempts, dueAt });
    });
}

/** What could not be noted, as while the store is away, is sent again when its lease ends. */
async function sendOrLog(...[options, clientId, events]: Parameters<typeof sendToClient>): Promise<number> {
  try {
    return await sendToClient(options, clientId, events);
  } catch (error) {
    options.log.event('task_failed', { task: 'tell a program', ...toErrorTrace(error) });
    return 0;
  }
}

/** After the first failure the others wait, too. Returns for how long, or 0. */
async function sendToClient(
  options: SenderOptions,
  clientId: string,
  events: readonly OpenedEvent[],
): Promise<number> {
  const { clock, sweepMs } = options;
  for (const [index, event] of events.entries()) {
    const isTurn = isEventTurn(event.row.kind, clock.now(), sweepMs);
    const pause = isTurn ? await sendEvent(options, clientId, event) : 0;
    if (isTurn && pause === 0) continue;
    await postponeAll(options, events.slice(isTurn ? index + 1 : index), clock.now() + pause);
    return pause;
  }
  return 0;
}

/** Returns how long to wait before the next attempt; 0 if the event is done with. */
async function sendEvent(options: SenderOptions, clientId: string, event: OpenedEvent): Promise<number> {
  const { keyring, log, store } = options;
  const { row } = event;
  const callback = await findClientCallback(store.records, keyring, clientId);
  const client = callback && (await findActiveClient(store.records, clientId));
  if (!callback || !client || !(await isStillTrue(options, event))) {
    await store.transaction((records) => deleteCallbackEvent(records, row.id));
    return 0;
  }
  const outcome = await attemptDelivery(options, openCallback(keyring, callback), event);
  if (outcome === GONE) {
    await store.transaction(async (records) => {
      await deleteCallbackEvent(records, row.id);
      await endCallback(options, records, clientId);
    });
    return 0;
  }
  if (typeof outcome === 'string')
    log.event('callback_failed', { attempt: row.attempts + 1, reason: outcome });
  return await recordOutcome(options, callback, row, typeof outcome === 'string' ? outcome : null);
}

/** Of a case that is gone only the purge is told. */
async function isStillTrue({ clock, store }: SenderOptions, { row, facts }: OpenedEvent): Promise<boolean> {
  if (row.kind !== 'case' || facts.type === 'case.purged') return true;
  return (await findCase(store.records, facts.subject, clock.now())) !== undefined;
}

/** Returns a status that ends the matter, or a sentence about what failed. */
async function attemptDelivery(
  { callbackNetwork, clock, answerMs = ANSWER_SECONDS * SECOND_MS }: SenderOptions,
  { url, secret }: CallbackFacts,
  { row, facts }: OpenedEvent,
): Promise<number | string> {
  const { type, subject, at } = facts;
  const body = JSON.stringify({ type, timestamp: toIsoTime(at), data: { id: subject } });
  try {
    const target = await resolveCallbackTarget(callbackNetwork, url);
    const id = formatEventId(row.id);
    const status = await postPinned(target, {
      headers: {
        'content-type': 'application/json',
        'user-agent': 'inquiry-office',
        ...buildSignedHeaders(secret, { id, body, now: clock.now() }),
      },
      body,
      timeoutMs: answerMs,
    });
    return (status >= 200 && status < 300) || status === GONE ? status : `The receiver answered ${status}.`;
  } catch (error) {
    return describeFault(error);
  }
}

/** As receivers and the answer to a test show it. */
export function formatEventId(id: string): string {
  return `evt_${id}`;
}

/** Without anything that the receiver or its name service wrote. */
function describeFault(error: unknown): string {
  if (error instanceof TargetFault) return error.message;
  const code = readErrorCode(error);
  if (code === 'ABORT_ERR') return `The receiver did not answer within ${ANSWER_SECONDS} seconds.`;
  if (/CERT|SELF_SIGNED|UNABLE_TO|ALTNAME/.test(code)) return 'The certificate of the receiver is not valid.';
  return code === 'ECONNREFUSED'
    ? 'The receiver refuses connections.'
    : 'The connection to the receiver failed.';
}

/** Keeps the day alone: a finer time would find the case or the order of the same hour. */
async function recordOutcome(
  { clock, store }: SenderOptions,
  { id: callbackId, last_on: lastOn, last_fault: lastFault }: Callback,
  { id, attempts: before, ends_at: endsAt }: CallbackEvent,
  fault: string | null,
): Promise<number> {
  const now = clock.now();
  const today = cutToDay(now);
  const attempts = before + 1;
  const pause = fault === null || now >= endsAt ? 0 : computeEventPause(attempts);
  await store.transaction(async (records) => {
    if (lastOn !== today || lastFault !== fault)
      await updateCallback(records, callbackId, { last_on: today, last_fault: fault });
    if (pause === 0) await deleteCallbackEvent(records, id);
    else await postponeCallbackEvent(records, { id, attempts, dueAt: now + pause });
  });
  return pause;
}
