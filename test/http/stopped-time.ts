/** Lets a test set how much time has passed for deadlines. */
import type { TestContext } from 'node:test';

/** Stops the time, however long the machine takes; the returned function advances it. */
export function stopTime(t: TestContext): (ms: number) => void {
  const startedAt = performance.now();
  let passedMs = 0;
  t.mock.timers.enable({ apis: ['setInterval'] });
  t.mock.method(performance, 'now', () => startedAt + passedMs);
  return (ms) => {
    passedMs += ms;
    t.mock.timers.tick(ms);
  };
}
