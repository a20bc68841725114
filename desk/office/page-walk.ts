/** Walks the pages of a list at the office: in order, each once, and only up to a maximum. */
import { createHostileFault } from './office-http.ts';

interface ListWalk {
  /** What the text of a fault calls the list. */
  readonly list: string;
  readonly maxPages: number;
  /** The cursor at which an earlier walk stopped. */
  readonly start?: string | undefined;
}

export function toListPath(path: string, after: string | undefined): string {
  return after === undefined ? path : `${path}?${new URLSearchParams({ after })}`;
}

/** Without these checks an office could keep the desk busy forever, by leading back to a page or by never ending. */
export async function* walkPages<Page extends { readonly next: string | null }>(
  { list, maxPages, start }: ListWalk,
  fetchPage: (after: string | undefined) => Promise<Page>,
): AsyncGenerator<Page> {
  const walked = new Set<string | undefined>([start]);
  let after = start;
  for (let count = 0; count < maxPages; count += 1) {
    const page = await fetchPage(after);
    yield page;
    if (page.next === null) return;
    if (walked.has(page.next)) throw createHostileFault(`its ${list} leads back to an earlier page`);
    walked.add(page.next);
    after = page.next;
  }
  throw createHostileFault(`its ${list} does not end`);
}
