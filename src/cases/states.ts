/** The states of a case and its call, and the transitions between them. */
import { getTier, type TierName } from '#payments/tiers.ts';
import { ServiceError } from '#platform/errors.ts';
import { type CaseActor, messageKinds } from '#seal/case/message.ts';
import type { Services } from '#services.ts';
import {
  type Case,
  type CaseViewer,
  type ChangedCase,
  findCase,
  updateCaseIfUnchanged,
} from '#store/cases/cases.ts';
import { discardCaseObjects } from '#store/cases/object-deletion.ts';
import { findWholeCase, type WholeCase } from '#store/cases/whole-case.ts';
import type { Records } from '#store/schema/tables.ts';
import {
  CASE_STATES,
  type CallState,
  type CasePhase,
  type CaseState,
  casePhases,
} from '#wire/case-states.ts';
import { updateCaseEventTime } from './case-events.ts';
import { computePurgeTime, type KeepDays } from './ending/retention.ts';
import { FINDING_KINDS, isAnswerOnHold, toBuyerView } from './messages/buyer-view.ts';
import { discardNotice, updateNoticeTime } from './notices/notice-times.ts';

type CaseServices = Pick<Services, 'clock' | 'store'>;

const stateSentences: Readonly<Record<CaseState | CallState, string>> = {
  received: 'The case was received',
  in_progress: 'The case is being worked on',
  awaiting_client: 'The case waits for an answer',
  delivered: 'The case has been answered',
  declined: 'The case was declined',
  withdrawn: 'The case was withdrawn',
  none: 'No call is offered yet',
  offered: 'A call is offered',
  proposed: 'The buyer has proposed times for the call',
  booked: 'The call is booked',
  held: 'The call has taken place',
};

interface Transition<State> {
  readonly by: readonly CaseActor[];
  readonly from: readonly State[];
  readonly to: State;
}

export function getCasePhase({ state }: Pick<Case, 'state'>): CasePhase {
  return casePhases[state];
}

/** Past its due time, and still without an answer. */
export function isLateCase(record: Pick<Case, 'state' | 'due_at'>, now: number): boolean {
  return getCasePhase(record) === 'open' && record.due_at < now;
}

export const OPEN_STATES = listStatesByPhase('open');
/** Retention and call can be changed until a case is declined or withdrawn; both sides may write until it is purged. */
const UNCLOSED_STATES = listStatesByPhase('open', 'answered');
export const ENDED_STATES = listStatesByPhase('answered', 'closed');
/** A withdrawn case gets no notices and no notes: by withdrawing it, the buyer ends everything about it. */
export const UNWITHDRAWN_STATES: readonly CaseState[] = CASE_STATES.filter((state) => state !== 'withdrawn');

/** Purging is not a transition: it follows from `purge_at`, which a transition or the buyer sets. */
export const caseTransitions = {
  take: { by: ['desk'], from: ['received'], to: 'in_progress' },
  ask: { by: ['desk'], from: OPEN_STATES, to: 'awaiting_client' },
  answer: { by: ['buyer'], from: ['awaiting_client'], to: 'in_progress' },
  resume: { by: ['desk'], from: ['awaiting_client'], to: 'in_progress' },
  deliver: { by: ['desk'], from: OPEN_STATES, to: 'delivered' },
  decline: { by: ['desk'], from: OPEN_STATES, to: 'declined' },
  withdraw: { by: ['buyer'], from: OPEN_STATES, to: 'withdrawn' },
} as const satisfies Record<string, Transition<CaseState>>;

export type CaseAction = keyof typeof caseTransitions;

const UNHELD_CALLS = ['none', 'offered', 'proposed', 'booked'] as const;

/** The call that some tiers include. Its time is sealed in a message; only its state is stored here. */
export const callTransitions = {
  offer: { by: ['desk'], from: UNHELD_CALLS, to: 'offered' },
  // Allowed without an offer, and after a booking to ask for another time.
  propose: { by: ['buyer'], from: UNHELD_CALLS, to: 'proposed' },
  book: { by: ['desk'], from: UNHELD_CALLS, to: 'booked' },
  hold: { by: ['desk'], from: ['offered', 'proposed', 'booked'], to: 'held' },
} as const satisfies Record<string, Transition<CallState>>;

export type CallAction = keyof typeof callTransitions;

export async function requireCase(records: Records, id: string, now: number): Promise<Case> {
  const record = await findCase(records, id, now);
  if (!record) throw new ServiceError('case_unknown');
  return record;
}

/** The case with a list of its objects; a viewer finds only their own cases. */
export async function requireListedCase(
  { records, shredKeys }: Pick<Services['store'], 'records' | 'shredKeys'>,
  id: string,
  viewer: CaseViewer | null,
  now: number,
): Promise<Pick<WholeCase, 'record' | 'objects'>> {
  const listed = await findWholeCase({ records, shredKeys }, id, viewer, now, 'listed');
  if (!listed) throw new ServiceError('case_unknown');
  return listed;
}

interface ActMoment {
  readonly by: CaseActor;
  readonly now: number;
  /** Other changes to store with the action. */
  readonly also?: Partial<Case>;
}

export async function applyCaseAction(
  records: Records,
  record: Case,
  act: CaseAction,
  { by, now, also = {} }: ActMoment,
): Promise<Case> {
  if (by === 'buyer' && isAnswerOnHold(record, now))
    return await applyBuyerActionWhileOnHold(records, record, act, { now, also });
  const to = requireNextState(record, act, by);
  const changes = {
    state: to,
    ...(to === 'delivered' ? { delivered_at: now } : {}),
    ...(by === 'desk' && isTakenUp(record, to) ? { taken_at: now } : {}),
    purge_at: computePurgeTime(to, now, record.keep_days),
    ...also,
  };
  return await updateCaseOrThrow(records, record, changes, now);
}

/** The buyer is shown when work began; if a case is answered or declined at once, nothing before the answer. */
function isTakenUp({ state }: Case, to: CaseState): boolean {
  return state === 'received' && casePhases[to] === 'open';
}

/** The buyer acts on the state that is shown: a reply changes it, and a withdrawal discards the desk's answer. */
async function applyBuyerActionWhileOnHold(
  records: Records,
  record: Case,
  act: CaseAction,
  { now, also }: Required<Omit<ActMoment, 'by'>>,
): Promise<Case> {
  const to = requireNextState(toBuyerView(record, now), act, 'buyer');
  const purgeAt = computePurgeTime(to, now, record.keep_days);
  return purgeAt === null
    ? await updateCaseOrThrow(records, record, { state_on_hold: to, ...also }, now)
    : await discardAnswer(records, record, { state: to, purge_at: purgeAt, ...also }, now);
}

/** Being on hold must not make an answer late. */
export function computeReleaseTime({ due_at: dueAt }: Case, now: number, undoMs: number): number {
  return dueAt > now ? Math.min(now + undoMs, dueAt) : now + undoMs;
}

/** From `releasedAt`, the buyer sees the answer, and the days until the purge are counted. */
export function requireAnswer(
  record: Case,
  act: 'deliver' | 'decline',
  { releasedAt, now }: { readonly releasedAt: number; readonly now: number },
): Partial<Case> {
  const to = requireNextState(record, act, 'desk');
  return {
    state: to,
    delivered_at: to === 'delivered' ? releasedAt : null,
    released_at: releasedAt,
    state_on_hold: releasedAt > now ? record.state : null,
    purge_at: computePurgeTime(to, releasedAt, record.keep_days),
    ...NO_PURGE_ASKED,
  };
}

/** Stored with every new purge date, which replaces the one that the desk requested. */
const NO_PURGE_ASKED = { kept_until: null, purge_by: null } as const;

/** Removes from its case a finding or a decline that only the desk has seen; its objects are deleted soon after. */
export async function discardAnswer(
  records: Records,
  record: Case,
  changes: Partial<Case>,
  now: number,
): Promise<Case> {
  const isFinding = record.state === 'delivered';
  await discardCaseObjects(records, record.id, isFinding ? FINDING_KINDS : [messageKinds.desk], {
    // The decline is the desk's last message, because the desk cannot write while it is on hold.
    isLastOnly: !isFinding,
  });
  const unanswered = { delivered_at: null, released_at: null, state_on_hold: null };
  return await updateCaseOrThrow(records, record, { ...unanswered, ...changes }, now);
}

export async function applyCallAction(
  records: Records,
  record: Case,
  act: CallAction,
  { by, now, also = {} }: ActMoment,
): Promise<Case> {
  const shown = by === 'buyer' ? toBuyerView(record, now) : record;
  const call = requireNextCallState(shown, act, by);
  return await updateCaseOrThrow(records, record, { call, ...also }, now);
}

/** Returns the state that an action leads to, without storing it; throws if the table does not allow it. */
export function requireNextState({ state }: Case, act: CaseAction, by: CaseActor): CaseState {
  return requireTransition<CaseState>(caseTransitions[act], state, by).to;
}

/** Whether the case includes a call that has not taken place. */
export function hasOpenCall(record: Case): boolean {
  const unheld: readonly CallState[] = UNHELD_CALLS;
  return hasCallIncluded(record) && getCasePhase(record) !== 'closed' && unheld.includes(record.call);
}

function hasCallIncluded({ tier }: Case): boolean {
  return getTier(tier as TierName).includesCall;
}

function requireNextCallState(record: Case, act: CallAction, by: CaseActor): CallState {
  if (!hasCallIncluded(record)) throw createStateRefusal(`${record.tier} includes no call.`);
  requireCaseState(record, UNCLOSED_STATES);
  return requireTransition<CallState>(callTransitions[act], record.call, by).to;
}

/** The time may be lengthened or shortened until the purge; if the new one has passed, the next run purges the case. */
export async function updateKeepDays(
  records: Records,
  record: Case,
  days: KeepDays,
  now: number,
  by: CaseActor = 'buyer',
): Promise<Case> {
  requireCaseState(by === 'buyer' ? toBuyerView(record, now) : record, UNCLOSED_STATES);
  const { delivered_at: deliveredAt } = record;
  const purgeAt = deliveredAt === null ? record.purge_at : computePurgeTime('delivered', deliveredAt, days);
  const longest = Math.max(record.keep_days, record.shortened_from ?? 0);
  // The case page mentions it, because it is not what the buyer chose.
  const shortenedFrom = by === 'desk' && days < longest ? longest : null;
  const changes = { keep_days: days, shortened_from: shortenedFrom, purge_at: purgeAt };
  return await updateCaseOrThrow(records, record, changes, now);
}

/**
 * Refuses a case that has not ended in the buyer's view. For a request of the desk, `asked` has who made it, and the
 * previous date.
 */
export async function updatePurgeTime(
  records: Records,
  record: Case,
  at: number,
  now: number,
  asked: Partial<Case> = {},
): Promise<Case> {
  requireCaseState(toBuyerView(record, now), ENDED_STATES);
  return await updateCaseOrThrow(records, record, { purge_at: at, ...asked }, now);
}

export function requireCaseState({ state }: Case, states: readonly CaseState[]): void {
  if (!states.includes(state)) throw createStateError(state);
}

function listStatesByPhase(...phases: readonly CasePhase[]): readonly CaseState[] {
  return CASE_STATES.filter((state) => phases.includes(casePhases[state]));
}

/** For every change of a case that concerns the desk, except additions and assignments. */
async function updateCaseOrThrow(
  records: Records,
  record: Case,
  changes: Partial<Case>,
  now: number,
): Promise<Case> {
  const changed = await updateCaseIfUnchanged(records, record, {
    ...('purge_at' in changes && NO_PURGE_ASKED),
    ...changes,
    changed_at: now,
  });
  return await updateNextTimes(records, changed);
}

/** Called in the transaction of a change: updates when the buyer and the client are next notified. */
export async function updateNextTimes(records: Records, changed: ChangedCase | undefined): Promise<Case> {
  if (!changed) throw new ServiceError('case_changed');
  const { record, isLinked } = changed;
  await updateNoticeTime(records, record);
  if (isLinked) await updateCaseEventTime(records, record);
  return record;
}

function requireTransition<State extends CaseState | CallState>(
  transition: Transition<State>,
  from: State,
  by: CaseActor,
): Transition<State> {
  if (transition.by.includes(by) && transition.from.includes(from)) return transition;
  throw createStateError(from);
}

/** Withdrawing twice is not an error. The address for notices is deleted at once. */
export async function ensureWithdrawn(records: Records, record: Case, now: number): Promise<Case> {
  if (record.state === 'withdrawn') return record;
  await discardNotice(records, record);
  // What was written before no longer needs a reply.
  const also = { notice_id: null, awaiting_reply_since: null };
  return await applyCaseAction(records, record, 'withdraw', { by: 'buyer', now, also });
}

export async function withdrawCase({ clock, store }: CaseServices, id: string): Promise<Case> {
  return await applyCaseChange({ clock, store }, id, (records, record) =>
    ensureWithdrawn(records, record, clock.now()),
  );
}

export async function updateKeepDaysById(services: CaseServices, id: string, days: KeepDays): Promise<Case> {
  return await applyCaseChange(services, id, (records, record) =>
    updateKeepDays(records, record, days, services.clock.now()),
  );
}

export type CaseChange = (records: Records, record: Case) => Promise<Case>;

/** Reads and changes the case in one transaction. */
export async function applyCaseChange(
  { clock, store }: CaseServices,
  id: string,
  change: CaseChange,
): Promise<Case> {
  return await store.transaction(
    async (records) => await change(records, await requireCase(records, id, clock.now())),
  );
}

/** Names the current state of a case or its call, which does not allow what was requested. */
function createStateError(from: CaseState | CallState): ServiceError {
  return createStateRefusal(`${stateSentences[from]}, so this is not possible now.`);
}

/** The state of a case, or what is in it, does not allow what was requested. */
export function createStateRefusal(detail: string): ServiceError {
  return new ServiceError('case_state', { detail });
}
