/** One visit to an open case: its end stops the worker and all background work, and discards the keys. */
import type { PageWorker } from '#browser/rpc/page-end.ts';
import type { OpenerJobs } from '#browser/workers/opener.ts';

export interface CaseVisit {
  readonly opener: PageWorker<OpenerJobs>;
  /** Aborted once the case is closed, left or deleted. */
  readonly ended: AbortSignal;
  end(): void;
}

export function createCaseVisit(opener: PageWorker<OpenerJobs>): CaseVisit {
  const controller = new AbortController();
  return {
    opener,
    ended: controller.signal,
    end: () => {
      controller.abort();
      opener.terminate();
    },
  };
}

const TICK_MS = 5_000;

/** Also ticks when the page is shown again: timers stop while a phone sleeps. */
export function runEveryFewSeconds(tick: () => void, ended: AbortSignal): void {
  const timer = setInterval(tick, TICK_MS);
  ended.addEventListener('abort', () => clearInterval(timer));
  document.addEventListener('visibilitychange', tick, { signal: ended });
}
