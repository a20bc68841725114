/** Commands that list who at the desk did what, and check that nobody has rewritten it. */
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { type AuditHead, formatAuditHead, parseAuditHead } from '#seal/audit-chain.ts';
import { type AuditCheck, type AuditFault, checkAuditChain } from '#store/audit-check.ts';
import { findAuditHead } from '#store/audit-log.ts';
import type { ListedEntry } from './audit-entry.ts';
import { withAuditSource } from './audit-source.ts';
import { withStore } from './cli-services.ts';
import { type CommandReport, createCommand, createUsageFailure } from './command.ts';
import { createCountProgress } from './count-progress.ts';
import { CommandFailure } from './failure.ts';
import { formatHolderWithKey, type HolderNames } from './holder-name.ts';
import { formatNextPageHint, pagingOptions, parsePageLimit } from './list-pages.ts';
import { officeAloneHelp, officeKeyOptions, readOfficeAlone } from './pinning-key.ts';
import { formatTable } from './table.ts';

export const listAuditCommand = createCommand({
  usage: 'audit list [--case ID] [--limit N] [--after NUMBER]',
  about: `List who did what to which case, order, agent or contact message, the newest first. No key is needed.
Once that is purged or deleted, nothing is left but the numbers. A purge by the desk stays, with who and the day.
At an office the chain is checked first, as by audit verify.`,
  help: [
    ['--case ID', 'only what was done to this case'],
    ['--limit N', 'how many to list (default 50)'],
    ['--after NUMBER', 'continue after the number that the previous page printed'],
    ...officeAloneHelp,
  ],
  options: { case: { type: 'string' }, ...pagingOptions, ...officeKeyOptions },
  operands: 0,
  work: async ({ case: caseId, limit: limitText, after, ...values }) => {
    const limit = parsePageLimit(limitText);
    if (after !== undefined && !/^\d{1,15}$/.test(after))
      throw createUsageFailure('--after takes the number that the previous page printed');
    const before = after === undefined ? undefined : Number(after);
    return await withAuditSource(await readOfficeAlone(values), async ({ listEntries, names }) => {
      const { entries: found, fault } = await listEntries({ caseId, before, limit: limit + 1 });
      const entries = found.slice(0, limit).map(toEntryJson);
      const next = found.length > limit ? String(entries.at(-1)?.number ?? 0) : null;
      return {
        text:
          entries.length === 0
            ? 'No entries.\n'
            : formatTable(
                ['NUMBER', 'WHEN', 'WHO', 'WHAT', 'ABOUT'],
                entries.map((entry) => formatEntryCells(entry, names)),
              ) + formatNextPageHint(next),
        json: { entries, next },
        fault,
      };
    });
  },
});

interface EntryJson {
  readonly number: number;
  readonly at: string | null;
  readonly by: string | null;
  readonly act: string | null;
  readonly case: string | null;
  readonly order: string | null;
  readonly agent: string | null;
  readonly contact: string | null;
}

const CLEARED = { at: null, by: null, act: null, case: null, order: null, agent: null, contact: null };

/** Whoever can write the records can write anything there. */
function toEntryJson({ number, entry }: ListedEntry): EntryJson {
  try {
    const said = JSON.parse(entry ?? 'null') as Readonly<Record<string, unknown>> | null;
    const pick = (name: string) => (typeof said?.[name] === 'string' ? said[name] : null);
    return {
      number,
      at: pick('at'),
      by: pick('by'),
      act: pick('act'),
      case: pick('case'),
      order: pick('order'),
      agent: pick('agent'),
      contact: pick('contact'),
    };
  } catch {
    return { number, ...CLEARED };
  }
}

function formatEntryCells({ number, at, by, act, ...about }: EntryJson, names: HolderNames): string[] {
  if (at === null || act === null) return [String(number), '-', '-', 'deleted with what it was about', '-'];
  const who = by === null ? 'the command line' : formatHolderWithKey(by, names);
  const isPurged = act === 'purge' && about.case === null;
  // Of an order and of a purge the log has the day alone.
  const when = about.order === null && !isPurged ? at : at.slice(0, 10);
  const id = about.case ?? about.order ?? about.agent ?? about.contact ?? (isPurged ? 'a purged case' : '-');
  return [String(number), when, who, act.replaceAll('_', ' '), id];
}

export const verifyAuditCommand = createCommand({
  usage: 'audit verify [--head HEAD]\n       audit verify --office ADDRESS --key FILE [--accept HEAD]',
  about: `Check that the audit log is a whole chain, and print its head. No key is needed.
A purge by the desk leaves an entry of its own with who and the day, which is never deleted.
Only the head that you noted earlier shows a log that was rewritten as a whole, or is shorter than before.
At an office the head is remembered beside your key, and compared the next time.`,
  help: [
    ['--head HEAD', 'a head that this command printed earlier: the log must go on from there'],
    ['--accept HEAD', 'at an office: the log was restored from a backup, and has this head now'],
    ...officeAloneHelp,
  ],
  options: { head: { type: 'string' }, accept: { type: 'string' }, ...officeKeyOptions },
  operands: 0,
  work: async ({ head, accept, ...values }) => {
    const access = await readOfficeAlone(values);
    const [seen, accepted] = [parseHeadOption('--head', head), parseHeadOption('--accept', accept)];
    if (access) {
      if (seen) throw createUsageFailure('At an office --head is remembered beside your key; see --accept');
      const { verifyOfficeLog } = await import('./office-audit-log.ts');
      return await verifyOfficeLog(access, accepted);
    }
    if (accepted) throw createUsageFailure('--accept goes with --office ADDRESS; see --head');
    return await withStore(async ({ store }) => {
      const { number } = await findAuditHead(store.records);
      const progress = createCountProgress('Checking', number);
      try {
        return buildCheckReport(await checkAuditChain(store.records, seen, progress.advance), seen);
      } finally {
        progress.end();
      }
    });
  },
});

function parseHeadOption(option: string, text: string | undefined): AuditHead | null {
  const head = text === undefined ? null : parseAuditHead(text);
  if (text !== undefined && head === null)
    throw createUsageFailure(
      `${option} takes the head that audit verify printed: a number, a colon and a hash`,
    );
  return head;
}

function buildCheckReport({ head, cleared, fault }: AuditCheck, seen: AuditHead | null): CommandReport {
  const json = { head: formatAuditHead(head), entries: head.number, cleared, fault };
  if (fault) return { text: '', json, fault: createChainFailure(fault) };
  const since = seen ? `, ${head.number - seen.number} since the head that you gave` : '';
  return {
    text: `The chain holds: ${head.number} ${head.number === 1 ? 'entry' : 'entries'}${since}; ${cleared} deleted with what they were about.\nHead: ${formatAuditHead(head)}\n`,
    json,
  };
}

const faults: Readonly<Record<AuditFault, (number: number) => string>> = {
  gap: (number) => `Entries before number ${number} are missing.`,
  entry: (number) => `Entry ${number} was changed after it was written.`,
  chain: (number) =>
    `Entry ${number} does not follow from those before it: one was changed, moved or taken out.`,
  head: (number) => `The log does not end with entry ${number}, as it says: entries were cut off or added.`,
  shorter: (number) =>
    `The log is shorter than what you saw: entry ${number} is not there. A restore from a backup does this; if there was none, somebody cut it off.`,
  rewritten: (number) =>
    `The log is not the one that you saw: up to entry ${number} it has other entries. A restore from a backup does this; if there was none, somebody rewrote it.`,
};

function createChainFailure({ kind, number }: NonNullable<AuditCheck['fault']>): CommandFailure {
  return new CommandFailure(faults[kind](number), EXIT_CODES.dataError);
}
