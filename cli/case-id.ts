/** The case that a command is about: by its id, the beginning of its id, or its name. */
import { requireCase } from '#cases/states.ts';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { isId } from '#platform/id-pattern.ts';
import { listCaseIdsByBeginning } from '#store/case-ids.ts';
import type { Case } from '#store/cases.ts';
import { listNamedBeginnings, nameCase } from '#wire/case-name.ts';
import type { CliServices } from './cli-services.ts';
import { createUsageFailure, requireOperand } from './command.ts';
import { CommandFailure } from './failure.ts';

const MIN_BEGINNING = 4;

export interface NamedCase {
  readonly text: string;
  readonly isName: boolean;
  /** How its id may begin; the whole id is one. */
  readonly beginnings: readonly string[];
}

/** `at` is the time for which a case counts as kept; by default now. */
export async function requireNamedCase(
  { clock, store }: CliServices,
  operand: string | undefined,
  at = clock.now(),
): Promise<Case> {
  const named = parseCaseOperand(operand);
  if (isId(named.text)) return await requireCase(store.records, named.text, at);
  const found = await listCaseIdsByBeginning(store.records, named.beginnings, at);
  // What is not found is refused in the same words as an unknown id.
  return await requireCase(store.records, chooseOnlyId(named, found) ?? named.text, at);
}

export function parseCaseOperand(operand: string | undefined): NamedCase {
  const text = requireOperand(operand, 'ID').trim();
  if (isId(text)) return { text, isName: false, beginnings: [text] };
  const named = listNamedBeginnings(text);
  if (named.length > 0) return { text, isName: true, beginnings: named };
  if (/^[\w-]{4,22}$/.test(text)) return { text, isName: false, beginnings: [text] };
  throw createUsageFailure(
    `ID is an id, its first ${MIN_BEGINNING} characters or more, or a name such as amber-lantern`,
  );
}

/** Undefined if there is none; of several, none is guessed. */
export function chooseOnlyId({ isName }: NamedCase, found: readonly string[]): string | undefined {
  if (found.length > 1)
    throw new CommandFailure(
      `Several cases ${isName ? 'have this name' : 'begin like this'}, so nothing was done: ${found.map(formatCandidate).join(', ')}. Give more of the id.`,
      EXIT_CODES.failure,
    );
  return found[0];
}

function formatCandidate(id: string): string {
  return `${id} (${nameCase(id)})`;
}
