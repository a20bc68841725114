/** The state and the clock of a case in words: when it is due or how late it is, and how urgent that is. */
import { HOUR_MS } from '#platform/durations.ts';
import { type CaseState, casePhases } from '#wire/case-states.ts';
import type { DeskCase } from '#wire/desk-cases.ts';
import { formatLength, formatTimeInBoth } from './desk-time.ts';

export const DUE_GROUPS = ['Late', 'Next 12 hours', 'Within a day', 'Later'] as const;

const SOON_MS = 12 * HOUR_MS;
const DAY_LONG_MS = 24 * HOUR_MS;

/** `words` such as `in 3 hours`, `sentence` such as `Due in 3 hours`; both such as `2 hours late`. */
export function describeDue({ due_at: dueAt }: Pick<DeskCase, 'due_at'>, now: number) {
  const due = Date.parse(dueAt);
  const when = formatTimeInBoth(due, now);
  const length = formatLength(due - now);
  if (due < now)
    return { words: `${length} late`, sentence: `${length} late`, when: `was due ${when}`, tone: 'late' };
  const tone = due - now <= SOON_MS ? 'soon' : null;
  return { words: `in ${length}`, sentence: `Due in ${length}`, when, tone };
}

export function findDueGroup(
  { due_at: dueAt }: Pick<DeskCase, 'due_at'>,
  now: number,
): (typeof DUE_GROUPS)[number] {
  const left = Date.parse(dueAt) - now;
  if (left < 0) return 'Late';
  if (left <= SOON_MS) return 'Next 12 hours';
  return left <= DAY_LONG_MS ? 'Within a day' : 'Later';
}

/** True once no answer is owed. */
export function isEndedCase({ state }: Pick<DeskCase, 'state'>): boolean {
  return casePhases[state] !== 'open';
}

export const caseStateNames: Readonly<Record<CaseState, string>> = {
  received: 'Not started',
  in_progress: 'In progress',
  awaiting_client: 'Waiting for the buyer',
  delivered: 'Delivered',
  declined: 'Declined',
  withdrawn: 'Withdrawn',
};
