/** The status of a case in plain sentences for the buyer. */
import { DAY_MS, HOUR_MS } from '#platform/durations.ts';
import type { Case } from '#store/cases.ts';
import type { CallState, CaseState } from '#store/column-values.ts';
import { getCasePhase } from './states.ts';

/** The case page warns this long before the purge. */
const PURGE_WARNING_MS = 7 * DAY_MS;

export interface CaseStatus {
  readonly title: string;
  /** When the answer is due or the case is purged, as a date and as the time left. */
  readonly clock: string;
  readonly sentences: readonly string[];
}

const stateTexts: Readonly<Record<CaseState, readonly [title: string, sentence: string]>> = {
  received: ['We have your inquiry', 'An investigator will open it soon. You need not do anything.'],
  in_progress: ['An investigator is working on it', 'You need not do anything.'],
  awaiting_client: [
    'We have a question for you',
    'Please answer it below. The clock keeps running meanwhile.',
  ],
  delivered: ['Your answer is here', 'Read it below, and save what you want to keep.'],
  declined: ['We could not take this case', 'The reason is below.'],
  withdrawn: ['You withdrew this case', 'Nobody works on it any more.'],
};

const callTexts: Readonly<Record<CallState, string | null>> = {
  none: null,
  offered: 'Your service includes a call: choose when it suits you, below.',
  booked: 'We have your times for the call.',
  held: null,
};

export function toCaseStatus(record: Case, now: number): CaseStatus {
  const { state, call, purge_at: purgeAt } = record;
  const [title, sentence] = stateTexts[state];
  const left = purgeAt === null ? Infinity : purgeAt - now;
  const phase = getCasePhase(record);
  const purgesSoon = phase === 'answered' && left > 0 && left < PURGE_WARNING_MS;
  const sentences = [
    sentence,
    phase === 'closed' ? null : callTexts[call],
    phase === 'closed' ? null : formatShortening(record),
    purgesSoon ? 'If you need the file longer, ask us to keep it, below.' : null,
  ];
  return { title, clock: formatClock(record, now), sentences: sentences.filter((text) => text !== null) };
}

function formatShortening({ keep_days: days, shortened_from: former }: Case): string | null {
  if (former === null) return null;
  return `We have shortened how long this file is kept, from ${former} to ${days} days. You can change that below.`;
}

function formatClock(record: Case, now: number): string {
  const { due_at: due, purge_at: purgeAt } = record;
  if (getCasePhase(record) === 'open') return `Due ${formatUtcTime(due)}, ${formatTimeLeft(due - now)}`;
  if (purgeAt === null) return '';
  if (purgeAt <= now) return 'Being erased now';
  return `Erased on ${formatUtcTimeWithYear(purgeAt)}, ${formatTimeLeft(purgeAt - now)}`;
}

/** In UTC, because the server does not know the reader's time zone. */
export function formatUtcTime(time: number): string {
  return `${formatCalendarDay(time)}, ${formatHour(time)}`;
}

/** Includes the year, because a purge may be a year away. */
export function formatUtcTimeWithYear(time: number): string {
  return `${formatCalendarDay(time)} ${new Date(time).getUTCFullYear()}, ${formatHour(time)}`;
}

let calendarDayFormat: Intl.DateTimeFormat | undefined;

function formatCalendarDay(time: number): string {
  calendarDayFormat ??= new Intl.DateTimeFormat('en-GB', {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    timeZone: 'UTC',
  });
  return calendarDayFormat.format(time);
}

function formatHour(time: number): string {
  return `${new Date(time).toISOString().slice(11, 16)} UTC`;
}

export function formatTimeLeft(ms: number): string {
  return ms < 0 ? `${formatDuration(-ms)} late` : `in ${formatDuration(ms)}`;
}

function formatDuration(ms: number): string {
  if (ms >= 3 * DAY_MS) return `${Math.round(ms / DAY_MS)} days`;
  const count = Math.round(ms / HOUR_MS);
  if (count < 1) return 'less than an hour';
  return count === 1 ? '1 hour' : `${count} hours`;
}
