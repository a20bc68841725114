/** Commands that list cases by due time and show the unsealed facts of one. */
import { countDeskViews, describeQueuedCases } from '#cases/desk-queue.ts';
import { isNewToKey, readSeenMarks } from '#desk-program/keys/seen-file.ts';
import { toIsoTimeOrNull } from '#platform/iso-time.ts';
import { type PageRequest, readListPage } from '#platform/page-cursor.ts';
import { listCasesByDue } from '#store/desk-queue.ts';
import { listCaseObjects, type StoredObject } from '#store/objects.ts';
import { formatCaseLines, formatObjectName, formatStoredTime, toCaseRecordJson } from './case-facts.ts';
import { requireNamedCase } from './case-id.ts';
import { withStore } from './cli-services.ts';
import { createCommand } from './command.ts';
import { readHolderNames } from './holder-name.ts';
import { deriveInvestigator } from './investigator.ts';
import { parseListChoice, queueChoiceHelp, queueChoiceOptions } from './list-choice.ts';
import { formatNextPageHint, pagingHelp, pagingOptions, parsePageOptions } from './list-pages.ts';
import { pinningKeyHelp, pinningKeyOptions, readPinningKey } from './pinning-key.ts';
import { formatQueueCounts, formatQueueTable, type QueueRow } from './queue-table.ts';
import { formatPairs, formatTable } from './table.ts';

const ROWS_AT_ONCE = 200;

export const listCasesCommand = createCommand({
  usage: `cases list [--state STATE] [--tier TIER] [--late] [--unanswered] [--nobodys] [--limit N] [--after CURSOR]
       cases list --key FILE [--mine] [--new] …`,
  about: `List cases, the earliest due first. Nothing sealed is shown, and no key is needed.
With your key it also says what is new to it and what is yours.`,
  help: [...queueChoiceHelp, ...pinningKeyHelp, ...pagingHelp],
  options: { ...queueChoiceOptions, ...pinningKeyOptions, ...pagingOptions },
  operands: 0,
  work: async (values) => {
    const desk = values.key === undefined ? null : await readPinningKey(values);
    const investigator = desk && (await deriveInvestigator(desk.identity));
    const marks = desk && (await readSeenMarks(desk));
    const pageRequest = parsePageOptions(values);
    return await withStore(async ({ clock, store: { records } }) => {
      const now = clock.now();
      const choice = parseListChoice(values, investigator, now);
      const list: ListRows = async (page) => {
        const cases = await listCasesByDue(records, choice, page, now);
        const described = await describeQueuedCases(records, cases, investigator, now);
        return described.map(({ record, messages }) => ({
          id: record.id,
          record,
          messages,
          isNew: marks && isNewToKey(marks, record.id, messages.buyer),
        }));
      };
      const listRows: ListRows = values.new ? (page) => listNewRows(list, page) : list;
      const { rows, next } = await readListPage(pageRequest, listRows, ({ record }) => record.due_at);
      const counts = await countDeskViews(records, investigator, now);
      const view = { now, width: process.stdout.columns, names: readHolderNames(), investigator };
      return {
        text: `${formatQueueTable(rows, view)}${formatNextPageHint(next)}\n${formatQueueCounts(counts, investigator)}`,
        json: { cases: rows.map((row) => toQueueRowJson(row, now)), next, counts },
      };
    });
  },
});

interface ListedRow extends QueueRow {
  readonly id: string;
  readonly messages: Readonly<Record<string, number>>;
}

type ListRows = (page: PageRequest) => Promise<readonly ListedRow[]>;

/** Only the key knows what is new to it, so others are read and left out. */
async function listNewRows(listRows: ListRows, { limit, after: start }: PageRequest): Promise<ListedRow[]> {
  const found: ListedRow[] = [];
  for (let after = start; ; ) {
    const rows = await listRows({ limit: ROWS_AT_ONCE, after });
    found.push(...rows.filter(({ isNew }) => isNew));
    const last = rows.at(-1);
    if (!last || rows.length < ROWS_AT_ONCE || found.length >= limit) return found.slice(0, limit);
    after = { at: last.record.due_at, id: last.id };
  }
}

function toQueueRowJson({ record, messages, isNew }: ListedRow, now: number) {
  return { ...toCaseRecordJson(record, now), messages, ...(isNew === null ? {} : { new: isNew }) };
}

export const showCaseCommand = createCommand({
  usage: 'cases show ID',
  about: 'Show the unsealed facts of a case and a list of its sealed parts. No key is needed.',
  options: {},
  operands: 1,
  work: async (_values, [id]) =>
    await withStore(async ({ clock, store }) => {
      const now = clock.now();
      const record = await requireNamedCase({ clock, store }, id);
      const objects = await listCaseObjects(store.records, record.id);
      const objectRows = objects.map((object) => [
        formatObjectName(object),
        `${object.size}`,
        formatStoredTime(object, record, now),
      ]);
      return {
        text: `${formatPairs(formatCaseLines(record, now, readHolderNames()))}\n${formatTable(['SEALED PART', 'BYTES', 'STORED'], objectRows)}`,
        json: { case: toCaseRecordJson(record, now), objects: objects.map(toObjectJson) },
      };
    }),
});

function toObjectJson({ kind, seq, size, keptAt }: StoredObject) {
  return { kind, seq, size, kept_at: toIsoTimeOrNull(keptAt) };
}
