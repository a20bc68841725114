/** Walks the pages of a list at the office: in their order, each once, and to an end. */
import { createHostileFault } from './office-http.ts';

interface ListWalk {
  /** As the investigator would call it, for the fault. */
  readonly list: string;
  readonly maxPages: number;
  /** Where an earlier walk stopped. */
  readonly start?: string | undefined;
}

export function toListPath(path: string, after: string | undefined): string {
  return after === undefined ? path : `${path}?${new URLSearchParams({ after })}`;
}

/** An office that leads back to a page, or goes on after the last that a list can have, would keep the desk for ever. */
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
    if (walked.has(page.next)) throw createHostileFault(`its ${list} leads back to where it was`);
    walked.add(page.next);
    after = page.next;
  }
  throw createHostileFault(`its ${list} does not end`);
}
