/** Commands that make something go wrong: power, restarts, the provider, mail, the disk, the clock, and nonsense from outside. */
import { DAY_MS } from '#platform/durations.ts';
import { buyerCommands } from './buyers.ts';
import type { Draw } from './draw.ts';
import { sendGarbage } from './garbage.ts';
import { inquiryCommands } from './inquiries.ts';
import { deskCommands } from './investigators.ts';
import type { FaultKind } from './options.ts';
import type { Command } from './simulation.ts';
import { timeCommands } from './time.ts';
import type { Faults, World } from './world.ts';

/** A purge, a commit and a sync are each a step; most requests have fewer than these. */
const MAX_STEPS = 10;
const crashable = [...inquiryCommands, ...buyerCommands, ...deskCommands, ...timeCommands].filter(
  ({ mayCrash }) => mayCrash,
);

export const faultCommands: readonly Command[] = [
  {
    name: 'cut the power in the middle',
    weight: 4,
    fault: 'crash',
    run: async (world, draw) => {
      const possible = crashable.filter(({ isPossible }) => isPossible?.(world) ?? true);
      const command = draw.pick(possible);
      world.disk.planCrash(draw.below(MAX_STEPS), draw.below(5) / 4);
      try {
        return `the power goes off: ${await command.run(world, draw)}`;
      } finally {
        if (world.disk.isCrashPlanned()) await world.restart('power cut');
      }
    },
  },
  {
    name: 'restart',
    weight: 2,
    fault: 'restart',
    run: async (world) => {
      await world.restart('stop');
      return 'the office restarts';
    },
  },
  createSwitch('provider away', 'isProviderAway', 6),
  createSwitch('mail away', 'isMailAway', 3),
  createSwitch('receiver away', 'isReceiverAway', 3),
  createSwitch('full disk', 'isDiskFull', 5),
  {
    name: 'move the clock',
    weight: 3,
    fault: 'clock jump',
    run: async (world, draw) => {
      await moveClockWrong(world, world.faults.clockOffset === 0 ? draw : null);
      const { clockOffset } = world.faults;
      return clockOffset === 0
        ? 'the clock is right again'
        : `the clock is off by ${clockOffset / DAY_MS} days`;
    },
  },
  {
    name: 'send garbage',
    weight: 8,
    fault: 'garbage',
    run: sendGarbage,
  },
];

/** Goes away if it is there, and comes back if it is away. */
function createSwitch(
  fault: FaultKind,
  name: 'isProviderAway' | 'isMailAway' | 'isReceiverAway' | 'isDiskFull',
  weight: number,
): Command {
  return {
    name: fault,
    fault,
    weight,
    run: async (world) => {
      const faults: Faults = world.faults;
      faults[name] = !faults[name];
      world.hasTrouble = true;
      await world.setFaults();
      await refreshGates(world);
      return `${fault}: ${faults[name] ? 'yes' : 'no more'}`;
    },
  };
}

/** An office looks at its disk with each sweep. */
async function refreshGates({ instances }: World): Promise<void> {
  for (const { store } of instances) await store.gate.refresh();
}

/** Without time having passed; null puts it right. */
export async function moveClockWrong(world: World, draw: Draw | null): Promise<void> {
  const days = draw === null ? 0 : draw.pick([40, -40, 2, -2, 31, -31]);
  world.moveClock(days * DAY_MS - world.faults.clockOffset);
  world.faults.clockOffset = days * DAY_MS;
  // A sweep by a clock that is ahead forgets sessions and tokens, and nobody believes in those of another time.
  world.desk = null;
  for (const agent of world.model.agents) agent.token = null;
  world.hasTrouble = true;
}
