/** Paging options of the list commands. */
import { decodePageCursor, type PageRequest } from '#platform/page-cursor.ts';
import { createUsageFailure, type OptionValues } from './command.ts';

const MAX_LIMIT = 500;

export const pagingOptions = {
  limit: { type: 'string', default: '50' },
  after: { type: 'string' },
} as const;
export const pagingHelp = [
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

export function parsePageLimit(text: string): number {
  const limit = Number(text);
  if (/^\d+$/.test(text) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw createUsageFailure(`--limit takes a number from 1 to ${MAX_LIMIT}`);
}

export function formatNextPageHint(next: string | null): string {
  return next === null ? '' : `\nMore: --after ${next}\n`;
}
