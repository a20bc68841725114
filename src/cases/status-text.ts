/** The status of a case in plain sentences for the buyer, and its progress as a list of steps with their times. */
import type { Say } from '#language/catalogue.ts';
import type { Language } from '#language/language.ts';
import { sayTimed, type TimedText, toShownTime } from '#language/timed-text.ts';
import { DAY_MS, HOUR_MS } from '#platform/durations.ts';
import type { Case } from '#store/cases/cases.ts';
import type { CaseStep } from '#wire/case-requests.ts';
import { KEEP_DAYS } from '#wire/keep-days.ts';
import { FIRST_REMINDER_DAYS } from './notices/notice-times.ts';
import { getCasePhase, isLateCase } from './states.ts';

/** The case page warns as early as the first e-mail does. */
const PURGE_WARNING_MS = FIRST_REMINDER_DAYS * DAY_MS;

export interface CaseStatus {
  readonly title: string;
  /** When the answer is due, as a date and as the time left; empty once there is no answer to wait for. */
  readonly clock: TimedText;
  readonly sentences: readonly string[];
  /** When the case is deleted or, while there is no answer, how long after the answer. */
  readonly deletion: TimedText;
}

export function toCaseStatus(record: Case, now: number, language: Language): CaseStatus {
  const { say } = language;
  const phase = getCasePhase(record);
  return {
    title: say(`case.${record.state}.title`),
    clock: phase === 'open' ? formatDueTime(record.due_at, now, language) : [],
    sentences: [
      formatStateSentence(record, now, say),
      ...(phase === 'closed' ? [] : [formatCallSentence(record, say), formatShortening(record, say)]),
      ...(phase === 'answered' && isPurgedSoon(record, now) ? formatEnd(record, say) : []),
    ].filter((text) => text !== ''),
    deletion: formatDeletion(record, now, language),
  };
}

/** Reports a late case, after the desk's question to the buyer if there is one. */
function formatStateSentence(record: Case, now: number, say: Say): string {
  const { state } = record;
  if (!isLateCase(record, now)) return say(`case.${state}`);
  return state === 'awaiting_client' ? say('case.awaiting_client.late') : say('case.late');
}

function formatCallSentence({ call }: Case, say: Say): string {
  if (call === 'offered') return say('case.call.offered');
  if (call === 'proposed') return say('case.call.proposed');
  return call === 'booked' ? say('case.call.booked') : '';
}

function formatShortening({ keep_days: days, shortened_from: former }: Case, say: Say): string {
  return former === null ? '' : say('case.shortened', { former, days });
}

/** A buyer who has chosen the longest time cannot choose a later day. */
function formatEnd({ keep_days: days }: Case, say: Say): string[] {
  return [say('case.ends_soon'), days < Math.max(...KEEP_DAYS) ? say('case.ends_later') : ''];
}

function isPurgedSoon({ purge_at: purgeAt }: Case, now: number): boolean {
  return purgeAt !== null && purgeAt > now && purgeAt - now < PURGE_WARNING_MS;
}

function formatDueTime(due: number, now: number, language: Language): TimedText {
  const left = formatTimeLeft(due - now, language.say);
  const key = due < now ? 'case.due.late' : 'case.due';
  return sayTimed(language, key, { time: toShownTime(language, due), left });
}

function formatDeletion(record: Case, now: number, language: Language): TimedText {
  const { purge_at: purgeAt, keep_days: days } = record;
  if (purgeAt === null) return [language.say('case.keep.saved', { days })];
  if (purgeAt <= now) return [language.say('case.deletion.now')];
  return sayTimed(language, 'case.deletion', {
    // A deletion may be a year away.
    time: toShownTime(language, purgeAt, { withYear: true }),
    left: formatFromNow(purgeAt - now, language.say),
  });
}

/** Formats the time until the due time, or the time since then. */
export function formatTimeLeft(ms: number, say: Say): string {
  const { days, hours } = countDaysOrHours(Math.abs(ms));
  if (ms < 0) {
    if (days !== undefined) return say('time.days_late', { days });
    return hours < 1 ? say('time.hour_late') : say('time.hours_late', { hours });
  }
  if (days !== undefined) return say('time.in_days', { days });
  return hours < 1 ? say('time.in_hour') : say('time.in_hours', { hours });
}

function formatFromNow(ms: number, say: Say): string {
  const { days, hours } = countDaysOrHours(ms);
  if (days !== undefined) return say('time.days_from_now', { days });
  return hours < 1 ? say('time.hour_from_now') : say('time.hours_from_now', { hours });
}

/** Counts in days from three days on, and in hours below that. */
function countDaysOrHours(ms: number): { readonly days?: number; readonly hours: number } {
  const hours = Math.round(ms / HOUR_MS);
  return ms >= 3 * DAY_MS ? { days: Math.round(ms / DAY_MS), hours } : { hours };
}

export function toCaseSteps(record: Case, now: number, language: Language): CaseStep[] {
  const { say } = language;
  const received: CaseStep = {
    stage: 'done',
    label: say('steps.received'),
    when: [toShownTime(language, record.submitted_at)],
  };
  return [
    received,
    ...listWorkSteps(record, language),
    createAnswerStep(record, now, language),
    { stage: 'ahead', label: say('steps.deleted'), when: formatDeletionTime(record, language) },
  ];
}

/** Returns no steps for a case that was closed before an investigator took it. */
function listWorkSteps(record: Case, language: Language): CaseStep[] {
  const { state, taken_at: takenAt } = record;
  const { say } = language;
  const time = takenAt === null ? null : toShownTime(language, takenAt);
  const when = time === null ? [] : [time];
  switch (state) {
    case 'received':
      return [{ stage: 'current', label: say('steps.opens'), when: [] }];
    case 'in_progress': {
      const since = time === null ? [] : sayTimed(language, 'steps.since', { time });
      return [{ stage: 'current', label: say('steps.works'), when: since }];
    }
    case 'awaiting_client':
      return [
        { stage: 'done', label: say('steps.opened'), when },
        { stage: 'current', label: say('steps.waits'), when: [] },
      ];
    case 'delivered':
      return [{ stage: 'done', label: say('steps.opened'), when }];
    case 'declined':
    case 'withdrawn':
      return time === null ? [] : [{ stage: 'done', label: say('steps.opened'), when }];
  }
}

function createAnswerStep(record: Case, now: number, language: Language): CaseStep {
  const { state, due_at: dueAt, delivered_at: deliveredAt } = record;
  const { say } = language;
  if (getCasePhase(record) === 'open') {
    const key = isLateCase(record, now) ? 'steps.was_due' : 'steps.by';
    const when = sayTimed(language, key, { time: toShownTime(language, dueAt) });
    return { stage: 'ahead', label: say('steps.answer'), when };
  }
  const label =
    state === 'delivered' ? say('steps.answered') : say(`case.${state as 'declined' | 'withdrawn'}.title`);
  return { stage: 'current', label, when: deliveredAt === null ? [] : [toShownTime(language, deliveredAt)] };
}

function formatDeletionTime({ purge_at: purgeAt, keep_days: days }: Case, language: Language): TimedText {
  if (purgeAt === null) return [language.say('case.keep.days', { days })];
  return [toShownTime(language, purgeAt, { withYear: true })];
}
