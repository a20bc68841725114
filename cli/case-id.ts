/** The case that a command is about: by its id, the beginning of its id, or its name. */
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { isId } from '#platform/id-pattern.ts';
import { listNamedBeginnings, nameCase } from '#wire/case-name.ts';
import { createUsageFailure, requireOperand } from './command.ts';

const MIN_BEGINNING = 4;

interface NamedCase {
  readonly isName: boolean;
  /** How its id may begin; the whole id is one. */
  readonly beginnings: readonly string[];
}

export function parseCaseOperand(operand: string | undefined): NamedCase {
  const text = requireOperand(operand, 'ID').trim();
  if (isId(text)) return { isName: false, beginnings: [text] };
  const named = listNamedBeginnings(text);
  if (named.length > 0) return { isName: true, beginnings: named };
  if (/^[\w-]{4,22}$/.test(text)) return { isName: false, beginnings: [text] };
  throw createUsageFailure(
    `ID is an id, its first ${MIN_BEGINNING} characters or more, or a name such as amber-lantern`,
  );
}

/** Undefined if there is none; of several, none is guessed. */
export function chooseOnlyId({ isName }: NamedCase, found: readonly string[]): string | undefined {
  if (found.length > 1)
    throw new ProgramError(
      `Several cases ${isName ? 'have this name' : 'begin like this'}, so nothing was done: ${found.map(formatCandidate).join(', ')}. Give more of the id.`,
      EXIT_CODES.failure,
    );
  return found[0];
}

function formatCandidate(id: string): string {
  return `${id} (${nameCase(id)})`;
}
