/** What of a case is in clear: how far it has come, when it is due and when it goes. */
import { OPEN } from '#cases/states.ts';
import { fromNow } from '#cases/status-text.ts';
import type { Case } from '#store/cases.ts';
import type { Report } from './command.ts';
import { pairs } from './table.ts';

const DAY = 10;
const MINUTE = 16;

/** Names and times as programs read them; they do not change. */
export function caseJson(record: Case, now: number) {
  return {
    id: record.id,
    tier: record.tier,
    state: record.state,
    call: record.call,
    sealed_by: record.sealed_by,
    keep_days: record.keep_days,
    submitted_at: iso(record.submitted_at),
    due_at: iso(record.due_at),
    late: isOpen(record) && record.due_at < now,
    delivered_at: iso(record.delivered_at),
    purge_at: iso(record.purge_at),
  };
}

export function caseLines(record: Case, now: number): [label: string, text: string][] {
  return [
    ['Case', record.id],
    ['Tier', record.tier],
    ['State', stateText(record)],
    ['Due', `${timeText(record.due_at)}${isOpen(record) ? `, ${dueText(record, now)}` : ''}`],
    ['Call', record.call],
    ['Sealed by', record.sealed_by],
    ['Submitted', timeText(record.submitted_at)],
    ['Delivered', timeText(record.delivered_at)],
    [
      'Purged on',
      record.purge_at === null ? `${record.keep_days} days after the delivery` : timeText(record.purge_at),
    ],
  ];
}

/** What a step has led to. */
export function stepReport(record: Case, now: number, done: string): Report {
  const next = isOpen(record) ? `due ${dueText(record, now)}` : `purged on ${dayText(record.purge_at)}`;
  return {
    text: `${done} The case is ${stateText(record)}, ${next}.\n`,
    json: { case: caseJson(record, now) },
  };
}

export function factsReport(record: Case, now: number): Report {
  return { text: pairs(caseLines(record, now)), json: { case: caseJson(record, now) } };
}

/** In how many hours it is due, or how late it is; nothing once it has ended. */
export function dueText(record: Case, now: number): string {
  return isOpen(record) ? fromNow(record.due_at - now) : '-';
}

export function stateText({ state }: Case): string {
  return state.replaceAll('_', ' ');
}

export function dayText(time: number | null): string {
  return iso(time)?.slice(0, DAY) ?? '-';
}

export function timeText(time: number | null): string {
  return time === null ? '-' : `${iso(time)?.slice(0, MINUTE).replace('T', ' ')} UTC`;
}

export function iso(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}

function isOpen({ state }: Case): boolean {
  return OPEN.some((open) => open === state);
}
