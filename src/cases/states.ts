/** The states of a case as one table: the only way to change one. */
import { getTier, type TierName } from '#payments/tiers.ts';
import { ServiceError } from '#platform/errors.ts';
import type { CaseActor } from '#seal/message.ts';
import type { Services } from '#services.ts';
import { type Case, findCase, updateCaseIfUnchanged } from '#store/cases.ts';
import { CASE_STATES, type CallState, type CaseState } from '#store/column-values.ts';
import type { Records } from '#store/tables.ts';
import { computePurgeTime, type KeepDays } from './retention.ts';

interface Step<State> {
  readonly by: readonly CaseActor[];
  readonly from: readonly State[];
  readonly to: State;
}

type CasePhase = 'open' | 'answered' | 'closed';

/** Whether a case is worked on, was answered, or ended without an answer: what may be done follows from this. */
const casePhases: Readonly<Record<CaseState, CasePhase>> = {
  received: 'open',
  in_progress: 'open',
  awaiting_client: 'open',
  delivered: 'answered',
  declined: 'closed',
  withdrawn: 'closed',
};

export function getCasePhase({ state }: Pick<Case, 'state'>): CasePhase {
  return casePhases[state];
}

export const OPEN_STATES = listStatesByPhase('open');
/** Messages may go both ways as long as the file is there and was not refused or taken back. */
export const WRITABLE_STATES = listStatesByPhase('open', 'answered');
const ENDED_STATES = listStatesByPhase('answered', 'closed');

/** Being purged is no step: it follows from the time that a step sets, or from the buyer's wish. */
export const caseTransitions = {
  take: { by: ['desk'], from: ['received'], to: 'in_progress' },
  ask: { by: ['desk'], from: OPEN_STATES, to: 'awaiting_client' },
  answer: { by: ['buyer'], from: ['awaiting_client'], to: 'in_progress' },
  resume: { by: ['desk'], from: ['awaiting_client'], to: 'in_progress' },
  deliver: { by: ['desk'], from: OPEN_STATES, to: 'delivered' },
  decline: { by: ['desk'], from: OPEN_STATES, to: 'declined' },
  withdraw: { by: ['buyer'], from: OPEN_STATES, to: 'withdrawn' },
} as const satisfies Record<string, Step<CaseState>>;

export type CaseAction = keyof typeof caseTransitions;

/** The call that some tiers include. */
export const callTransitions = {
  offer: { by: ['desk'], from: ['none', 'offered', 'booked'], to: 'offered' },
  book: { by: ['buyer', 'desk'], from: ['offered', 'booked'], to: 'booked' },
  hold: { by: ['desk'], from: ['offered', 'booked'], to: 'held' },
} as const satisfies Record<string, Step<CallState>>;

export type CallAction = keyof typeof callTransitions;

export async function requireCase(records: Records, id: string): Promise<Case> {
  const found = await findCase(records, id);
  if (!found) throw new ServiceError('case_unknown');
  return found;
}

export async function applyCaseAction(
  records: Records,
  found: Case,
  act: CaseAction,
  by: CaseActor,
  now: number,
): Promise<Case> {
  const to = requireNextState(found, act, by);
  return await updateCaseOrThrow(records, found, {
    state: to,
    ...(to === 'delivered' ? { delivered_at: now } : {}),
    purge_at: computePurgeTime(to, now, found.keep_days),
  });
}

export async function applyCallAction(
  records: Records,
  found: Case,
  act: CallAction,
  by: CaseActor,
): Promise<Case> {
  return await updateCaseOrThrow(records, found, { call: requireNextCallState(found, act, by) });
}

/** Where an act leads, told without a store; refused where the table does not allow it. */
export function requireNextState({ state }: Case, act: CaseAction, by: CaseActor): CaseState {
  return requireTransition<CaseState>(caseTransitions[act], state, by).to;
}

export function requireNextCallState(found: Case, act: CallAction, by: CaseActor): CallState {
  if (!getTier(found.tier as TierName).includesCall)
    throw new ServiceError('case_state', { detail: `${found.tier} includes no call.` });
  requireCaseState(found, WRITABLE_STATES);
  return requireTransition<CallState>(callTransitions[act], found.call, by).to;
}

/** Asked for or taken back at any time while the file exists; a time that has passed purges it at the next look. */
export async function updateKeepDays(records: Records, found: Case, days: KeepDays): Promise<Case> {
  requireCaseState(found, WRITABLE_STATES);
  const { delivered_at: deliveredAt } = found;
  const purgeAt = deliveredAt === null ? null : computePurgeTime('delivered', deliveredAt, days);
  return await updateCaseOrThrow(records, found, { keep_days: days, purge_at: purgeAt });
}

/** Once the case has ended there is nothing to wait for: it goes at the next look. */
export async function makePurgeDue(records: Records, found: Case, now: number): Promise<Case> {
  requireCaseState(found, ENDED_STATES);
  return await updateCaseOrThrow(records, found, { purge_at: now });
}

export function requireCaseState({ state }: Case, states: readonly CaseState[]): void {
  if (!states.includes(state)) throw createStateError(state);
}

function listStatesByPhase(...phases: readonly CasePhase[]): readonly CaseState[] {
  return CASE_STATES.filter((state) => phases.includes(casePhases[state]));
}

async function updateCaseOrThrow(records: Records, found: Case, set: Partial<Case>): Promise<Case> {
  const changed = await updateCaseIfUnchanged(records, found, set);
  if (!changed) throw new ServiceError('case_changed');
  return changed;
}

function requireTransition<State extends CaseState | CallState>(
  step: Step<State>,
  from: State,
  by: CaseActor,
): Step<State> {
  if (step.by.includes(by) && step.from.includes(from)) return step;
  throw createStateError(from);
}

const stands: Readonly<Record<CaseState | CallState, string>> = {
  received: 'The case was received',
  in_progress: 'The case is being worked on',
  awaiting_client: 'The case waits for an answer',
  delivered: 'The case has been answered',
  declined: 'The case was declined',
  withdrawn: 'The case was withdrawn',
  none: 'No call is offered yet',
  offered: 'A call is offered',
  booked: 'The call is booked',
  held: 'The call has taken place',
};

function createStateError(from: CaseState | CallState): ServiceError {
  return new ServiceError('case_state', { detail: `${stands[from]}, so this is not possible now.` });
}

/** Withdrawn twice, a case is withdrawn. */
export async function ensureWithdrawn(records: Records, found: Case, now: number): Promise<Case> {
  return found.state === 'withdrawn'
    ? found
    : await applyCaseAction(records, found, 'withdraw', 'buyer', now);
}

export async function withdrawCase(
  { clock, store }: Pick<Services, 'clock' | 'store'>,
  id: string,
): Promise<Case> {
  return await applyCaseChange({ store }, id, (records, found) =>
    ensureWithdrawn(records, found, clock.now()),
  );
}

export async function updateKeepDaysById(
  services: Pick<Services, 'store'>,
  id: string,
  days: KeepDays,
): Promise<Case> {
  return await applyCaseChange(services, id, (records, found) => updateKeepDays(records, found, days));
}

export type CaseChange = (records: Records, found: Case) => Promise<Case>;

/** Read and changed in one transaction. */
export async function applyCaseChange(
  { store }: Pick<Services, 'store'>,
  id: string,
  change: CaseChange,
): Promise<Case> {
  return await store.transaction(async (records) => await change(records, await requireCase(records, id)));
}
