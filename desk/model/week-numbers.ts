/** Counts by week and month for investigators: how many cases arrived, how many were on time, how long they took. */
import { DAY_MS } from '#platform/durations.ts';
import { type DeskWeeks, HOUR_STEP, LAST_STEP } from '#wire/desk-lists.ts';

const WEEKS = 12;
const MONTHS = 6;
const WEEK_MS = 7 * DAY_MS;
const FIRST_MONDAY = Date.UTC(1970, 0, 5);

export type OfficeNumbers = ReturnType<typeof readWeekNumbers>;

const dayLabel = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const monthLabel = new Intl.DateTimeFormat('en-GB', { month: 'short', timeZone: 'UTC' });

export function readWeekNumbers({ counts }: Pick<DeskWeeks, 'counts'>, now: number) {
  const counted = new Map(counts.map(({ period, what, counted: count }) => [`${period} ${what}`, count]));
  const count = (period: string, what: string) => counted.get(`${period} ${what}`) ?? 0;
  const mondays = listMondays(now);
  const periods = mondays.map((at) => new Date(at).toISOString().slice(0, 10));
  const sum = (what: string) => periods.reduce((total, period) => total + count(period, what), 0);
  const steps = Array.from({ length: LAST_STEP / HOUR_STEP + 1 }, (_, index) => index * HOUR_STEP);
  const tiers = [
    ...new Set(
      counts
        .filter(({ period, what }) => what.startsWith('sent ') && periods.includes(period))
        .map(({ what }) => what.slice('sent '.length)),
    ),
  ].toSorted((a, b) => sum(`sent ${b}`) - sum(`sent ${a}`) || a.localeCompare(b));
  return {
    tiers,
    weeks: mondays.map((at, index) => {
      const period = periods[index]!;
      const sent = tiers.map((tier) => count(period, `sent ${tier}`));
      const late = count(period, 'hours late');
      return {
        /** Such as `9 Nov`. */
        label: dayLabel.format(at),
        /** By tier, in the same order for all weeks. */
        sent,
        total: addUp(sent),
        delivered: late + addUp(steps.map((step) => count(period, `hours ${step}`))),
        late,
        /** Whether the week is not over yet. */
        isPresent: index === mondays.length - 1,
      };
    }),
    // With labels such as `12–18`, or `late`.
    hours: [
      ...steps.map((step) => ({ label: `${step}–${step + HOUR_STEP}`, count: sum(`hours ${step}`) })),
      { label: 'late', count: sum('hours late') },
    ],
    months: listMonths(now).map((month) => ({
      label: monthLabel.format(Date.parse(month)),
      delivered: count(month, 'delivered'),
      opened: count(month, 'opened'),
    })),
    declined: sum('declined'),
    withdrawn: sum('withdrawn'),
  };
}

/** The number of hours within which this share was delivered; null if that was after the due time. */
export function findHoursOfShare(hours: OfficeNumbers['hours'], share: number): number | null {
  const wanted = addUp(hours.map(({ count }) => count)) * share;
  let reached = 0;
  for (const [index, { count }] of hours.entries()) {
    reached += count;
    if (reached >= wanted) return index === hours.length - 1 ? null : (index + 1) * HOUR_STEP;
  }
  return null;
}

/** Rounded down, so that it is 100 only if none was late. */
export function formatShare(part: number, whole: number): string {
  return `${Math.floor((100 * part) / whole)}%`;
}

export function addUp(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

/** The earliest first. */
function listMondays(now: number): number[] {
  const present = now - ((now - FIRST_MONDAY) % WEEK_MS);
  return Array.from({ length: WEEKS }, (_, index) => present - (WEEKS - 1 - index) * WEEK_MS);
}

function listMonths(now: number): string[] {
  const date = new Date(now);
  return Array.from({ length: MONTHS }, (_, index) =>
    new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - (MONTHS - 1 - index)))
      .toISOString()
      .slice(0, 7),
  );
}
