/** Formats the queue for a terminal of any width, and says in the last line how much waits. */
import { styleText } from 'node:util';
import { isHeldDelivery } from '#cases/buyer-view.ts';
import type { countDeskViews } from '#cases/desk-queue.ts';
import { isLateCase } from '#cases/states.ts';
import { MINUTE_MS } from '#platform/durations.ts';
import { PROGRAM_NAME } from '#platform/program-name.ts';
import type { Case } from '#store/cases.ts';
import { MAX_COUNTED } from '#store/desk-queue.ts';
import { nameCase } from '#wire/case-name.ts';
import { formatDayOrDash, formatDueOrDash, formatStateName } from './case-facts.ts';
import { formatHolder, type HolderNames } from './holder-name.ts';
import { formatFittingTable, formatTable, measureTable } from './table.ts';

const HEADS = ['CASE', 'NAME', 'TIER', 'STATE', 'DUE', 'NEWS', 'WITH', 'CALL', 'SEALED BY', 'PURGED ON'];
/** Left out where there is no room, the first one first. */
const OPTIONAL = ['PURGED ON', 'SEALED BY', 'CALL', 'TIER', 'WITH'];
/** Enough to tell a case from all others. */
const SHORT_ID = 6;
const SHORT_NAME = 9;

export interface QueueRow {
  readonly record: Case;
  /** Null without a key. */
  readonly isNew: boolean | null;
}

export interface QueueView {
  readonly now: number;
  /** Undefined without a terminal: then the list is whole. */
  readonly width: number | undefined;
  readonly names: HolderNames;
  readonly investigator: string | null;
}

export function formatQueueTable(rows: readonly QueueRow[], view: QueueView): string {
  if (rows.length === 0) return 'No cases.\n';
  const cells = rows.map((row) => formatRow(row, view));
  const { width = Number.POSITIVE_INFINITY } = view;
  const table =
    measureTable([HEADS, ...cells]) <= width
      ? formatTable(HEADS, cells)
      : formatFittingTable(HEADS, cells.map(cutRow), { width, optional: OPTIONAL });
  const hasHeld = rows.some(({ record }) => isHeldDelivery(record, view.now));
  return hasHeld ? `${table}\nA held finding can be taken back: ${PROGRAM_NAME} cases take-back ID\n` : table;
}

function formatRow({ record, isNew }: QueueRow, { now, names, investigator }: QueueView): string[] {
  const due = formatDueOrDash(record, now);
  return [
    record.id,
    nameCase(record.id),
    record.tier,
    formatListedState(record, now),
    isLateCase(record, now) ? styleText('red', due) : due,
    formatNews(record, isNew),
    formatListedHolder(record, names, investigator),
    record.call,
    record.sealed_by,
    formatDayOrDash(record.purge_at),
  ];
}

function cutRow([
  id = '',
  name = '',
  tier = '',
  state = '',
  due = '',
  news = '',
  holder = '',
  ...rest
]: string[]) {
  const shortHolder = holder.length > SHORT_NAME ? `${holder.slice(0, SHORT_NAME - 1)}…` : holder;
  return [id.slice(0, SHORT_ID), name, tier, state, due, news, shortHolder, ...rest];
}

/** How long a finding can still be taken back is what counts. */
function formatListedState(record: Case, now: number): string {
  if (!isHeldDelivery(record, now)) return formatStateName(record);
  const minutes = Math.ceil(((record.released_at ?? now) - now) / MINUTE_MS);
  return styleText('yellow', `held for ${minutes} min`);
}

/** New is new to this key; answered is what the buyer wrote and nobody at the desk has answered. */
function formatNews({ unanswered_since: since }: Case, isNew: boolean | null): string {
  if (isNew) return styleText('bold', since === null ? 'NEW' : 'NEW answer');
  return since === null ? '-' : 'answered';
}

function formatListedHolder({ holder }: Case, names: HolderNames, investigator: string | null): string {
  if (holder === null) return '-';
  return holder === investigator ? 'you' : formatHolder(holder, names);
}

export function formatQueueCounts(
  counts: Awaited<ReturnType<typeof countDeskViews>>,
  investigator: string | null,
): string {
  const format = (count: number) => (count < MAX_COUNTED ? `${count}` : `${MAX_COUNTED} or more`);
  const parts = [
    `${format(counts.open)} open`,
    `${format(counts.late)} late`,
    `${format(counts.unanswered)} answered`,
    `${format(counts.nobodys)} nobody’s`,
    ...(investigator === null ? [] : [`${format(counts.mine)} yours`]),
  ];
  return `${parts.join(', ')}.\n`;
}
