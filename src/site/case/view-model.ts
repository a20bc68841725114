/** What the service itself knows of a case, in words: the same for every way of showing it. */
import { WRITABLE } from '#cases/states.ts';
import { dayText, statusOf, timeText } from '#cases/status-text.ts';
import type { Case } from '#store/cases.ts';

export interface CaseView {
  readonly title: string;
  readonly clock: string;
  readonly sentences: readonly string[];
  readonly rows: readonly { readonly label: string; readonly value: string }[];
  readonly keep_days: Case['keep_days'];
  readonly may: CaseActs;
}

/** What the buyer may do now. */
export interface CaseActs {
  readonly write: boolean;
  readonly call: boolean;
  readonly keep: boolean;
  readonly withdraw: boolean;
  readonly purge: boolean;
}

export function caseView(record: Case, now: number): CaseView {
  return {
    ...statusOf(record, now),
    rows: rowsOf(record),
    keep_days: record.keep_days,
    may: actsOf(record),
  };
}

function actsOf({ state, call }: Case): CaseActs {
  const writable = (WRITABLE as readonly string[]).includes(state);
  return {
    write: writable,
    call: writable && (call === 'offered' || call === 'booked'),
    keep: writable,
    withdraw: writable && state !== 'delivered',
    purge: !writable || state === 'delivered',
  };
}

function rowsOf(record: Case): CaseView['rows'] {
  const { tier, submitted_at: sent, sealed_by: by, delivered_at: delivered } = record;
  return [
    { label: 'Service', value: tier },
    { label: 'Sent', value: timeText(sent) },
    { label: 'Locked', value: by === 'server' ? 'By our server, on arrival' : 'Before it was sent' },
    ...(delivered === null ? [] : [{ label: 'Answered', value: timeText(delivered) }]),
    { label: 'Erased', value: erased(record) },
  ];
}

function erased({ purge_at: at, keep_days: days }: Case): string {
  return at === null ? `${days} days after our answer` : `On ${dayText(at)}`;
}
