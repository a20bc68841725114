/** What the service itself knows of a case, in words: the same for every way of showing it. */
import { WRITABLE_STATES } from '#cases/states.ts';
import { formatUtcTime, formatUtcTimeWithYear, toCaseStatus } from '#cases/status-text.ts';
import type { Case } from '#store/cases.ts';

export interface BuyerCaseView {
  readonly title: string;
  readonly clock: string;
  readonly sentences: readonly string[];
  readonly rows: readonly { readonly label: string; readonly value: string }[];
  readonly keep_days: Case['keep_days'];
  readonly may: CasePermissions;
}

/** What the buyer may do now. */
export interface CasePermissions {
  readonly write: boolean;
  readonly call: boolean;
  readonly keep: boolean;
  readonly withdraw: boolean;
  readonly purge: boolean;
}

export function toBuyerCaseView(record: Case, now: number): BuyerCaseView {
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

function toCaseRows(record: Case): BuyerCaseView['rows'] {
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
