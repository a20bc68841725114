/** Cases at an office: found by what was typed, and changed by acts that need nothing sealed. */
import { OfficeFault } from '#desk/office/office-fault.ts';
import { createHostileFault } from '#desk/office/office-http.ts';
import { PROGRAM_NAME } from '#platform/config/program-name.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { isId } from '#platform/text/id-pattern.ts';
import { listNamedBeginnings, nameCase } from '#wire/case-name.ts';
import type { DeskActRequest, DeskCase } from '#wire/desk-cases.ts';
import { createUsageFailure, requireOperand } from '../command.ts';
import type { OfficeLink } from '../office-link.ts';
import { formatAssignee } from './assignee-name.ts';

const MIN_BEGINNING = 4;

interface NamedCase {
  readonly isName: boolean;
  /** Possible prefixes of its id, among them a whole id. */
  readonly beginnings: readonly string[];
}

/** A case, and the office's clock at the time of its response. */
export interface ToldCase {
  readonly facts: DeskCase;
  readonly now: number;
}

/** Leaves no entry in the audit log, because the queue shows no content of a case. */
export async function requireCase(link: OfficeLink, operand: string | undefined): Promise<ToldCase> {
  const named = parseCaseOperand(operand);
  const { cases, now } = await link.office.readQueue({ begins: named.beginnings.join(',') });
  const fits = cases.every(({ id }) => named.beginnings.some((text) => id.startsWith(text)));
  if (!fits) throw createHostileFault('it names cases that were not requested');
  const id = chooseOnlyId(
    named,
    cases.map((each) => each.id),
  );
  const facts = cases.find((each) => each.id === id);
  if (!facts) throw new OfficeFault('case_unknown', 'There is no such case; it may have been purged.');
  return { facts, now: Date.parse(now) };
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

export async function purgeCaseNow({ office }: OfficeLink, id: string): Promise<void> {
  if ((await office.act(id, 'purge_now')) !== null)
    throw createHostileFault('it does not say that the case is purged');
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

function parseCaseOperand(operand: string | undefined): NamedCase {
  const text = requireOperand(operand, 'ID').trim();
  if (isId(text)) return { isName: false, beginnings: [text] };
  const named = listNamedBeginnings(text);
  if (named.length > 0) return { isName: true, beginnings: named };
  if (/^[\w-]{4,22}$/.test(text)) return { isName: false, beginnings: [text] };
  throw createUsageFailure(
    `ID must be a case id, at least its first ${MIN_BEGINNING} characters, or a name such as amber-lantern`,
  );
}

/** Returns undefined for no id; throws if there are several. */
function chooseOnlyId({ isName }: NamedCase, found: readonly string[]): string | undefined {
  if (found.length > 1)
    throw new ProgramError(
      `Several cases ${isName ? 'have this name' : 'have an id that begins with this'}, so nothing was done: ${found.map(formatCandidate).join(', ')}. Give more of the id.`,
    );
  return found[0];
}

function formatCandidate(id: string): string {
  return `${id} (${nameCase(id)})`;
}
