/** How much work waits for the desk, in numbers only. */
import { chooseCases } from '#cases/desk/desk-queue.ts';
import { countByWeek } from '#cases/desk/week-counts.ts';
import { OPEN_STATES } from '#cases/states.ts';
import { DAY_MS } from '#platform/durations.ts';
import type { App } from '#platform/http/app.ts';
import { toIsoTime } from '#platform/text/iso-time.ts';
import { countOpenContactMessages } from '#store/cases/desk-counts.ts';
import { type CaseChoice, countChosenCases } from '#store/cases/desk-queue.ts';
import { countDueRefunds } from '#store/cases/refunds.ts';
import { countPendingRegistrations } from '#store/clients/registrations.ts';
import { countOrdersToReview } from '#store/orders/orders-to-review.ts';
import type { Records } from '#store/schema/tables.ts';
import { CASE_STATES } from '#wire/case-states.ts';
import { MAX_COUNTED } from '#wire/desk-cases.ts';
import type { DeskNumbers, DeskWeeks } from '#wire/desk-lists.ts';
import type { DeskServices } from './desk-services.ts';
import { isOwner, requireInvestigator } from './guard.ts';

export function addDeskNumberRoutes(scope: App, { clock, store }: DeskServices): void {
  scope.get(
    '/numbers',
    { config: { access: 'desk' } },
    async (request): Promise<DeskNumbers> =>
      await countOffice(store.records, clock.now(), isOwner(requireInvestigator(request))),
  );
  scope.get('/numbers/weeks', { config: { access: 'desk' } }, async (): Promise<DeskWeeks> => {
    const now = clock.now();
    return { counts: await countByWeek(store.records, now), now: toIsoTime(now) };
  });
}

/** Counts up to the same limit as the queue. */
async function countOffice(records: Records, now: number, isForOwner: boolean): Promise<DeskNumbers> {
  const countCases = async (choice: CaseChoice) => await countChosenCases(records, choice, now);
  const states = await Array.fromAsync(
    CASE_STATES,
    async (state) => [state, await countCases({ states: [state] })] as const,
  );
  return {
    cases: Object.fromEntries(states),
    unanswered: await countCases(chooseCases('unanswered', null, now)),
    due_within_a_day: await countCases({ states: OPEN_STATES, dueAfter: now, dueBefore: now + DAY_MS }),
    late: await countCases(chooseCases('late', null, now)),
    contact: await countOpenContactMessages(records),
    refunds: await countDueRefunds(records, now),
    agents: isForOwner ? await countPendingRegistrations(records) : null,
    orders: isForOwner ? await countOrdersToReview(records, MAX_COUNTED) : null,
    now: toIsoTime(now),
  };
}
