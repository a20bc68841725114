/** Commands that list cases by due time and show the unsealed facts of one. */
import type { DeskQueueEntry } from '#desk-program/office/queue-reader.ts';
import { readListPage } from '#platform/page-cursor.ts';
import { formatCaseLines, formatObjectName, formatStoredTime, toCaseJson } from './case-facts.ts';
import { createCommand } from './command.ts';
import { getIo } from './io.ts';
import { listChosenCases, parseListChoice, queueChoiceHelp, queueChoiceOptions } from './list-choice.ts';
import { formatNextPageHint, pagingHelp, pagingOptions, parsePageOptions } from './list-pages.ts';
import { requireCase } from './office-cases.ts';
import { withOfficeLink } from './office-link.ts';
import { officeHelp, officeOptions, readOfficeAccess } from './office-option.ts';
import { formatQueueCounts, formatQueueTable } from './queue-table.ts';
import { formatPairs, formatTable } from './table.ts';

export const listCasesCommand = createCommand({
  usage:
    'cases list [--state STATE] [--tier TIER] [--late] [--unanswered] [--mine|--nobodys] [--new] [--limit N] [--after CURSOR]',
  about:
    'List cases, the earliest due first, with what is new to your key and what is yours. Nothing sealed is shown.',
  help: [...queueChoiceHelp, ...officeHelp, ...pagingHelp],
  options: { ...queueChoiceOptions, ...officeOptions, ...pagingOptions },
  operands: 0,
  work: async (values) => {
    const pageRequest = parsePageOptions(values);
    const choice = parseListChoice(values);
    return await withOfficeLink(await readOfficeAccess(values), async (link) => {
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
        json: { cases: rows.map(toQueueRowJson), next, counts },
      };
    });
  },
});

function toQueueRowJson(row: DeskQueueEntry) {
  return { ...toCaseJson(row), messages: row.messages, new: row.news !== null };
}

export const showCaseCommand = createCommand({
  usage: 'cases show ID',
  about: 'Show the unsealed facts of a case and a list of its sealed parts.',
  help: officeHelp,
  options: officeOptions,
  operands: 1,
  work: async (values, [operand]) =>
    await withOfficeLink(await readOfficeAccess(values), async (link) => {
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
