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

/** `at` is the time for which a case counts as kept; by default now. */
export async function requireNamedCase(
  { clock, store }: CliServices,
  operand: string | undefined,
  at = clock.now(),
): Promise<Case> {
  const text = requireOperand(operand, 'ID').trim();
  if (isId(text)) return await requireCase(store.records, text, at);
  const named = listNamedBeginnings(text);
  if (named.length === 0 && !/^[\w-]{4,22}$/.test(text))
    throw createUsageFailure(
      `ID is an id, its first ${MIN_BEGINNING} characters or more, or a name such as amber-lantern`,
    );
  const found = await listCaseIdsByBeginning(store.records, named.length > 0 ? named : [text], at);
  const [id, ...others] = found;
  if (others.length > 0)
    throw new CommandFailure(
      `Several cases ${named.length > 0 ? 'have this name' : 'begin like this'}, so nothing was done: ${found.map(formatCandidate).join(', ')}. Give more of the id.`,
      EXIT_CODES.failure,
    );
  // What is not found is refused in the same words as an unknown id.
  return await requireCase(store.records, id ?? text, at);
}

function formatCandidate(id: string): string {
  return `${id} (${nameCase(id)})`;
}
