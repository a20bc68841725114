/** What should be true: purchases, cases and agents as a careful bookkeeper beside the office would write them down. */
import { DAY_MS, HOUR_MS } from '#platform/durations.ts';
import { UNPAID_ORDER_DAYS } from '#platform/expiry.ts';
import type { CaseState } from '#wire/case-states.ts';

export type PaymentTruth = 'open' | 'processing' | 'paid' | 'failed' | 'expired' | 'refunded' | 'disputed';

export interface Agent {
  readonly number: number;
  readonly client: { readonly clientId: string; readonly clientSecret: string };
  token: { readonly value: string; readonly until: number } | null;
  /** Tokens that were given back, which nothing may accept again. */
  readonly revoked: string[];
  hasWebhook: boolean;
}

export interface Purchase {
  readonly number: number;
  readonly tier: string;
  readonly sessionId: string;
  readonly agent: Agent | null;
  readonly orderId: string | null;
  readonly createdAt: number;
  /** At the provider. */
  truth: PaymentTruth;
  /** What the office was told last; it may know more by now, never less. */
  told: PaymentTruth | 'disputed before';
  opened: SimulatedCase | null;
  form: { readonly cookie: string; readonly token: string } | null;
  /** The provider's name of the payment, once there is one. */
  payment: string | null;
  dispute: string | null;
  /** After a restore, until an operator has looked at it. */
  isHeld: boolean;
}

/** A sealed object, or what the desk has written. */
export interface Part {
  readonly kind: string;
  readonly seq: number;
  readonly bytes: Buffer;
  /** What only the sender knows of it, to look for in files. */
  readonly marker: Buffer;
  /** Whether the buyer must not see it before its release. */
  isAnswer: boolean;
  /** From when the buyer may read it. */
  at: number;
}

export interface SimulatedCase {
  readonly number: number;
  readonly id: string;
  readonly tier: string;
  readonly lookupToken: string;
  readonly lookupHash: string;
  readonly caseKey: Buffer;
  readonly agent: Agent | null;
  /** Its agent had a webhook when it was opened. */
  readonly isFollowed: boolean;
  /** Of a case that the office itself has sealed. */
  readonly words: string | null;
  readonly dueAt: number;
  state: CaseState;
  /** What the buyer is shown while an answer can be taken back. */
  shown: CaseState | null;
  releasedAt: number | null;
  keepDays: number;
  purgeAt: number | null;
  /** The date that it had before the desk asked for a purge. */
  keptUntil: number | null;
  isPurgeAsked: boolean;
  findingSeq: number;
  parts: Part[];
  noticeAddress: string | null;
  /** Purged for good: nothing of it may come back. */
  isGone: boolean;
  /** A sweep has been since: its bytes are gone from the files, too. */
  isErased: boolean;
}

/** A sealed file that no case names yet. */
interface Upload {
  readonly part: Part;
  readonly at: number;
  isDeleted: boolean;
  isGone: boolean;
}

export interface Model {
  readonly agents: Agent[];
  purchases: Purchase[];
  cases: SimulatedCase[];
  uploads: Upload[];
  /** Every step of every case, as `received → in_progress`. */
  readonly transitions: Map<string, number>;
}

export function createModel(): Model {
  return { agents: [], purchases: [], cases: [], uploads: [], transitions: new Map() };
}

/** Nothing was paid in all the time for which the office keeps an unpaid order; it may have asked the provider itself. */
export function mayBeForgotten({ truth, createdAt }: Purchase, now: number): boolean {
  return ['open', 'failed', 'expired'].includes(truth) && createdAt <= now - UNPAID_ORDER_DAYS * DAY_MS;
}

const OPEN_STATES: readonly CaseState[] = ['received', 'in_progress', 'awaiting_client'];
const DECLINED_DAYS = 7;
const WITHDRAWN_HOURS = 24;

export function isOpen(state: CaseState): boolean {
  return OPEN_STATES.includes(state);
}

/** Not purged, and not past its date. */
export function isThere({ isGone, purgeAt }: SimulatedCase, now: number): boolean {
  return !isGone && (purgeAt === null || purgeAt > now);
}

/** What is further away than any hold was written while the clock was ahead, and has been read. */
export function isOnHold({ shown, releasedAt }: SimulatedCase, now: number): boolean {
  return shown !== null && releasedAt !== null && releasedAt > now && releasedAt <= now + DAY_MS;
}

/** Asked and not answered yet, or answered and not read: states that last a short time, and that few commands meet by chance. */
export function listBrief(cases: readonly SimulatedCase[], now: number): SimulatedCase[] {
  return cases.filter((one) => one.state === 'awaiting_client' || isOnHold(one, now));
}

/** The state as the buyer is told it. */
export function getShownState(one: SimulatedCase, now: number): CaseState {
  return isOnHold(one, now) && one.shown !== null ? one.shown : one.state;
}

/**
 * While the clock is behind by less than a day, the desk's last message cannot be told from a decline on hold, unless the
 * case is shown as declined. If it is behind by more, a decline has been read already.
 */
export function listShownParts(one: SimulatedCase, now: number): Part[] {
  const last = one.parts.findLast(({ kind }) => kind === 'desk-message.v1');
  const isDeclineOut = one.state === 'declined' && !isOnHold(one, now);
  const isYetToCome = (part: Part) =>
    !isDeclineOut && part === last && part.at > now && part.at <= now + DAY_MS;
  const isHidden = ({ kind, isAnswer }: Part) => kind === 'finding.v1' && isAnswer && isOnHold(one, now);
  return one.parts.filter((part) => !isHidden(part) && !isYetToCome(part));
}

export function countParts({ parts }: SimulatedCase, kind: string): number {
  return parts.filter((part) => part.kind === kind).length;
}

export function moveCase(model: Model, one: SimulatedCase, to: CaseState): void {
  const step = `${one.state} → ${to}`;
  model.transitions.set(step, (model.transitions.get(step) ?? 0) + 1);
  one.state = to;
}

/** The desk answers; the buyer reads it after the time in which it can be taken back, but in time. */
export function answerCase(
  model: Model,
  one: SimulatedCase,
  to: 'delivered' | 'declined',
  { now, undoMs }: { readonly now: number; readonly undoMs: number },
): void {
  one.releasedAt = one.dueAt > now ? Math.min(now + undoMs, one.dueAt) : now + undoMs;
  one.shown = one.releasedAt > now ? one.state : null;
  one.purgeAt = one.releasedAt + (to === 'delivered' ? one.keepDays : DECLINED_DAYS) * DAY_MS;
  clearAskedPurge(one);
  moveCase(model, one, to);
}

/** What only the desk has seen goes out of the case. */
export function discardAnswer(model: Model, one: SimulatedCase, to: CaseState, purgeAt: number | null): void {
  one.parts = one.parts.filter(({ isAnswer }) => !isAnswer);
  one.releasedAt = null;
  one.shown = null;
  one.purgeAt = purgeAt;
  clearAskedPurge(one);
  moveCase(model, one, to);
}

export function withdrawCase(model: Model, one: SimulatedCase, now: number): void {
  const purgeAt = now + WITHDRAWN_HOURS * HOUR_MS;
  one.noticeAddress = null;
  // What is already released stays in the case.
  if (!isOnHold(one, now)) for (const part of one.parts) part.isAnswer = false;
  discardAnswer(model, one, 'withdrawn', purgeAt);
}

/** With any message or request for a purge, an answer that the buyer could read is released for good, whatever the clock says later. */
export function noteReleased(one: SimulatedCase, now: number): void {
  if (!isOnHold(one, now)) one.shown = null;
}

/** The buyer writes: a question that is shown as open is answered by it. */
export function noteBuyerMessage(model: Model, one: SimulatedCase, now: number): void {
  noteReleased(one, now);
  if (getShownState(one, now) !== 'awaiting_client') return;
  if (isOnHold(one, now)) one.shown = 'in_progress';
  else {
    clearAskedPurge(one);
    moveCase(model, one, 'in_progress');
  }
}

export function keepCase(one: SimulatedCase, days: number): void {
  one.keepDays = days;
  if (one.state === 'delivered' && one.releasedAt !== null) one.purgeAt = one.releasedAt + days * DAY_MS;
  clearAskedPurge(one);
}

/** A new date takes the place of the one that the desk has asked for. */
export function clearAskedPurge(one: SimulatedCase): void {
  one.isPurgeAsked = false;
  one.keptUntil = null;
}
