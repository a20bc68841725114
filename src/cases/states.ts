/** The states of a case as one table: the only way to change one. */
import { type TierName, tierOf } from '#payments/tiers.ts';
import { ServiceError } from '#platform/errors.ts';
import type { Services } from '#services.ts';
import { type Case, type CaseState, changeCase, findCase } from '#store/cases.ts';
import type { KeepDays, Records } from '#store/tables.ts';
import { purgeTime } from './retention.ts';

export type Actor = 'buyer' | 'desk';

interface Step<State> {
  readonly by: readonly Actor[];
  readonly from: readonly State[];
  readonly to: State;
}

export const OPEN = ['received', 'in_progress', 'awaiting_client'] as const satisfies readonly CaseState[];

/** Being purged is no step: it follows from the time that a step sets, or from the buyer's wish. */
export const steps = {
  take: { by: ['desk'], from: ['received'], to: 'in_progress' },
  ask: { by: ['desk'], from: OPEN, to: 'awaiting_client' },
  answer: { by: ['buyer'], from: ['awaiting_client'], to: 'in_progress' },
  resume: { by: ['desk'], from: ['awaiting_client'], to: 'in_progress' },
  deliver: { by: ['desk'], from: OPEN, to: 'delivered' },
  decline: { by: ['desk'], from: OPEN, to: 'declined' },
  withdraw: { by: ['buyer'], from: OPEN, to: 'withdrawn' },
} as const satisfies Record<string, Step<CaseState>>;

export type Act = keyof typeof steps;

/** The call that some tiers include. */
export const callSteps = {
  offer: { by: ['desk'], from: ['none', 'offered', 'booked'], to: 'offered' },
  book: { by: ['buyer', 'desk'], from: ['offered', 'booked'], to: 'booked' },
  hold: { by: ['desk'], from: ['offered', 'booked'], to: 'held' },
} as const satisfies Record<string, Step<Case['call']>>;

export type CallAct = keyof typeof callSteps;

/** Messages may go both ways as long as the file is there and was not refused or taken back. */
export const WRITABLE = [...OPEN, 'delivered'] as const satisfies readonly CaseState[];

export async function demandCase(records: Records, id: string): Promise<Case> {
  const found = await findCase(records, id);
  if (!found) throw new ServiceError('case_unknown');
  return found;
}

export async function move(records: Records, found: Case, act: Act, by: Actor, now: number): Promise<Case> {
  const to = stateAfter(found, act, by);
  return await change(records, found, {
    state: to,
    ...(to === 'delivered' ? { delivered_at: now } : {}),
    purge_at: purgeTime(to, now, found.keep_days),
  });
}

export async function moveCall(records: Records, found: Case, act: CallAct, by: Actor): Promise<Case> {
  return await change(records, found, { call: callAfter(found, act, by) });
}

/** Where an act leads, told without a store; refused where the table does not allow it. */
export function stateAfter({ state }: Case, act: Act, by: Actor): CaseState {
  return allowed<CaseState>(steps[act], state, by).to;
}

export function callAfter(found: Case, act: CallAct, by: Actor): Case['call'] {
  if (!tierOf(found.tier as TierName).includesCall)
    throw new ServiceError('case_state', { detail: `${found.tier} includes no call.` });
  demandState(found, WRITABLE);
  return allowed<Case['call']>(callSteps[act], found.call, by).to;
}

/** Asked for or taken back at any time while the file exists; a time that has passed purges it at the next look. */
export async function keepFor(records: Records, found: Case, days: KeepDays): Promise<Case> {
  demandState(found, WRITABLE);
  const { delivered_at: deliveredAt } = found;
  const purgeAt = deliveredAt === null ? null : purgeTime('delivered', deliveredAt, days);
  return await change(records, found, { keep_days: days, purge_at: purgeAt });
}

/** Once the case has ended there is nothing to wait for: it goes at the next look. */
export async function endNow(records: Records, found: Case, now: number): Promise<Case> {
  demandState(found, ['delivered', 'declined', 'withdrawn']);
  return await change(records, found, { purge_at: now });
}

export function demandState({ state }: Case, states: readonly CaseState[]): void {
  if (!states.includes(state)) throw refusal(state);
}

async function change(records: Records, found: Case, set: Partial<Case>): Promise<Case> {
  const changed = await changeCase(records, found, set);
  if (!changed) throw new ServiceError('case_changed');
  return changed;
}

function allowed<State extends CaseState | Case['call']>(
  step: Step<State>,
  from: State,
  by: Actor,
): Step<State> {
  if (step.by.includes(by) && step.from.includes(from)) return step;
  throw refusal(from);
}

const stands: Readonly<Record<CaseState | Case['call'], string>> = {
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

function refusal(from: CaseState | Case['call']): ServiceError {
  return new ServiceError('case_state', { detail: `${stands[from]}, so this is not possible now.` });
}

/** Withdrawn twice, a case is withdrawn. */
export async function withdrawOnce(records: Records, found: Case, now: number): Promise<Case> {
  return found.state === 'withdrawn' ? found : await move(records, found, 'withdraw', 'buyer', now);
}

export async function withdraw(
  { clock, store }: Pick<Services, 'clock' | 'store'>,
  id: string,
): Promise<Case> {
  return await store.transaction(async (records) => {
    return await withdrawOnce(records, await demandCase(records, id), clock.now());
  });
}

export async function keep({ store }: Pick<Services, 'store'>, id: string, days: KeepDays): Promise<Case> {
  return await store.transaction(async (records) => keepFor(records, await demandCase(records, id), days));
}
