/** Commands that list who at the desk did what and when, and verify that the log was not rewritten. */
import type { AuditLine, AuditWarning, OfficeAudit } from '#desk/office/audit-reader.ts';
import type { OfficeClient } from '#desk/office/office-client.ts';
import { PROGRAM_NAME } from '#platform/config/program-name.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { parseAuditHead } from '#seal/core/audit-chain.ts';
import { formatAssigneeWithKey, type InvestigatorNames } from './cases/case-facts.ts';
import { createCommand, createUsageFailure } from './command.ts';
import { officeOptions, withOffice } from './office-link.ts';
import { formatNextPageHint, parsePageLimit } from './selection.ts';
import { formatTable } from './terminal/table.ts';

export const listAuditCommand = createCommand({
  usage: 'audit list [--case ID] [--limit N] [--after NUMBER]',
  about: `List who did what to which case, order, agent or contact message, newest first.
Once the subject is purged or deleted, only the entry numbers remain. The entry for a purge by the desk is retained, with its author and day.
The chain is verified first, as with audit verify.`,
  options: [
    ['--case ID', 'list only entries about this case'],
    ['--limit N', 'how many to list (default 50)'],
    ['--after NUMBER', 'continue after the number that the previous page printed'],
    ...officeOptions,
  ],
  work: async ({ case: caseId, limit: limitText, after, ...values }) => {
    const limit = parsePageLimit(limitText);
    if (after !== undefined && !/^\d{1,15}$/.test(after))
      throw createUsageFailure('--after takes the number that the previous page printed');
    const before = after === undefined ? undefined : Number(after);
    return await withOffice(values, async ({ office, names }) => {
      const { lines, fault } = await listLines(office, caseId, before, limit + 1);
      const shown = lines.slice(0, limit);
      const next = lines.length > limit ? String(shown.at(-1)?.number ?? 0) : null;
      const heads = ['NUMBER', 'WHEN', 'WHO', 'WHAT', 'ABOUT'];
      const rows = shown.map((line) => formatLineCells(line, names));
      return {
        text: rows.length === 0 ? 'No entries.\n' : formatTable(heads, rows) + formatNextPageHint(next),
        json: { entries: shown.map(toLineJson), next },
        fault,
      };
    });
  },
});

/** Filters on this machine, after verifying the chain: an office that filters could omit entries. */
async function listLines(
  office: OfficeClient,
  caseId: string | undefined,
  start: number | undefined,
  limit: number,
) {
  const lines: AuditLine[] = [];
  for (let before = start; ; ) {
    const { entries, older, fault, head } = await readWholeLog(office, before);
    lines.push(...entries.filter(({ said }) => caseId === undefined || said?.case === caseId));
    if (fault || lines.length >= limit || older === null)
      return { lines: lines.slice(0, limit), fault: fault ? createLogFailure(fault, head) : undefined };
    before = older;
  }
}

/** One request verifies many entries; a longer log takes several. */
async function readWholeLog(office: OfficeClient, before?: number): Promise<OfficeAudit> {
  let page = await office.audit.read(before);
  for (let checked = -1; !page.fault && page.checked < page.total && page.checked > checked; ) {
    checked = page.checked;
    page = await office.audit.read(before);
  }
  return page;
}

const NOTHING_SAID = { at: null, by: null, act: null, case: null, order: null, agent: null, contact: null };

function toLineJson({ number, said }: AuditLine) {
  return { number, ...NOTHING_SAID, ...said };
}

function formatLineCells(line: AuditLine, names: InvestigatorNames): string[] {
  const { number, at, by, act, ...about } = toLineJson(line);
  if (at === null || act === null) {
    const why = line.isEmptied ? 'deleted with its subject' : 'cannot be read';
    return [String(number), '-', '-', why, '-'];
  }
  const who = by === null ? 'the command line' : formatAssigneeWithKey(by, names);
  const isPurged = act === 'purge' && about.case === null;
  // For an order or a purge the log records only the day.
  const when = about.order === null && !isPurged ? at : at.slice(0, 10);
  const id = about.case ?? about.order ?? about.agent ?? about.contact ?? (isPurged ? 'a purged case' : '-');
  return [String(number), when, who, act.replaceAll('_', ' '), id];
}

export const verifyAuditCommand = createCommand({
  usage: 'audit verify [--accept HEAD]',
  about: `Check that the audit log is an unbroken chain that continues from the head stored beside your key, and print its head.
A purge by the desk leaves an entry with its author and day, which is never deleted.
The stored head reveals a log that was rewritten as a whole or is shorter than before.`,
  options: [['--accept HEAD', 'accept this head after the log was restored from a backup'], ...officeOptions],
  work: async ({ accept, ...values }) => {
    if (accept !== undefined && parseAuditHead(accept) === null)
      throw createUsageFailure(
        '--accept takes the head that audit verify printed: a number, a colon and a hash',
      );
    return await withOffice(values, async ({ office }) => {
      if (accept !== undefined) await office.audit.accept(accept);
      const { head, total, fault } = await readWholeLog(office);
      const json = { head, entries: total, fault: fault && { text: fault.text } };
      if (fault) return { text: '', json, fault: createLogFailure(fault, head) };
      return {
        text: `The chain is unbroken and continues from the head stored beside your key: ${total} ${total === 1 ? 'entry' : 'entries'}.\nHead: ${head}\n`,
        json,
      };
    });
  },
});

function createLogFailure({ text, mayBeRestored }: AuditWarning, head: string): ProgramError {
  const hint = mayBeRestored ? ` After a restore: ${PROGRAM_NAME} audit verify --accept ${head}` : '';
  return new ProgramError(`${text}${hint}`, EXIT_CODES.dataError);
}
