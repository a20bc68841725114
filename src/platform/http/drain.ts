/** Lets the proxies that ask for `/ready` see that the service is about to stop, before its port closes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS } from '#platform/durations.ts';

export interface Drain {
  isDraining: () => boolean;
  /** To be called for each answer of `/ready`. */
  noteProbe: (isStopping: boolean) => void;
  /** Resolves once the proxies know, or at once if none has asked lately. */
  begin: () => Promise<void>;
}

/** As many failed answers as the proxy files of deploy/ wait for. */
const PROBES_NEEDED = 3;
/** A proxy acts on an answer a moment after it got it. */
const AFTERWARDS_MS = 500;
const MAX_MS = 10 * SECOND_MS;
/** Who has not asked for this long does not route by the answer. */
const WATCHED_MS = 15 * SECOND_MS;

export function createDrain(): Drain {
  let lastProbeAt = Number.NEGATIVE_INFINITY;
  let seenProbes: (() => void) | null = null;
  let probesLeft = PROBES_NEEDED;
  return {
    isDraining: () => seenProbes !== null,
    noteProbe: (isStopping) => {
      lastProbeAt = performance.now();
      if (!isStopping || !seenProbes) return;
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
