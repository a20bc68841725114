/** What the service itself knows about a case, as text for both versions of the case page. */
import { toBuyerView } from '#cases/buyer-view.ts';
import { callTransitions, getCasePhase } from '#cases/states.ts';
import { formatUtcTime, formatUtcTimeWithYear, toCaseStatus } from '#cases/status-text.ts';
import type { Case } from '#store/cases.ts';
import type { CallState, SealedBy } from '#store/column-values.ts';
import type { CaseOverview, CasePermissions } from '#wire/case-requests.ts';

export function toCaseOverview(stored: Case, now: number): CaseOverview {
  const record = toBuyerView(stored, now);
  return {
    ...toCaseStatus(record, now),
    rows: toCaseRows(record),
    keep_days: record.keep_days,
    may: toCasePermissions(record),
  };
}

function toCasePermissions(record: Case): CasePermissions {
  const phase = getCasePhase(record);
  const writable = phase !== 'closed';
  const bookable: readonly CallState[] = callTransitions.book.from;
  return {
    write: writable,
    call: writable && bookable.includes(record.call),
    keep: writable,
    withdraw: phase === 'open',
    purge: phase !== 'open',
  };
}

const sealedByTexts: Readonly<Record<SealedBy, string>> = {
  browser: 'Before it was sent',
  agent: 'Before it was sent',
  server: 'By our server, on arrival',
};

function toCaseRows(record: Case): CaseOverview['rows'] {
  const { tier, submitted_at: submittedAt, sealed_by: sealedBy, delivered_at: deliveredAt } = record;
  return [
    { label: 'Service', value: tier },
    { label: 'Sent', value: formatUtcTime(submittedAt) },
    { label: 'Locked', value: sealedByTexts[sealedBy] },
    ...(deliveredAt === null ? [] : [{ label: 'Answered', value: formatUtcTime(deliveredAt) }]),
    { label: 'Erased', value: formatErasureDate(record) },
  ];
}

function formatErasureDate({ purge_at: purgeAt, keep_days: keepDays }: Case): string {
  return purgeAt === null ? `${keepDays} days after our answer` : `On ${formatUtcTimeWithYear(purgeAt)}`;
}
