/** Selects what a command changes: the ids on its command line, or `--all` of a kind after a confirmation. */
import { createUsageFailure, requireOperand } from './command.ts';
import { formatCount } from './terminal/table.ts';
import { requireConfirmation } from './terminal/typed-text.ts';

export const bulkOptions = { all: { type: 'boolean' }, yes: { type: 'boolean' } } as const;

export function createBulkHelp(all: string): [option: string, about: string][] {
  return [
    ['--all', all],
    ['--yes', 'do not ask for confirmation'],
  ];
}

/** Returns the ids without repetitions, or null for all. */
export function readBulkSelection(all: boolean | undefined, ids: readonly string[]): string[] | null {
  if (all && ids.length > 0) throw createUsageFailure('--all takes no ID');
  if (all) return null;
  requireOperand(ids[0], 'ID');
  return [...new Set(ids)];
}

/** Asks before a command changes everything of a kind. */
export async function requireBulkConfirmation(
  { count, what, word }: { count: number; what: string; word: string },
  confirmed: boolean | undefined,
): Promise<void> {
  if (count === 0 || confirmed) return;
  const question = `This affects ${formatCount(count, what)}. Type ${word} to continue: `;
  await requireConfirmation(question, word, 'nothing was changed');
}
