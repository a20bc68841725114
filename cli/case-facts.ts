/** The unsealed facts of a case, as text and as JSON: its state, when it is due and when it is purged. */
import { FINDING_KINDS, isHeldDelivery } from '#cases/buyer-view.ts';
import { getCasePhase, isLateCase } from '#cases/states.ts';
import { formatTimeLeft } from '#cases/status-text.ts';
import { ENGLISH } from '#language/languages.ts';
import { cutIsoDay, toIsoTime, toIsoTimeOrNull } from '#platform/iso-time.ts';
import { PROGRAM_NAME } from '#platform/program-name.ts';
import type { Case } from '#store/cases.ts';
import { getChangeTime } from '#store/desk-queue.ts';
import type { StoredObject } from '#store/objects.ts';
import { nameCase } from '#wire/case-name.ts';
import type { CommandReport } from './command.ts';
import { formatHolder, type HolderNames } from './holder-name.ts';

const MINUTE_LENGTH = 16;

/** Scripts rely on these names and formats, so they must not change. */
export function toCaseRecordJson(record: Case, now: number) {
  return {
    id: record.id,
    name: nameCase(record.id),
    tier: record.tier,
    state: record.state,
    call: record.call,
    sealed_by: record.sealed_by,
    keep_days: record.keep_days,
    submitted_at: toIsoTime(record.submitted_at),
    due_at: toIsoTime(record.due_at),
    late: isLateCase(record, now),
    delivered_at: toIsoTimeOrNull(record.delivered_at),
    held_until: isHeldDelivery(record, now) ? toIsoTimeOrNull(record.released_at) : null,
    purge_at: toIsoTimeOrNull(record.purge_at),
    purge_by: record.purge_by,
    holder: record.holder,
    unanswered_since: toIsoTimeOrNull(record.unanswered_since),
    changed_at: toIsoTime(getChangeTime(record)),
  };
}

export function formatCaseLines(
  record: Case,
  now: number,
  names: HolderNames,
): [label: string, text: string][] {
  return [
    ['Case', record.id],
    ['Name', nameCase(record.id)],
    ['Tier', record.tier],
    ['State', formatDeskState(record, now)],
    [
      'Due',
      `${formatTimeOrDash(record.due_at)}${isOpenCase(record) ? `, ${formatDueOrDash(record, now)}` : ''}`,
    ],
    ['With', record.holder === null ? 'nobody' : formatHolder(record.holder, names)],
    ['Answered', record.unanswered_since === null ? '-' : formatTimeOrDash(record.unanswered_since)],
    ['Call', record.call],
    ['Sealed by', record.sealed_by],
    ['Submitted', formatTimeOrDash(record.submitted_at)],
    ['Delivered', formatDelivery(record, now)],
    ['Purged on', formatPurge(record, names)],
  ];
}

function formatPurge({ purge_at: at, purge_by: by, keep_days: days }: Case, names: HolderNames): string {
  if (at === null) return `${days} days after the delivery`;
  const asked = by === null ? '' : `, as ${formatHolder(by, names)} has asked; cases purge --undo undoes it`;
  return `${formatTimeOrDash(at)}${asked}`;
}

export function buildStepReport(record: Case, now: number, done: string): CommandReport {
  const next = isOpenCase(record)
    ? `due ${formatDueOrDash(record, now)}`
    : `purged on ${formatDayOrDash(record.purge_at)}`;
  return {
    text: `${done} The case is ${formatStateName(record)}, ${next}.\n${formatTakeBackHint(record, now)}`,
    json: { case: toCaseRecordJson(record, now) },
  };
}

/** What the desk sees; the buyer sees the former state meanwhile. */
function formatDeskState(record: Case, now: number): string {
  const state = formatStateName(record);
  return isHeldDelivery(record, now)
    ? `${state}, can be taken back until ${formatTimeOrDash(record.released_at)}`
    : state;
}

function formatDelivery(record: Case, now: number): string {
  return isHeldDelivery(record, now)
    ? `the buyer can read it from ${formatTimeOrDash(record.released_at)}`
    : formatTimeOrDash(record.delivered_at);
}

/** A held finding is stored with the time from which the buyer can read it. */
export function formatStoredTime({ kind, keptAt }: StoredObject, record: Case, now: number): string {
  const isHeld = isHeldDelivery(record, now) && FINDING_KINDS.some((known) => known === kind);
  return isHeld ? `held until ${formatTimeOrDash(record.released_at)}` : formatTimeOrDash(keptAt);
}

function formatTakeBackHint(record: Case, now: number): string {
  return isHeldDelivery(record, now)
    ? `The buyer sees nothing of it until ${formatTimeOrDash(record.released_at)}. To undo it before: ${PROGRAM_NAME} cases take-back ${record.id}\n`
    : '';
}

/** The time left until the case is due, or how late it is; a dash once it has ended. */
export function formatDueOrDash(record: Case, now: number): string {
  return isOpenCase(record) ? formatTimeLeft(record.due_at - now, ENGLISH.say) : '-';
}

export function formatStateName({ state }: Case): string {
  return state.replaceAll('_', ' ');
}

export function formatDayOrDash(time: number | null): string {
  return time === null ? '-' : cutIsoDay(toIsoTime(time));
}

export function formatTimeOrDash(time: number | null): string {
  return time === null ? '-' : `${toIsoTime(time).slice(0, MINUTE_LENGTH).replace('T', ' ')} UTC`;
}

/** For example `buyer message 2`. */
export function formatObjectName({ kind, seq }: Pick<StoredObject, 'kind' | 'seq'>): string {
  return `${kind.replace(/\.v\d+$/, '').replaceAll('-', ' ')} ${seq + 1}`;
}

function isOpenCase(record: Case): boolean {
  return getCasePhase(record) === 'open';
}
