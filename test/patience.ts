/** Waits for a result as long as a busy machine may need, and no longer than necessary. */
import { setTimeout as sleep } from 'node:timers/promises';

export const PATIENCE_MS = 120_000;
const PAUSE_MS = 20;

/** Asks until the answer is truthy, and returns it. */
export async function waitUntil<Answer>(
  what: string,
  ask: () => Answer | Promise<Answer>,
): Promise<Exclude<Answer, false | null | undefined>> {
  for (const deadline = performance.now() + PATIENCE_MS; ; await sleep(PAUSE_MS)) {
    const answer = await ask();
    if (answer) return answer as Exclude<Answer, false | null | undefined>;
    if (performance.now() > deadline) throw new Error(`waited in vain until ${what}`);
  }
}
