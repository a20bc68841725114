/** How far a case has come, in words that a worried person can read. */
import { DAY_MS, HOUR_MS } from '#platform/durations.ts';
import type { Case } from '#store/cases.ts';
import type { CallState, CaseState } from '#store/column-values.ts';
import { getCasePhase } from './states.ts';

/** From here on the case page says that the end is near. */
const WARN_MS = 7 * DAY_MS;

export interface CaseStatus {
  readonly title: string;
  /** When the answer is due, or when the file goes; by the clock and from now. */
  readonly clock: string;
  readonly sentences: readonly string[];
}

const words: Readonly<Record<CaseState, readonly [title: string, sentence: string]>> = {
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

const calls: Readonly<Record<CallState, string | null>> = {
  none: null,
  offered: 'Your service includes a call: choose when it suits you, below.',
  booked: 'We have your times for the call.',
  held: null,
};

export function toCaseStatus(found: Case, now: number): CaseStatus {
  const { state, call, purge_at: purgeAt } = found;
  const [title, sentence] = words[state];
  const left = purgeAt === null ? Infinity : purgeAt - now;
  const phase = getCasePhase(found);
  const near = phase === 'answered' && left > 0 && left < WARN_MS;
  const sentences = [
    sentence,
    phase === 'closed' ? null : calls[call],
    near ? 'If you need the file longer, ask us to keep it, below.' : null,
  ];
  return { title, clock: formatClock(found, now), sentences: sentences.filter((each) => each !== null) };
}

function formatClock(found: Case, now: number): string {
  const { due_at: due, purge_at: purgeAt } = found;
  if (getCasePhase(found) === 'open') return `Due ${formatUtcTime(due)}, ${formatTimeLeft(due - now)}`;
  if (purgeAt === null) return '';
  if (purgeAt <= now) return 'Being erased now';
  return `Erased on ${formatUtcTimeWithYear(purgeAt)}, ${formatTimeLeft(purgeAt - now)}`;
}

/** In UTC, said so: the server does not know where the reader is. */
export function formatUtcTime(time: number): string {
  return `${formatCalendarDay(time)}, ${formatHour(time)}`;
}

/** With the year, for what may be a year away. */
export function formatUtcTimeWithYear(time: number): string {
  return `${formatCalendarDay(time)} ${new Date(time).getUTCFullYear()}, ${formatHour(time)}`;
}

function formatCalendarDay(time: number): string {
  return new Date(time).toLocaleDateString('en-GB', {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    timeZone: 'UTC',
  });
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
