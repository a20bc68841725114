/** The progress of a case as a list of steps, each with its time if that is on record. */
import type { Language } from '#language/language.ts';
import { sayTimed, type TimedText, toShownTime } from '#language/timed-text.ts';
import type { Case } from '#store/cases/cases.ts';
import type { CaseStep } from '#wire/case-requests.ts';
import { getCasePhase, isLateCase } from './states.ts';

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
