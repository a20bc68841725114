/** Waiting for what must come: as long as a machine may take that has much else to do, which costs nothing where it comes at once. */
import { setTimeout as sleep } from 'node:timers/promises';

export const PATIENCE_MS = 120_000;
const PAUSE_MS = 20;

/** Asks until the answer is neither false nor nothing, and returns it. */
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
