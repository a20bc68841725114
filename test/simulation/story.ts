/** One story: a seed, its world, its commands one after the other, and the invariants after each. */
import fc from 'fast-check';
import { runInScope } from '#test/cleanup.ts';
import { backupCommands } from './backups.ts';
import { buyerCommands } from './buyers.ts';
import { createWorld } from './created-world.ts';
import { createDraw } from './draw.ts';
import { faultCommands } from './faults.ts';
import { inquiryCommands } from './inquiries.ts';
import { invariants } from './invariants.ts';
import { deskCommands } from './investigators.ts';
import { createOptionsArbitrary, describeOptions, type Options } from './options.ts';
import { purchaseCommands } from './purchases.ts';
import { OfficeAway } from './requests.ts';
import { settleEverything } from './settling.ts';
import type { Command } from './simulation.ts';
import { timeCommands } from './time.ts';
import type { World } from './world.ts';

export const commands: readonly Command[] = [
  ...purchaseCommands,
  ...inquiryCommands,
  ...buyerCommands,
  ...deskCommands,
  ...timeCommands,
  ...faultCommands,
  ...backupCommands,
];

const NUMBERS = 8;
/** The same everywhere, because a seed with another limit results in another story. */
const MAX_COMMANDS = 2_000;
/** The number of steps between two runs of the expensive checks. */
const WHOLE_LOOK_STEPS = 200;

export interface StorySettings {
  readonly seed: number;
  /** Selects a shrunk form of an earlier failure. */
  readonly path?: string;
  readonly database?: Options['database'];
  /** How long a failure is shrunk. */
  readonly shrinkMs: number;
}

export interface StoryResult {
  readonly failure: string | null;
  readonly options: string;
  /** The number of commands in the story itself, without its shrunk forms. */
  readonly commands: number;
  readonly counts: ReadonlyMap<string, number>;
  readonly transitions: ReadonlyMap<string, number>;
}

class Step implements fc.AsyncCommand<World, World> {
  readonly #command: Command;
  readonly #numbers: readonly number[];
  readonly #counts: Map<string, number>;
  #story = '';

  constructor(command: Command, numbers: readonly number[], counts: Map<string, number>) {
    this.#command = command;
    this.#numbers = numbers;
    this.#counts = counts;
  }

  check(world: Readonly<World>): boolean {
    const { fault, isPossible } = this.#command;
    if (fault !== undefined && !world.options.faults.includes(fault)) return false;
    return isPossible?.(world) ?? true;
  }

  async run(world: World): Promise<void> {
    this.#story = `${this.#command.name} …`;
    world.steps += 1;
    this.#counts.set(this.#command.name, (this.#counts.get(this.#command.name) ?? 0) + 1);
    this.#story = await this.#command.run(world, createDraw(this.#numbers)).catch((error: unknown) => {
      if (error instanceof OfficeAway) return `${this.#command.name}: ${error.message}`;
      throw error;
    });
    await checkInvariants(world, world.steps % WHOLE_LOOK_STEPS === 0 || world.isWholeLookDue);
  }

  toString(): string {
    return this.#story || this.#command.name;
  }
}

async function checkInvariants(world: World, isWhole: boolean): Promise<void> {
  world.isWholeLookDue = false;
  world.isSearchDue ||= isWhole;
  if (isWhole) world.searched.clear();
  for (const { name, when, check } of invariants)
    if (when === 'always' || isWhole)
      await check(world).catch((error: unknown) => {
        throw new Error(`It must hold that ${name}. ${(error as Error).message}`, { cause: error });
      });
}

export async function runStory({ seed, path, database = {}, shrinkMs }: StorySettings): Promise<StoryResult> {
  const counts = new Map<string, number>();
  const transitions = new Map<string, number>();
  let shownOptions = '';
  let commandCount = 0;
  let failedAt: number | null = null;
  let isTold = false;
  let failedStory = '';
  const numbers = fc.array(fc.nat(), { minLength: NUMBERS, maxLength: NUMBERS });
  const steps = fc.oneof(
    ...commands.map((command) => ({
      weight: command.weight ?? 1,
      arbitrary: numbers.map((drawn) => new Step(command, drawn, counts)),
    })),
  );
  // The second part may contain slashes itself.
  const [, shortPath, replayPath] = /^([^/]*)\/(.*)$/.exec(path ?? '') ?? [];
  const property = fc.asyncProperty(
    createOptionsArbitrary(database),
    fc.commands([steps], { maxCommands: MAX_COMMANDS, size: 'max', ...(replayPath && { replayPath }) }),
    async (options, drawn) => {
      // After a failure, its shrunk forms run; after a form that passes, the other candidates.
      const isOver = failedAt === null ? isTold : performance.now() > failedAt + shrinkMs;
      if (isOver) throw new fc.PreconditionFailure(true);
      isTold = true;
      shownOptions ||= describeOptions(options);
      try {
        await tellStory(options, drawn, transitions);
      } catch (error) {
        failedAt ??= performance.now();
        // Read now, because the steps describe themselves differently after a run of another form.
        failedStory = listToldSteps(drawn);
        throw error;
      } finally {
        commandCount ||= [...counts.values()].reduce((sum, count) => sum + count, 0);
      }
    },
  );
  const result = await fc.check(property, { seed, numRuns: 1, ...(shortPath && { path: shortPath }) });
  // Otherwise a replay would pass with a mistyped path, or one that a change of the simulation has made invalid.
  if (!isTold) throw new Error(`${path}: this path leads to no story`);
  const failure = result.failed ? describeFailure(result, seed, failedStory) : null;
  return { failure, options: shownOptions, commands: commandCount, counts, transitions };
}

async function tellStory(
  options: Options,
  drawn: Iterable<fc.AsyncCommand<World, unknown>>,
  transitions: Map<string, number>,
): Promise<void> {
  await runInScope(async (scope) => {
    const world = await createWorld(scope, options);
    await fc.asyncModelRun(() => ({ model: world, real: world }), drawn);
    await checkInvariants(world, true);
    await settleEverything(world);
    world.seenGone.clear();
    await checkInvariants(world, true);
    for (const [step, count] of world.model.transitions)
      transitions.set(step, (transitions.get(step) ?? 0) + count);
  });
}

function listToldSteps(drawn: Iterable<fc.AsyncCommand<World, unknown>>): string {
  const told = [...drawn].filter((step) => (step as { hasRan?: boolean }).hasRan);
  return told.map((step, index) => `${index + 1}. ${step}`).join('\n');
}

function describeFailure(
  result: fc.RunDetails<[Options, Iterable<fc.AsyncCommand<World, unknown>>]>,
  seed: number,
  story: string,
): string {
  const [options, drawn] = result.counterexample ?? [];
  const replayPath = /replayPath="([^"]*)"/.exec(fc.stringify(drawn))?.[1] ?? '';
  const error = result.errorInstance as Error | null;
  return [
    `SIM_SEED=${seed} SIM_PATH=${result.counterexamplePath ?? ''}/${replayPath} npm run sim`,
    options ? describeOptions(options) : '',
    story,
    error?.stack ?? String(error),
  ].join('\n');
}
