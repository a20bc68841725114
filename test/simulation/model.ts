/** The expected state: purchases, cases and agents, tracked independently of the office. */
import { DAY_MS, HOUR_MS } from '#platform/durations.ts';
import { UNPAID_ORDER_DAYS } from '#platform/expiry.ts';
import type { CaseState } from '#wire/case-states.ts';

export type PaymentTruth = 'open' | 'processing' | 'paid' | 'failed' | 'expired' | 'refunded' | 'disputed';

export interface Agent {
  readonly number: number;
  readonly client: { readonly clientId: string; readonly clientSecret: string };
  token: { readonly value: string; readonly until: number } | null;
  /** Tokens that were revoked, which must never be accepted again. */
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
  /** The state at the provider. */
  truth: PaymentTruth;
  /** The state that was last reported to the office; it may know more by now, never less. */
  told: PaymentTruth | 'disputed before';
  opened: SimulatedCase | null;
  form: { readonly cookie: string; readonly token: string } | null;
  /** The provider's id of the payment, once it exists. */
  payment: string | null;
  dispute: string | null;
  /** True after a restore, until an operator has released the order. */
  isHeld: boolean;
}

/** A sealed object, or what the desk has written. */
export interface Part {
  readonly kind: string;
  readonly seq: number;
  readonly bytes: Buffer;
  /** Random bytes of this part, to search for in files. */
  readonly marker: Buffer;
  /** True if the buyer must not see the part before its release. */
  isAnswer: boolean;
  /** The time from which the buyer may read the part. */
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
  /** True if the agent had a webhook when the case was opened. */
  readonly isFollowed: boolean;
  /** The words, for a case that the office itself has sealed. */
  readonly words: string | null;
  readonly dueAt: number;
  state: CaseState;
  /** The state that the buyer sees while an answer can be taken back. */
  shown: CaseState | null;
  releasedAt: number | null;
  keepDays: number;
  purgeAt: number | null;
  /** The purge date from before the desk requested a purge. */
  keptUntil: number | null;
  isPurgeAsked: boolean;
  findingSeq: number;
  parts: Part[];
  noticeAddress: string | null;
  /** Purged permanently: nothing of the case may reappear. */
  isGone: boolean;
  /** True after the next sweep: the bytes have been removed from the files, too. */
  isErased: boolean;
}

/** A sealed file that no case names yet. */
interface Upload {
  readonly part: Part;
  readonly at: number;
  isDeleted: boolean;
  isGone: boolean;
}

type Model = ReturnType<typeof createModel>;

export function createModel() {
  return {
    agents: [] as Agent[],
    purchases: [] as Purchase[],
    cases: [] as SimulatedCase[],
    uploads: [] as Upload[],
    /** The count of each transition, such as `received → in_progress`. */
    transitions: new Map<string, number>(),
  };
}

/** True after the time for which the office stores an unpaid order; it may have learned its state from the provider. */
export function mayBeForgotten({ truth, createdAt }: Purchase, now: number): boolean {
  return ['open', 'failed', 'expired'].includes(truth) && createdAt <= now - UNPAID_ORDER_DAYS * DAY_MS;
}

export const KEEP_DAYS = [30, 90, 180, 365] as const;
const OPEN_STATES: readonly CaseState[] = ['received', 'in_progress', 'awaiting_client'];
const DECLINED_DAYS = 7;
const WITHDRAWN_HOURS = 24;

export function isOpen(state: CaseState): boolean {
  return OPEN_STATES.includes(state);
}

/** True if the case is not purged and not past its date. */
export function isThere({ isGone, purgeAt }: SimulatedCase, now: number): boolean {
  return !isGone && (purgeAt === null || purgeAt > now);
}

/** A release later than any hold was set while the clock was ahead, so the answer has been read. */
export function isOnHold({ shown, releasedAt }: SimulatedCase, now: number): boolean {
  return shown !== null && releasedAt !== null && releasedAt > now && releasedAt <= now + DAY_MS;
}

/** Lists cases with an open question or an answer on hold: short states, which few commands meet by chance. */
export function listBrief(cases: readonly SimulatedCase[], now: number): SimulatedCase[] {
  return cases.filter((one) => one.state === 'awaiting_client' || isOnHold(one, now));
}

/** Returns the state that the buyer sees. */
export function getShownState(one: SimulatedCase, now: number): CaseState {
  return isOnHold(one, now) && one.shown !== null ? one.shown : one.state;
}

/**
 * While the clock is behind by less than a day, the desk's last message cannot be distinguished from a decline on hold,
 * unless the case is shown as declined. If it is behind by more, a decline has already been read.
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

/** Records an answer: the buyer can read it after the hold, but not later than the case is due. */
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

/** Removes what only the desk has seen from the case. */
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
  // A released answer stays in the case.
  if (!isOnHold(one, now)) for (const part of one.parts) part.isAnswer = false;
  discardAnswer(model, one, 'withdrawn', purgeAt);
}

/** A message or purge request permanently releases an answer that the buyer could read, even if the clock goes back. */
export function noteReleased(one: SimulatedCase, now: number): void {
  if (!isOnHold(one, now)) one.shown = null;
}

/** Records a message of the buyer, which answers a question that is shown as open. */
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

/** Cancels the purge date that the desk has requested, because a new date replaces it. */
export function clearAskedPurge(one: SimulatedCase): void {
  one.isPurgeAsked = false;
  one.keptUntil = null;
}
