/** Commands of time: waits, sweeps, and the acceptance of the clock. */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#platform/durations.ts';
import { acceptClock } from '#store/clock-guard.ts';
import { collectEvents } from './purchases.ts';
import type { Command } from './simulation.ts';
import { believeClock, type World } from './world.ts';

/** The time spans that may pass without a sweep. */
const SPANS_MS = [
  SECOND_MS,
  MINUTE_MS,
  4 * MINUTE_MS,
  10 * MINUTE_MS,
  HOUR_MS,
  6 * HOUR_MS,
  23 * HOUR_MS,
  2 * DAY_MS,
  7 * DAY_MS,
  30 * DAY_MS,
];

export const timeCommands: readonly Command[] = [
  {
    name: 'wait',
    weight: 10,
    run: async (world, draw) => {
      const span = draw.pick(draw.chance(25) ? SPANS_MS : SPANS_MS.slice(0, 6));
      // To the millisecond, so that deadlines are tested just before and just after.
      const exact = draw.chance(20) ? findSpanToDate(world, draw.below(3) - 1) : null;
      passTime(world, exact ?? span);
      return `${formatSpan(exact ?? span)} pass`;
    },
  },
  {
    name: 'sweep',
    weight: 12,
    mayCrash: true,
    run: async (world, draw) => {
      const instance = draw.pick(world.instances);
      await world.sweep(instance);
      await collectEvents(world);
      return `instance ${instance.number} sweeps`;
    },
  },
  {
    name: 'accept the clock',
    weight: 2,
    isPossible: (world) => world.instances.some((each) => !believeClock(world, each)),
    run: async (world) => {
      await trustClock(world);
      return 'an operator accepts the clock';
    },
  },
];

/** An operator accepts the clock, after which the office trusts it. */
export async function trustClock(world: World): Promise<void> {
  await acceptClock(world.instances[0]!.store, world.now());
  world.noted = world.now();
  for (const instance of world.instances) {
    instance.anchor = { clock: world.now(), passed: world.passed };
    // Each instance reads the acceptance within a sweep.
    for (const task of instance.tasks) if ('run' in task && task.name === 'note the time') await task.run();
  }
}

/** Lets time pass; the clock advances with it. */
export function passTime(world: World, ms: number): void {
  world.passed += ms;
  world.moveClock(ms);
}

/** Returns the span from now to just before, at or just after the next deadline of a case or an upload. */
function findSpanToDate({ model, now }: World, offset: number): number | null {
  const ofCases = model.cases
    .filter(({ isGone }) => !isGone)
    .flatMap(({ purgeAt, releasedAt, dueAt }) => [purgeAt, releasedAt, dueAt]);
  const ofUploads = model.uploads.filter(({ isDeleted }) => !isDeleted).map(({ at }) => at + DAY_MS);
  const dates = [...ofCases, ...ofUploads].filter((at) => at !== null && at > now() + 1);
  return dates.length === 0 ? null : Math.min(...(dates as number[])) - now() + offset;
}

function formatSpan(ms: number): string {
  if (ms % DAY_MS === 0) return `${ms / DAY_MS} days`;
  if (ms % HOUR_MS === 0) return `${ms / HOUR_MS} hours`;
  return `${ms / SECOND_MS} seconds`;
}
