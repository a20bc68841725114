/** Commands that list cases by due time and show the unsealed facts of one. */
import { styleText } from 'node:util';
import { isLateCase, OPEN_STATES, requireCase } from '#cases/states.ts';
import { toIsoTimeOrNull } from '#platform/iso-time.ts';
import { readListPage } from '#platform/page-cursor.ts';
import { formatNumberInWords } from '#platform/spelled-duration.ts';
import { CASE_STATES, type CaseState } from '#store/column-values.ts';
import { listCasesByDue } from '#store/desk-queue.ts';
import { listCaseObjects, type StoredObject } from '#store/objects.ts';
import {
  formatCaseLines,
  formatDayOrDash,
  formatDueOrDash,
  formatListedState,
  formatObjectName,
  formatStoredTime,
  toCaseRecordJson,
} from './case-facts.ts';
import { withStore } from './cli-services.ts';
import { createCommand, createUsageFailure, requireOperand } from './command.ts';
import { formatNextPageHint, pagingHelp, pagingOptions, parsePageOptions } from './list-pages.ts';
import { formatFittingTable, formatPairs, formatTable } from './table.ts';

/** Without a terminal there is no width, and the list is whole. */
const FIT = { width: process.stdout.columns, optional: ['PURGED ON', 'SEALED BY', 'CALL'] };

export const listCasesCommand = createCommand({
  usage: 'cases list [--state STATE] [--limit N] [--after CURSOR]',
  about: 'List cases, the earliest due first. Nothing sealed is shown; no key is needed.',
  help: [
    [
      '--state STATE',
      `${CASE_STATES.join(', ')},
or all; may be given several times (default: the first ${formatNumberInWords(OPEN_STATES.length)}, and what is held)`,
    ],
    ...pagingHelp,
  ],
  options: { state: { type: 'string', multiple: true }, ...pagingOptions },
  operands: 0,
  work: async ({ state, ...options }) => {
    const choice = { states: parseStates(state), withHeld: state === undefined };
    const pageRequest = parsePageOptions(options);
    return await withStore(async ({ clock, store }) => {
      const now = clock.now();
      const { rows: cases, next } = await readListPage(
        pageRequest,
        (page) => listCasesByDue(store.records, choice, page, now),
        ({ due_at }) => due_at,
      );
      const cells = cases.map((record) => [
        record.id,
        record.tier,
        formatListedState(record, now),
        isLateCase(record, now)
          ? styleText('red', formatDueOrDash(record, now))
          : formatDueOrDash(record, now),
        record.call,
        record.sealed_by,
        formatDayOrDash(record.purge_at),
      ]);
      const heads = ['CASE', 'TIER', 'STATE', 'DUE', 'CALL', 'SEALED BY', 'PURGED ON'];
      return {
        text:
          cells.length === 0
            ? 'No cases.\n'
            : formatFittingTable(heads, cells, FIT) + formatNextPageHint(next),
        json: { cases: cases.map((record) => toCaseRecordJson(record, now)), next },
      };
    });
  },
});

export const showCaseCommand = createCommand({
  usage: 'cases show ID',
  about: 'Show the unsealed facts of a case and a list of its sealed parts. No key is needed.',
  options: {},
  operands: 1,
  work: async (_values, [id]) =>
    await withStore(async ({ clock, store }) => {
      const now = clock.now();
      const record = await requireCase(store.records, requireOperand(id, 'ID'), now);
      const objects = await listCaseObjects(store.records, record.id);
      const objectRows = objects.map((object) => [
        formatObjectName(object),
        `${object.size}`,
        formatStoredTime(object, record, now),
      ]);
      return {
        text: `${formatPairs(formatCaseLines(record, now))}\n${formatTable(['SEALED PART', 'BYTES', 'STORED'], objectRows)}`,
        json: { case: toCaseRecordJson(record, now), objects: objects.map(toObjectJson) },
      };
    }),
});

function parseStates(names: readonly string[] | undefined): readonly CaseState[] {
  if (names === undefined) return OPEN_STATES;
  if (names.includes('all')) return CASE_STATES;
  return names.map((name) => {
    const state = CASE_STATES.find((known) => known === name);
    if (state === undefined) throw createUsageFailure(`--state takes ${CASE_STATES.join(', ')} or all`);
    return state;
  });
}

function toObjectJson({ kind, seq, size, keptAt }: StoredObject) {
  return { kind, seq, size, kept_at: toIsoTimeOrNull(keptAt) };
}
