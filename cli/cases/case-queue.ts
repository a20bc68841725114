/** Commands that list cases by due time and show the unsealed facts of one. */
import { styleText } from 'node:util';
import type { DeskCounts } from '#cases/desk/desk-queue.ts';
import type { DeskQueueEntry } from '#desk/office/queue-reader.ts';
import { PROGRAM_NAME } from '#platform/config/program-name.ts';
import { MINUTE_MS } from '#platform/durations.ts';
import { readListPage } from '#platform/page-cursor.ts';
import { nameCase } from '#wire/case-name.ts';
import { MAX_COUNTED } from '#wire/desk-cases.ts';
import { createCommand } from '../command.ts';
import { officeOptions, withOffice } from '../office-link.ts';
import { formatNextPageHint, pagingOptions, parsePageOptions } from '../selection.ts';
import { getIo } from '../terminal/io.ts';
import {
  formatDayOrDash,
  formatFittingTable,
  formatPairs,
  formatTable,
  measureTable,
} from '../terminal/table.ts';
import {
  formatAssignee,
  formatCaseLines,
  formatDueOrDash,
  formatObjectName,
  formatStateName,
  formatStoredTime,
  type InvestigatorNames,
  toCaseJson,
} from './case-facts.ts';
import { listChosenCases, parseListChoice, queueChoiceOptions } from './list-choice.ts';
import { requireCase } from './office-cases.ts';

const HEADS = ['CASE', 'NAME', 'TIER', 'STATE', 'DUE', 'NEWS', 'ASSIGNEE', 'CALL', 'SEALED BY', 'PURGED ON'];
/** Columns that a narrow terminal omits, in this order. */
const OPTIONAL_HEADS = ['PURGED ON', 'SEALED BY', 'CALL', 'TIER', 'ASSIGNEE'];
/** Enough characters to distinguish a case from all others. */
const SHORT_ID = 6;
const AWAITING_REPLY = 'awaiting reply';
const SHORT_NAME = 9;

interface QueueView {
  readonly now: number;
  /** Undefined without a terminal: then no column is omitted. */
  readonly width: number | undefined;
  readonly names: InvestigatorNames;
  readonly investigator: string;
}

export const listCasesCommand = createCommand({
  usage:
    'cases list [--state STATE] [--tier TIER] [--late] [--unanswered] [--mine|--unassigned] [--new] [--limit N] [--after CURSOR]',
  about:
    'List cases, earliest due first, and mark which are new to your key and which are yours. Nothing sealed is shown.',
  options: [...queueChoiceOptions, ...officeOptions, ...pagingOptions],
  work: async (values) => {
    const pageRequest = parsePageOptions(values);
    const choice = parseListChoice(values);
    return await withOffice(values, async (link) => {
      const { counts, now } = await link.office.readQueue({ limit: 1 });
      const { rows, next } = await readListPage(
        pageRequest,
        (page) => listChosenCases(link, choice, page),
        ({ due_at: due }) => Date.parse(due),
      );
      const view = {
        now: Date.parse(now),
        width: getIo().stdout.columns,
        names: link.names,
        investigator: link.office.holder,
      };
      return {
        text: `${formatQueueTable(rows, view)}${formatNextPageHint(next)}\n${formatQueueCounts(counts)}`,
        json: {
          cases: rows.map((row) => ({ ...toCaseJson(row), messages: row.messages, new: row.news !== null })),
          next,
          counts,
        },
      };
    });
  },
});

export const showCaseCommand = createCommand({
  usage: 'cases show ID',
  about: 'Show the unsealed facts of a case and a list of its sealed parts.',
  options: officeOptions,
  operands: 1,
  work: async (values, [operand]) =>
    await withOffice(values, async (link) => {
      const { id } = (await requireCase(link, operand)).facts;
      const { case: facts, objects, now } = await link.office.readCaseFile(id);
      const rows = objects.map((object) => [
        formatObjectName(object),
        `${object.size}`,
        formatStoredTime(object, facts),
      ]);
      return {
        text: `${formatPairs(formatCaseLines(facts, Date.parse(now), link.names))}\n${formatTable(['SEALED PART', 'BYTES', 'STORED'], rows)}`,
        json: {
          case: toCaseJson(facts),
          objects: objects.map(({ kind, seq, size, at }) => ({ kind, seq, size, kept_at: at })),
        },
      };
    }),
});

export function formatQueueTable(rows: readonly DeskQueueEntry[], view: QueueView): string {
  if (rows.length === 0) return 'No cases.\n';
  const cells = rows.map((row) => formatRow(row, view));
  const { width = Number.POSITIVE_INFINITY } = view;
  const table =
    measureTable([HEADS, ...cells]) <= width
      ? formatTable(HEADS, cells)
      : formatFittingTable(HEADS, cells.map(cutRow), { width, optional: OPTIONAL_HEADS });
  const hasHeld = rows.some(({ held_until: heldUntil }) => heldUntil !== null);
  return hasHeld
    ? `${table}\nA delivery or decline on hold can be taken back: ${PROGRAM_NAME} cases take-back ID\n`
    : table;
}

function formatRow(facts: DeskQueueEntry, view: QueueView): string[] {
  const { now } = view;
  const due = formatDueOrDash(facts, now);
  return [
    facts.id,
    nameCase(facts.id),
    facts.tier,
    formatListedState(facts, now),
    facts.late ? styleText('red', due) : due,
    formatNews(facts),
    formatListedAssignee(facts, view),
    facts.call,
    facts.sealed_by,
    formatDayOrDash(facts.purge_at),
  ];
}

/** Shorter forms of the cells in some columns, for a narrow terminal. */
const SHORT_CELLS: Readonly<Record<string, (cell: string) => string>> = {
  CASE: (id) => id.slice(0, SHORT_ID),
  NEWS: (news) => (news === AWAITING_REPLY ? 'reply due' : news),
  ASSIGNEE: (name) => (name.length > SHORT_NAME ? `${name.slice(0, SHORT_NAME - 1)}…` : name),
};

function cutRow(row: readonly string[]): string[] {
  return row.map((cell, column) => SHORT_CELLS[HEADS[column]!]?.(cell) ?? cell);
}

/** For a delivery or decline on hold, shows how long it can still be taken back. */
function formatListedState(facts: DeskQueueEntry, now: number): string {
  if (facts.held_until === null) return formatStateName(facts);
  const minutes = Math.ceil((Date.parse(facts.held_until) - now) / MINUTE_MS);
  return styleText('yellow', `${minutes} min to undo`);
}

/** `NEW` is new to this key; a case is awaiting reply if the buyer wrote last. */
function formatNews({ unanswered_since: since, news }: DeskQueueEntry): string {
  if (news !== null) return styleText('bold', since === null ? 'NEW' : 'NEW answer');
  return since === null ? '-' : AWAITING_REPLY;
}

function formatListedAssignee({ holder }: DeskQueueEntry, { names, investigator }: QueueView): string {
  if (holder === null) return '-';
  return holder === investigator ? 'you' : formatAssignee(holder, names);
}

export function formatQueueCounts(counts: DeskCounts): string {
  const format = (count: number) => (count < MAX_COUNTED ? `${count}` : `${MAX_COUNTED} or more`);
  return `${format(counts.open)} open, ${format(counts.late)} late, ${format(counts.unanswered)} awaiting reply, ${format(counts.unassigned)} unassigned, ${format(counts.mine)} yours.\n`;
}
