/** How much waits at the office, in numbers alone. */
import { countCasesByClock } from '#cases/desk-alerts.ts';
import { WRITABLE_STATES } from '#cases/states.ts';
import { DAY_MS } from '#platform/durations.ts';
import type { App } from '#platform/http/app.ts';
import { toIsoTime } from '#platform/iso-time.ts';
import { countUnattendedOrders } from '#store/attended-orders.ts';
import { CASE_STATES } from '#store/column-values.ts';
import { countCasesInState, countOpenContactMessages } from '#store/desk-counts.ts';
import { countPendingRegistrations } from '#store/registrations.ts';
import type { Records } from '#store/tables.ts';
import { countUnansweredCases } from '#store/unanswered-messages.ts';
import type { DeskNumbers } from '#wire/desk-office.ts';
import type { DeskServices } from './desk-services.ts';
import { isOwner, requireInvestigator } from './guard.ts';

export function addDeskNumberRoutes(scope: App, { clock, store }: DeskServices): void {
  scope.get(
    '/numbers',
    { config: { access: 'desk' } },
    async (request): Promise<DeskNumbers> =>
      await countOffice(store.records, clock.now(), isOwner(requireInvestigator(request))),
  );
}

async function countOffice(records: Records, now: number, isForOwner: boolean): Promise<DeskNumbers> {
  const { due, late } = await countCasesByClock(records, now, DAY_MS);
  const states = await Array.fromAsync(
    CASE_STATES,
    async (state) => [state, await countCasesInState(records, state)] as const,
  );
  return {
    cases: Object.fromEntries(states),
    unanswered: await countUnansweredCases(records, WRITABLE_STATES),
    due_within_a_day: due,
    late,
    contact: await countOpenContactMessages(records),
    agents: isForOwner ? await countPendingRegistrations(records) : null,
    orders: isForOwner ? await countUnattendedOrders(records) : null,
    now: toIsoTime(now),
  };
}
