/** Long lists in pages: how many at a time, and where the next one begins. */
import { createUsageFailure } from './command.ts';

const MOST = 500;

export const pagingOptions = {
  limit: { type: 'string', default: '50' },
  after: { type: 'string' },
} as const;
export const pagingHelp = [
  ['--limit N', `at most so many, from 1 to ${MOST} (50)`],
  ['--after CURSOR', 'go on where the page before ended; it has printed the cursor'],
] as const;

interface Cursor {
  readonly at: number;
  readonly id: string;
}

export function parseLimitOption(text: string): number {
  const limit = Number(text);
  if (!/^\d+$/.test(text) || limit < 1 || limit > MOST)
    throw createUsageFailure(`--limit takes a number from 1 to ${MOST}`);
  return limit;
}

export function parseCursorOption(text: string): Cursor {
  const [, at, id] = /^(\d{1,16})\.([\w-]{22})$/.exec(text) ?? [];
  if (at === undefined || id === undefined)
    throw createUsageFailure('--after takes a cursor that a page has printed');
  return { at: Number(at), id };
}

/** Null where the page was not full. */
export function encodeNextCursor(rows: number, limit: number, last: Cursor | undefined): string | null {
  return rows === limit && last ? `${last.at}.${last.id}` : null;
}

export function formatNextPageHint(next: string | null): string {
  return next === null ? '' : `\nMore: --after ${next}\n`;
}
