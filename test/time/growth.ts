/** Measures how the processor time for an input grows with its length, even on slow or busy machines. */
import assert from 'node:assert/strict';
import { setImmediate as waitForTurn } from 'node:timers/promises';

/** The limit for the largest input that is accepted. */
const MAX_MS = 50;
const MAX_GROWTH = 2.5;
/** Below this, the measurement is mostly the clock and garbage collection. */
const FLOOR_MS = 6;
/** Some machines count processor time in steps of this length. */
const CLOCK_STEP_MS = 4;
/** Other programs can only make a run slower, so the fastest counts. */
const RUNS = 12;
const FIRST_RUNS = 3;
const GROWTH_ATTEMPTS = 20;

/** A task of known cost: whatever slows it down on this machine slows everything else down as much. */
const YARDSTICK = JSON.stringify(Array.from({ length: 20_000 }, (_none, place) => `entry ${place}`));
const YARDSTICK_MS = 1.2;
const MAX_YARDSTICK_RUNS = 80;

type Work = (length: number) => unknown;

/** Fails if the time at the limit, or its growth from a half, a quarter or an eighth of it, is more than allowed. */
export async function assertSteadyGrowth(name: string, limit: number, work: Work): Promise<void> {
  let ms = 0;
  // Short input first, so that something that would take a minute at the limit is noticed earlier.
  for (const length of [Math.floor(limit / 8), limit]) {
    ms = await measureFastest(work, length, MAX_MS);
    assert.ok(ms <= MAX_MS, `${name}: ${ms.toFixed(1)} ms for ${length}`);
  }
  if (ms <= FLOOR_MS) return;
  for (let length = limit / 2; length >= limit / 8; length /= 2) {
    const growth = await measureGrowth(work, length);
    assert.ok(growth <= MAX_GROWTH, `${name}: ${growth.toFixed(1)} times from ${length} to ${length * 2}`);
  }
}

/** The growth from a length to its double, measured again while it is too high: a really steep one stays so. */
async function measureGrowth(work: Work, length: number): Promise<number> {
  let lowest = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < GROWTH_ATTEMPTS && lowest > MAX_GROWTH; attempt += 1) {
    const larger = await measureFastest(work, length * 2, FLOOR_MS, FIRST_RUNS);
    if (larger <= FLOOR_MS) return 0;
    const smaller = Math.max(FLOOR_MS, await measureFastest(work, Math.floor(length), 0, FIRST_RUNS));
    lowest = Math.min(lowest, larger / smaller);
  }
  return lowest;
}

/** Stops as soon as a run is fast enough. */
export async function measureFastest(
  work: Work,
  length: number,
  enough: number,
  runs = RUNS,
): Promise<number> {
  let fastest = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs && fastest > enough; run += 1)
    fastest = Math.min(fastest, await measureOnce(work, length));
  return fastest;
}

/** In milliseconds of a machine that is otherwise idle. */
async function measureOnce(work: Work, length: number): Promise<number> {
  // Otherwise a server in this process would find its event loop blocked and shed the load.
  await waitForTurn();
  const ms = await measureProcessorTime(() => work(length));
  return ms <= FLOOR_MS ? ms : ms / (await measureSlowness(ms));
}

/** Measured for about as long as the work took, so that both are interrupted alike. */
async function measureSlowness(ms: number): Promise<number> {
  const runs = Math.min(MAX_YARDSTICK_RUNS, Math.ceil(ms / YARDSTICK_MS / 2));
  const spent = await measureProcessorTime(() => {
    for (let run = 0; run < runs; run += 1) JSON.parse(YARDSTICK);
  });
  return Math.max(1, spent / (runs * YARDSTICK_MS));
}

/** The processor time of this thread cannot be more than the time that has passed. */
async function measureProcessorTime(work: () => unknown): Promise<number> {
  const usedBefore = process.threadCpuUsage();
  const startedAt = performance.now();
  await work();
  const passed = performance.now() - startedAt;
  const { user, system } = process.threadCpuUsage(usedBefore);
  return Math.min(passed, (user + system) / 1_000 + CLOCK_STEP_MS);
}
