/** When events may leave: those of orders and those of cases a sweep apart, so that their times tie none together. */
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#platform/durations.ts';
import { EVENT_KINDS, type EventKind } from '#store/column-values.ts';

/** One sweep for orders, one of silence, one for cases, one of silence; by the clock, so that all instances agree. */
const TURNS = ['order', null, 'case', null] as const satisfies readonly (EventKind | null)[];

const FIRST_PAUSE_MS = 5 * SECOND_MS;
const MAX_PAUSE_MS = HOUR_MS;

/** A test has no turn: it tells nothing of an order or a case. */
export function isEventTurn(kind: EventKind, now: number, sweepMs: number): boolean {
  // An attempt takes some seconds, and must not last into the turn of others.
  const turnMs = Math.max(sweepMs, MINUTE_MS);
  return kind === 'test' || TURNS[Math.floor(now / turnMs) % TURNS.length] === kind;
}

export function listEventTurns(now: number, sweepMs: number): readonly EventKind[] {
  return EVENT_KINDS.filter((kind) => isEventTurn(kind, now, sweepMs));
}

/** Twice as long after each failure. */
export function computeEventPause(attempts: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), MAX_PAUSE_MS);
}

/** The next full minute: the row of an event has no finer time. */
export function computeEventDue(at: number): number {
  return Math.ceil(at / MINUTE_MS) * MINUTE_MS;
}
