/** How many cases were received and how they ended, by week and month, including purged cases. */
import { DAY_MS, HOUR_MS } from '#platform/durations.ts';
import type { Services } from '#services.ts';
import {
  type CaseCount,
  type CountedCase,
  listCaseCounts,
  listCountedCases,
} from '#store/cases/case-counts.ts';
import type { Case } from '#store/cases/cases.ts';
import { markFindingOpened } from '#store/cases/cases.ts';
import type { StoredObject } from '#store/cases/objects.ts';
import type { Records } from '#store/schema/tables.ts';
import { HOUR_STEP, LAST_STEP } from '#wire/desk-lists.ts';
import { isAnswerOnHold } from '../messages/buyer-view.ts';

/** Covers twelve weeks for the counts by week, and six months for those by month. */
const COUNTED_MS = 184 * DAY_MS;
const WEEK_DAYS = 7;
const DAY_LENGTH = '2026-11-09'.length;
const MONTH_LENGTH = '2026-11'.length;

/** The counts to which a case adds, stored only when it is purged, so that an answer taken back leaves no trace. */
export function listCountsOf(record: CountedCase): Pick<CaseCount, 'period' | 'what'>[] {
  const { tier, state, submitted_at: sentAt, delivered_at: deliveredAt, changed_at: changedAt } = record;
  const counts = [{ period: toWeek(sentAt), what: `sent ${tier}` }];
  if (state === 'declined' || state === 'withdrawn')
    counts.push({ period: toWeek(record.released_at ?? changedAt), what: state });
  if (state !== 'delivered' || deliveredAt === null) return counts;
  const month = toDay(deliveredAt).slice(0, MONTH_LENGTH);
  counts.push({ period: toWeek(deliveredAt), what: `hours ${toHourStep(record, deliveredAt)}` });
  counts.push({ period: month, what: 'delivered' });
  if (record.finding_opened === 1) counts.push({ period: month, what: 'opened' });
  return counts;
}

function toHourStep({ submitted_at: sentAt, due_at: dueAt }: CountedCase, deliveredAt: number): string {
  if (deliveredAt > dueAt) return 'late';
  const step = Math.floor((deliveredAt - sentAt) / (HOUR_STEP * HOUR_MS)) * HOUR_STEP;
  return String(Math.min(Math.max(step, 0), LAST_STEP));
}

/** An answer that is on hold is counted once the buyer can read it. */
export async function countByWeek(records: Records, now: number): Promise<CaseCount[]> {
  const since = now - COUNTED_MS;
  const live = await listCountedCases(records, since);
  const purged = await listCaseCounts(records, toDay(since).slice(0, MONTH_LENGTH));
  const counts = new Map(purged.map((each) => [`${each.period} ${each.what}`, each]));
  for (const record of live)
    for (const { period, what } of listCountsOf(toShown(record, now))) {
      const key = `${period} ${what}`;
      counts.set(key, { period, what, counted: (counts.get(key)?.counted ?? 0) + 1 });
    }
  return [...counts.values()];
}

function toShown(record: CountedCase, now: number): CountedCase {
  const { state_on_hold: shown } = record;
  return shown !== null && isAnswerOnHold(record, now) ? { ...record, state: shown } : record;
}

/** Called with the objects that a buyer is sent. A failure to count must not fail the request. */
export async function recordOpening(
  { store }: Pick<Services, 'store'>,
  { id, finding_opened: isOpened }: Case,
  objects: readonly Pick<StoredObject, 'kind'>[],
): Promise<void> {
  if (isOpened === 1 || !objects.some(({ kind }) => kind === 'finding.v1')) return;
  await store.transaction((records) => markFindingOpened(records, id)).catch(() => undefined);
}

/** Returns the Monday of the week, in UTC. */
function toWeek(time: number): string {
  const sinceMonday = (new Date(time).getUTCDay() + WEEK_DAYS - 1) % WEEK_DAYS;
  return toDay(time - sinceMonday * DAY_MS);
}

function toDay(time: number): string {
  return new Date(time).toISOString().slice(0, DAY_LENGTH);
}
