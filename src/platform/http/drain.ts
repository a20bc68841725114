/** Tracks the probes of `/ready`: logs each change once, and lets proxies see a stop before the port closes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS } from '#platform/durations.ts';
import type { Log } from '#platform/log.ts';

interface FailedCheck {
  readonly name: string;
  readonly reason?: string | undefined;
}

export interface Drain {
  isDraining: () => boolean;
  /** To be called for each answer of `/ready`, with the check that failed. */
  noteProbe: (failed: FailedCheck | null) => void;
  /** Resolves once the proxies have noticed the stop, or at once if none has probed lately. */
  begin: () => Promise<void>;
}

/** The number of failed answers that the proxy files in deploy/ wait for. */
const PROBES_NEEDED = 3;
/** A proxy acts on an answer shortly after receiving it. */
const AFTERWARDS_MS = 500;
const MAX_MS = 10 * SECOND_MS;
/** A proxy that has not probed for this long does not route by the answer. */
const WATCHED_MS = 15 * SECOND_MS;

export function createDrain(log: Log): Drain {
  let lastProbeAt = Number.NEGATIVE_INFINITY;
  let seenProbes: (() => void) | null = null;
  let probesLeft = PROBES_NEEDED;
  let toldCheck: string | null = null;
  return {
    isDraining: () => seenProbes !== null,
    noteProbe: (failed) => {
      lastProbeAt = performance.now();
      if (failed?.name !== 'stopping') {
        if (failed && failed.name !== toldCheck)
          log.event('not_ready', { check: failed.name, reason: failed.reason });
        if (!failed && toldCheck !== null) log.event('ready');
        toldCheck = failed?.name ?? null;
        return;
      }
      if (!seenProbes) return;
      probesLeft -= 1;
      if (probesLeft <= 0) seenProbes();
    },
    begin: async () => {
      if (performance.now() - lastProbeAt > WATCHED_MS) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      seenProbes = resolve;
      const known = promise.then(() => sleep(AFTERWARDS_MS));
      await Promise.race([known, sleep(MAX_MS)]);
    },
  };
}
