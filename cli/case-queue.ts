/** Commands that list cases by due time and show the unsealed facts of one. */
import { isNewToKey, readSeenMarks } from '#desk-program/keys/seen-file.ts';
import { toIsoTimeOrNull } from '#platform/iso-time.ts';
import { type PageRequest, readListPage } from '#platform/page-cursor.ts';
import type { StoredObject } from '#store/objects.ts';
import { formatCaseLines, formatObjectName, formatStoredTime, toCaseRecordJson } from './case-facts.ts';
import { withCaseSource } from './chosen-source.ts';
import { createCommand } from './command.ts';
import { getIo } from './io.ts';
import { parseListChoice, queueChoiceHelp, queueChoiceOptions } from './list-choice.ts';
import { formatNextPageHint, pagingHelp, pagingOptions, parsePageOptions } from './list-pages.ts';
import { officeKeyHelp, officeKeyOptions, readOptionalAccess } from './pinning-key.ts';
import { formatQueueCounts, formatQueueTable, type QueueRow } from './queue-table.ts';
import { formatPairs, formatTable } from './table.ts';

const ROWS_AT_ONCE = 200;

export const listCasesCommand = createCommand({
  usage: `cases list [--state STATE] [--tier TIER] [--late] [--unanswered] [--nobodys] [--limit N] [--after CURSOR]
       cases list --key FILE [--mine] [--new] …`,
  about: `List cases, the earliest due first. Nothing sealed is shown, and no key is needed.
With your key it also says what is new to it and what is yours.`,
  help: [...queueChoiceHelp, ...officeKeyHelp, ...pagingHelp],
  options: { ...queueChoiceOptions, ...officeKeyOptions, ...pagingOptions },
  operands: 0,
  work: async (values) => {
    const desk = await readOptionalAccess(values, { readsFiles: true });
    const marks = desk && (await readSeenMarks(desk));
    const pageRequest = parsePageOptions(values);
    return await withCaseSource(desk, async (source) => {
      const { investigator, names } = source;
      const counts = await source.countViews();
      const choice = parseListChoice(values, investigator, source.now());
      const list: ListRows = async (page) => {
        const listed = await source.listCases(choice, page);
        return listed.map(({ record, messages }) => ({
          id: record.id,
          record,
          messages,
          isNew: marks && isNewToKey(marks, record.id, messages.buyer),
        }));
      };
      const listRows: ListRows = values.new ? (page) => listNewRows(list, page) : list;
      const { rows, next } = await readListPage(pageRequest, listRows, ({ record }) => record.due_at);
      const view = { now: source.now(), width: getIo().stdout.columns, names, investigator };
      return {
        text: `${formatQueueTable(rows, view)}${formatNextPageHint(next)}\n${formatQueueCounts(counts, investigator)}`,
        json: { cases: rows.map((row) => toQueueRowJson(row, view.now)), next, counts },
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
  help: officeKeyHelp,
  options: officeKeyOptions,
  operands: 1,
  work: async (values, [id]) =>
    await withCaseSource(
      await readOptionalAccess(values),
      async ({ requireCase, listObjects, ...source }) => {
        const record = await requireCase(id);
        const objects = await listObjects(record.id);
        const now = source.now();
        const objectRows = objects.map((object) => [
          formatObjectName(object),
          `${object.size}`,
          formatStoredTime(object, record, now),
        ]);
        return {
          text: `${formatPairs(formatCaseLines(record, now, source.names))}\n${formatTable(['SEALED PART', 'BYTES', 'STORED'], objectRows)}`,
          json: { case: toCaseRecordJson(record, now), objects: objects.map(toObjectJson) },
        };
      },
    ),
});

function toObjectJson({ kind, seq, size, keptAt }: StoredObject) {
  return { kind, seq, size, kept_at: toIsoTimeOrNull(keptAt) };
}
