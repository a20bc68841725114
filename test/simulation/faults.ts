/** Commands that cause faults: of power, provider, mail, disk and clock, restarts, and garbage input. */
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DAY_MS, MINUTE_MS } from '#platform/durations.ts';
import { generateMasterKey } from '#store/keys/keyring.ts';
import { runCli } from '#test/cli/desk-cli.ts';
import { buyerCommands } from './buyers.ts';
import type { Draw } from './draw.ts';
import { sendGarbage } from './garbage.ts';
import { inquiryCommands } from './inquiries.ts';
import { deskCommands } from './investigators.ts';
import type { FaultKind } from './options.ts';
import type { Command } from './simulation.ts';
import { passTime, timeCommands } from './time.ts';
import type { Faults, World } from './world.ts';

/** A purge, a commit and a sync are each a step; most requests have fewer steps than this. */
const MAX_STEPS = 10;
/** Longer than three sweeps, after which no instance is considered to be running. */
const STOPPED_MS = 10 * MINUTE_MS;
const crashable = [...inquiryCommands, ...buyerCommands, ...deskCommands, ...timeCommands].filter(
  ({ mayCrash }) => mayCrash,
);

export const faultCommands: readonly Command[] = [
  {
    name: 'cut the power in the middle',
    weight: 3,
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
    run: async (world, draw) => {
      const { number } = draw.pick(world.instances);
      await world.restartOne(number);
      return `instance ${number} restarts`;
    },
  },
  {
    name: 'change the master key',
    weight: 2,
    fault: 'restart',
    // After the clock was set back, it would seem that an instance is still running.
    isPossible: ({ faults, options }) => !faults.isDiskFull && !options.faults.includes('clock jump'),
    run: changeMasterKey,
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
  { name: 'send garbage', weight: 8, fault: 'garbage', run: sendGarbage },
];

/** Creates a command that toggles a fault. */
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

/** Stops the office for some minutes. Sign-ins, forms and idempotency keys become invalid with the previous key. */
async function changeMasterKey(world: World): Promise<string> {
  const next = generateMasterKey();
  const file = join(world.dataDir, 'next.key');
  await world.restart('stop', async () => {
    passTime(world, STOPPED_MS);
    writeFileSync(file, next);
    const { code, stderr } = await runCli(await world.buildEnv(), [
      'keys',
      'master',
      'change',
      '--new',
      file,
    ]);
    assert.equal(code, 0, stderr);
    rmSync(file);
    world.masterKey = next;
  });
  world.desk = null;
  world.backups = [];
  world.backupFolder = null;
  for (const agent of world.model.agents) agent.token = null;
  for (const purchase of world.model.purchases) purchase.form = null;
  world.isWholeLookDue = true;
  return 'the master key is changed';
}

/** Makes each instance measure its disk, as it does with each sweep. */
async function refreshGates({ instances }: World): Promise<void> {
  for (const { store } of instances) await store.gate.refresh();
}

/** Moves the clock without time having passed; null corrects it. */
export async function moveClockWrong(world: World, draw: Draw | null): Promise<void> {
  const days = draw === null ? 0 : draw.pick([40, -40, 2, -2, 31, -31]);
  world.moveClock(days * DAY_MS - world.faults.clockOffset);
  world.faults.clockOffset = days * DAY_MS;
  // A sweep under a clock that is ahead deletes sessions and tokens, and those from another time are refused.
  world.desk = null;
  for (const agent of world.model.agents) agent.token = null;
  world.hasTrouble = true;
}
