/** Cases at an office: found by what was typed, opened, and changed by acts that need nothing sealed. */
import type { PinFile } from '#desk/keys/pin-file.ts';
import { toSeenPath } from '#desk/keys/seen-file.ts';
import type { DeskOpenedCase } from '#desk/office/case-reader.ts';
import { OfficeFault } from '#desk/office/office-fault.ts';
import { createHostileFault } from '#desk/office/office-http.ts';
import { PROGRAM_NAME } from '#platform/config/program-name.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { isId } from '#platform/text/id-pattern.ts';
import { messageKinds } from '#seal/case/message.ts';
import { listNamedBeginnings, nameCase } from '#wire/case-name.ts';
import type { DeskActRequest, DeskCase } from '#wire/desk-cases.ts';
import { createUsageFailure, requireOperand } from '../command.ts';
import type { OfficeLink } from '../office-link.ts';
import { getIo } from '../terminal/io.ts';
import { formatAssignee } from './case-facts.ts';

const MIN_BEGINNING = 4;

/** A case, and the office's clock at the time of its response. */
export interface ToldCase {
  readonly facts: DeskCase;
  readonly now: number;
}

/** Leaves no entry in the audit log, because the queue shows no content of a case. */
export async function requireCase(link: OfficeLink, operand: string | undefined): Promise<ToldCase> {
  const { isName, beginnings } = parseCaseOperand(operand);
  const { cases, now } = await link.office.readQueue({ begins: beginnings.join(',') });
  const fits = cases.every(({ id }) => beginnings.some((text) => id.startsWith(text)));
  if (!fits) throw createHostileFault('it names cases that were not requested');
  const [facts, ...others] = cases;
  if (!facts) throw new OfficeFault('case_unknown', 'There is no such case; it may have been purged.');
  if (others.length === 0) return { facts, now: Date.parse(now) };
  const candidates = cases.map(({ id }) => `${id} (${nameCase(id)})`).join(', ');
  throw new ProgramError(
    `Several cases ${isName ? 'have this name' : 'have an id that begins with this'}, so nothing was done: ${candidates}. Give more of the id.`,
  );
}

export async function applyAct(
  link: OfficeLink,
  id: string,
  act: Exclude<DeskActRequest['act'], 'purge_now'>,
): Promise<DeskCase> {
  const changed = await withAssigneeNamed(link, id, () => link.office.act(id, act));
  // The client accepts null only for `purge_now`.
  return changed!;
}

/** Names the assignee if the office only says that another investigator has the case. */
export async function withAssigneeNamed<Result>(
  link: OfficeLink,
  id: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OfficeFault) || error.code !== 'case_held') throw error;
    const { holder } = (await requireCase(link, id)).facts;
    if (holder === null) throw error;
    throw new ProgramError(
      `${formatAssignee(holder, link.names)} has this case, so nothing was done. To reassign it to yourself: ${PROGRAM_NAME} cases take-over ${id}`,
      EXIT_CODES.failure,
      error,
    );
  }
}

/** Returns the possible prefixes of the case's id, among them a whole id. */
function parseCaseOperand(operand: string | undefined): { isName: boolean; beginnings: readonly string[] } {
  const text = requireOperand(operand, 'ID').trim();
  const named = isId(text) ? [] : listNamedBeginnings(text);
  if (named.length > 0) return { isName: true, beginnings: named };
  if (/^[\w-]{4,22}$/.test(text)) return { isName: false, beginnings: [text] };
  throw createUsageFailure(
    `ID must be a case id, at least its first ${MIN_BEGINNING} characters, or a name such as amber-lantern`,
  );
}

/** Prints the fingerprint when this key opens the case for the first time. */
export async function openNamedCase(
  link: OfficeLink,
  operand: string | undefined,
  { marksSeen = false } = {},
): Promise<DeskOpenedCase> {
  const { facts } = await requireCase(link, operand);
  const opened = await link.office.readCase(facts.id, { marksSeen });
  const { isFirstOpening, fingerprint } = opened;
  if (isFirstOpening)
    getIo().stderr.write(
      `First opening of this case with your key: its fingerprint, ${fingerprint}, is pinned in ${link.office.key.path}. The buyer's case page shows the same fingerprint, unless the key was replaced.\n`,
    );
  return opened;
}

/** Refuses to reply if the office hides a message that this key has seen. */
export function requireNothingLost({ gaps, seen }: DeskOpenedCase, { path }: PinFile): void {
  const lost = gaps.find(({ kind, last }) => kind === messageKinds.buyer && last >= seen.buyer);
  if (!lost) return;
  throw new ProgramError(
    `${lost.text} Nothing was written. A restore from a backup can cause this. If nothing was restored, the message was removed from the records: ask the operator. After a restore, move ${toSeenPath(path)} away.`,
    EXIT_CODES.dataError,
  );
}
