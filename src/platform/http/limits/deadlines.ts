/** Deadlines of many things at once, watched by a single timer that runs only while there are any. */
import { httpLimits } from './limits.ts';

export interface Deadlines<Item> {
  readonly set: (item: Item, ms: number) => void;
  /** Returns false if it has none. */
  readonly delete: (item: Item) => boolean;
  readonly items: () => Iterable<Item>;
  readonly count: () => number;
}

/** A timer for each would cost more than the rest of what is done for a small request. */
export function createDeadlines<Item>(
  handleOverdue: (item: Item) => void,
  checkMs: number = httpLimits.checkMs,
): Deadlines<Item> {
  const deadlines = new Map<Item, number>();
  let timer: NodeJS.Timeout | undefined;

  function checkDeadlines(): void {
    const now = performance.now();
    for (const [item, deadline] of deadlines)
      if (deadline <= now) {
        deadlines.delete(item);
        handleOverdue(item);
      }
    if (deadlines.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    set: (item, ms) => {
      deadlines.set(item, performance.now() + ms);
      timer ??= setInterval(checkDeadlines, checkMs).unref();
    },
    delete: (item) => deadlines.delete(item),
    items: () => deadlines.keys(),
    count: () => deadlines.size,
  };
}
