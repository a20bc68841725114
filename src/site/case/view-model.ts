/** What the service itself knows of a case, in words: the same for every way of showing it. */
import { callTransitions, getCasePhase } from '#cases/states.ts';
import { formatUtcTime, formatUtcTimeWithYear, toCaseStatus } from '#cases/status-text.ts';
import type { Case } from '#store/cases.ts';
import type { CallState, SealedBy } from '#store/column-values.ts';
import type { CaseOverview, CasePermissions } from '#wire/case-requests.ts';

export function toCaseOverview(record: Case, now: number): CaseOverview {
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

const sealedWhere: Readonly<Record<SealedBy, string>> = {
  browser: 'Before it was sent',
  agent: 'Before it was sent',
  server: 'By our server, on arrival',
};

function toCaseRows(record: Case): CaseOverview['rows'] {
  const { tier, submitted_at: sent, sealed_by: by, delivered_at: delivered } = record;
  return [
    { label: 'Service', value: tier },
    { label: 'Sent', value: formatUtcTime(sent) },
    { label: 'Locked', value: sealedWhere[by] },
    ...(delivered === null ? [] : [{ label: 'Answered', value: formatUtcTime(delivered) }]),
    { label: 'Erased', value: formatErasureDate(record) },
  ];
}

function formatErasureDate({ purge_at: at, keep_days: days }: Case): string {
  return at === null ? `${days} days after our answer` : `On ${formatUtcTimeWithYear(at)}`;
}
