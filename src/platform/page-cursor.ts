/** Lists in pages by keyset: a cursor names the row that a page ends with, and leads to the next page. */
import { ID_PATTERN } from './id-pattern.ts';

/** A place in a list that is ordered by a time, and by id among equal times. */
export interface PageCursor {
  readonly at: number;
  readonly id: string;
}

export interface PageRequest {
  readonly limit: number;
  readonly after?: PageCursor | undefined;
}

interface ListPage<Row> {
  readonly rows: readonly Row[];
  /** Null on the last page. */
  readonly next: string | null;
}

const CURSOR = new RegExp(`^(\\d{1,15})\\.(${ID_PATTERN})$`);

/** Null for a text that is no cursor. */
export function decodePageCursor(text: string): PageCursor | null {
  const [, at, id] = CURSOR.exec(text) ?? [];
  return at === undefined || id === undefined ? null : { at: Number(at), id };
}

/** One row more than asked for tells whether there is a next page. */
export async function readListPage<Row extends { readonly id: string }>(
  { limit, after }: PageRequest,
  listRows: (request: PageRequest) => Promise<readonly Row[]>,
  getTime: (row: Row) => number,
): Promise<ListPage<Row>> {
  const found = await listRows({ limit: limit + 1, after });
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, next: found.length > limit && last ? `${getTime(last)}.${last.id}` : null };
}
