/** The audit log of an office over the network: its chain is checked from the head that the key remembers. */
import { AuditReader } from '#desk-program/office/audit-reader.ts';
import { readOfficeQueue } from '#desk-program/office/connect.ts';
import type { AuditWarning, OfficeAudit } from '#desk-program/office/office-audit.ts';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { PROGRAM_NAME } from '#platform/program-name.ts';
import { type AuditHead, formatAuditHead } from '#seal/audit-chain.ts';
import type { AuditRequest, AuditSource, ListedEntry } from './audit-entry.ts';
import type { CommandReport } from './command.ts';
import { CommandFailure } from './failure.ts';
import { listOfficeNames } from './holder-name.ts';
import { withOfficeLink } from './office-link.ts';
import type { OfficeAccess } from './pinning-key.ts';

interface OfficeLog extends AuditSource {
  readonly reader: AuditReader;
}

export async function withOfficeLog<Result>(
  access: OfficeAccess,
  work: (log: OfficeLog) => Promise<Result>,
): Promise<Result> {
  return await withOfficeLink(access, async (link) => {
    const listLivingCases = async () => new Set((await readOfficeQueue(link, {})).cases.map(({ id }) => id));
    const reader = new AuditReader({ ...link, listLivingCases });
    const listEntries: OfficeLog['listEntries'] = (request) => listOfficeEntries(reader, request);
    return await work({ names: listOfficeNames(link.known), reader, listEntries });
  });
}

/** Chosen here, from pages whose chain was checked: an office that chooses could leave something out. */
async function listOfficeEntries(reader: AuditReader, { caseId, before: start, limit }: AuditRequest) {
  const entries: ListedEntry[] = [];
  for (let before = start; ; ) {
    const page = await readWholeLog(reader, before);
    for (const { number, said } of page.entries)
      if (caseId === undefined || said?.case === caseId)
        entries.push({ number, entry: said && JSON.stringify(said) });
    const isEnough = entries.length >= limit || page.older === null;
    if (page.fault || isEnough)
      return { entries: entries.slice(0, limit), fault: page.fault ? createLogFailure(page) : undefined };
    before = page.older ?? undefined;
  }
}

/** One look checks many entries; a longer log takes several. */
async function readWholeLog(reader: AuditReader, before?: number): Promise<OfficeAudit> {
  let page = await reader.read(before);
  for (let checked = -1; !page.fault && page.checked < page.total && page.checked > checked; ) {
    checked = page.checked;
    page = await reader.read(before);
  }
  return page;
}

/** `accepted` is the head of a log that was restored from a backup. */
export async function verifyOfficeLog(
  access: OfficeAccess,
  accepted: AuditHead | null,
): Promise<CommandReport> {
  return await withOfficeLog(access, async ({ reader }) => {
    if (accepted) await reader.accept(formatAuditHead(accepted));
    const page = await readWholeLog(reader);
    const { head, total, fault } = page;
    const json = { head, entries: total, cleared: null, fault: fault && { text: fault.text } };
    if (fault) return { text: '', json, fault: createLogFailure(page) };
    return {
      text: `The chain holds, and goes on from what your key has seen: ${total} ${total === 1 ? 'entry' : 'entries'}.\nHead: ${head}\n`,
      json,
    };
  });
}

function createLogFailure({ fault, head }: { fault: AuditWarning | null; head: string }): CommandFailure {
  const { text = '', mayBeRestored = false } = fault ?? {};
  const hint = mayBeRestored ? ` After a restore: ${PROGRAM_NAME} audit verify --accept ${head}` : '';
  return new CommandFailure(`${text}${hint}`, EXIT_CODES.dataError);
}
