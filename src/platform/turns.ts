/** Lets requests be handled during long work: on SQLite every `await` resolves without a turn of the event loop. */

/** How long all such work together may hold the loop in one turn. */
const TURN_MS = 10;

/** When such work began in this turn; null before it has. */
let begunAt: number | null = null;

/** Called after each step of long work. Waits for the next turn of the loop if this one is used up. */
export async function giveWay(): Promise<void> {
  if (begunAt !== null && performance.now() - begunAt >= TURN_MS)
    await new Promise<void>((resolve) => setImmediate(resolve));
  // Others that waited for the same turn may have begun it.
  if (begunAt !== null) return;
  begunAt = performance.now();
  setImmediate(() => {
    begunAt = null;
  });
}

/** Repeats the step while it returns true. */
export async function repeatInTurns(step: () => Promise<boolean>): Promise<void> {
  while (await step()) await giveWay();
}

/** The processor time of this thread, without the time in which another program or thread had the processor. */
export function readProcessorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
