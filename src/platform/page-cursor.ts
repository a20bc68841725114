/** Keyset pagination: a cursor identifies the last row of a page, and the next page begins after it. */
import { ServiceError } from './errors.ts';
import { ID_PATTERN } from './text/id-pattern.ts';

/** A position in a list that is ordered by time and then by id. */
export interface PageCursor {
  readonly at: number;
  readonly id: string;
}

export interface PageRequest {
  readonly limit: number;
  readonly after?: PageCursor | undefined;
}

const CURSOR = new RegExp(`^(\\d{1,15})\\.(${ID_PATTERN})$`);

export function encodePageCursor({ at, id }: PageCursor): string {
  return `${at}.${id}`;
}

export function decodePageCursor(text: string): PageCursor | null {
  const [, at, id] = CURSOR.exec(text) ?? [];
  return at === undefined || id === undefined ? null : { at: Number(at), id };
}

/** Reads one row more than requested to learn whether there is a next page; `next` is null on the last one. */
export async function readListPage<Row extends { readonly id: string }>(
  { limit, after }: PageRequest,
  listRows: (request: PageRequest) => Promise<readonly Row[]>,
  getTime: (row: Row) => number,
) {
  const available = await listRows({ limit: limit + 1, after });
  const rows = available.slice(0, limit);
  const last = rows.at(-1);
  const next = available.length > limit && last ? encodePageCursor({ at: getTime(last), id: last.id }) : null;
  return { rows, next };
}

/** For pages limited by bytes: how many of the first rows fit, but at least one, so that a large row does not block. */
export function countFitting(sizes: readonly number[], maxBytes: number): number {
  let left = maxBytes;
  for (const [index, size] of sizes.entries()) {
    left -= size;
    if (left < 0) return Math.max(1, index);
  }
  return sizes.length;
}

/** For a cursor that no page has returned. */
export function createCursorError(): ServiceError {
  return new ServiceError('validation_failed', {
    errors: [{ parameter: 'after', detail: 'must be a cursor from an earlier page' }],
  });
}
