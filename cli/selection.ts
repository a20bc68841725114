/** Options that select records: a page of a list, or ids or --all for a change. */
import { decodePageCursor, type PageRequest } from '#platform/page-cursor.ts';
import { createUsageFailure, type OptionValues, requireOperand } from './command.ts';
import { formatCount } from './terminal/table.ts';
import { requireConfirmation } from './terminal/typed-text.ts';

const MAX_LIMIT = 500;

export const pagingOptions = [
  ['--limit N', `how many to list, from 1 to ${MAX_LIMIT} (default 50)`],
  ['--after CURSOR', 'continue after the cursor that the previous page printed'],
] as const;

export function parsePageOptions(values: OptionValues<typeof pagingOptions>): PageRequest {
  const { limit: limitText, after: cursor } = values;
  const limit = parsePageLimit(limitText);
  const after = cursor === undefined ? undefined : decodePageCursor(cursor);
  if (after === null) throw createUsageFailure('--after takes the cursor that the previous page printed');
  return { limit, after };
}

export function parsePageLimit(text = '50'): number {
  const limit = Number(text);
  if (/^\d+$/.test(text) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw createUsageFailure(`--limit takes a number from 1 to ${MAX_LIMIT}`);
}

export function formatNextPageHint(next: string | null): string {
  return next === null ? '' : `\nMore: --after ${next}\n`;
}

export function createBulkOptions(all: string) {
  return [
    ['--all', all],
    ['--yes', 'do not ask for confirmation'],
  ] as const;
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
