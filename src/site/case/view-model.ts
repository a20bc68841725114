/** What the service itself knows of a case, in words: the same for every way of showing it. */
import { WRITABLE_STATES } from '#cases/states.ts';
import { formatUtcTime, formatUtcTimeWithYear, toCaseStatus } from '#cases/status-text.ts';
import type { Case } from '#store/cases.ts';
import type { CaseOverview, CasePermissions } from '#wire/case-requests.ts';

export function toCaseOverview(record: Case, now: number): CaseOverview {
  return {
    ...toCaseStatus(record, now),
    rows: toCaseRows(record),
    keep_days: record.keep_days,
    may: toCasePermissions(record),
  };
}

function toCasePermissions({ state, call }: Case): CasePermissions {
  const writable = (WRITABLE_STATES as readonly string[]).includes(state);
  return {
    write: writable,
    call: writable && (call === 'offered' || call === 'booked'),
    keep: writable,
    withdraw: writable && state !== 'delivered',
    purge: !writable || state === 'delivered',
  };
}

function toCaseRows(record: Case): CaseOverview['rows'] {
  const { tier, submitted_at: sent, sealed_by: by, delivered_at: delivered } = record;
  return [
    { label: 'Service', value: tier },
    { label: 'Sent', value: formatUtcTime(sent) },
    { label: 'Locked', value: by === 'server' ? 'By our server, on arrival' : 'Before it was sent' },
    ...(delivered === null ? [] : [{ label: 'Answered', value: formatUtcTime(delivered) }]),
    { label: 'Erased', value: formatErasureDate(record) },
  ];
}

function formatErasureDate({ purge_at: at, keep_days: days }: Case): string {
  return at === null ? `${days} days after our answer` : `On ${formatUtcTimeWithYear(at)}`;
}
