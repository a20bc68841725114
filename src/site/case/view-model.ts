/** What the service itself knows about a case, as text for both versions of the case page. */

import { toBuyerView } from '#cases/messages/buyer-view.ts';
import { listLookAgainTimes } from '#cases/notices/notice-times.ts';
import { getCasePhase, hasOpenCall, isLateCase, UNWITHDRAWN_STATES } from '#cases/states.ts';
import { toCaseStatus, toCaseSteps } from '#cases/status-text.ts';
import type { SiteContent } from '#content/site-content.ts';
import type { Language } from '#language/language.ts';
import { sayTimed, type TimedText, toShownTime } from '#language/timed-text.ts';
import type { Case } from '#store/cases/cases.ts';
import type { CaseOverview, CasePermissions } from '#wire/case-requests.ts';

export type RefundSentences = SiteContent['refundSentences'];

interface OverviewContext {
  readonly now: number;
  readonly language: Language;
  /** What the operator promises about the money. */
  readonly refunds: RefundSentences;
}

export function toCaseOverview(stored: Case, { now, language, refunds }: OverviewContext): CaseOverview {
  const record = toBuyerView(stored, now);
  const status = toCaseStatus(record, now, language);
  const withdrawal = toWithdrawalText(record, language, refunds);
  return {
    state: record.state,
    ...status,
    money: toMoneyText(record, now, { withdrawal, refunds }),
    withdrawal,
    steps: toCaseSteps(record, now, language),
    rows: toCaseRows(record, language),
    keep_days: record.keep_days,
    look_again: listLookAgainTimes(record, now),
    may: toCasePermissions(record),
    call_booked: hasOpenCall(record) && record.call === 'booked',
    call_asked: isCallAsked(record),
  };
}

/** The form for times opens by itself once a call was offered, unless there is something to read or answer first. */
function isCallAsked(record: Case): boolean {
  const isAtWork = record.state === 'received' || record.state === 'in_progress';
  return isAtWork && hasOpenCall(record) && record.call === 'offered';
}

/** What withdrawing this case means for the money, which depends on whether it was opened. */
function toWithdrawalText(
  { taken_at: takenAt }: Case,
  language: Language,
  refunds: RefundSentences,
): TimedText {
  if (takenAt === null) return [language.say('case.unopened'), ' ', refunds.withdrawn()];
  const opened = sayTimed(language, 'case.opened', { time: toShownTime(language, takenAt) });
  return [...opened, ' ', refunds.opened()];
}

function toMoneyText(
  record: Case,
  now: number,
  { withdrawal, refunds }: { readonly withdrawal: TimedText; readonly refunds: RefundSentences },
): TimedText {
  if (record.state === 'withdrawn') return withdrawal;
  if (record.state === 'declined') return [refunds.declined()];
  return isLateCase(record, now) ? [refunds.late()] : [];
}

function toCasePermissions(record: Case): CasePermissions {
  const phase = getCasePhase(record);
  return {
    write: true,
    call: hasOpenCall(record),
    keep: phase !== 'closed',
    notify: UNWITHDRAWN_STATES.includes(record.state),
    silence: record.notice_id !== null,
    withdraw: phase === 'open',
    purge: phase !== 'open',
  };
}

/** The facts that the row of steps leaves out. */
function toCaseRows({ tier, sealed_by: sealedBy }: Case, { say }: Language): CaseOverview['rows'] {
  return [
    { label: say('case.row.service'), value: [tier] },
    { label: say('case.row.locked'), value: [say(`case.row.locked.${sealedBy}`)] },
  ];
}
