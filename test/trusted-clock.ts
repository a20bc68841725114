/** A clock with a guard that always trusts it, for tests that purge or move the clock by days. */
import { systemClock } from '#platform/clock.ts';
import type { Services } from '#services.ts';

export function createTrustedClock(clock = systemClock): Pick<Services, 'clock' | 'clockGuard'> {
  const clockGuard = {
    sharedClock: clock,
    readTrustedTime: async () => clock.now(),
    recordTime: async () => {},
    getAlarm: () => null,
  };
  return { clock, clockGuard };
}
