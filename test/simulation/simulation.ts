/**
 * An overview of the simulation. A seed creates a world (`world.ts`, `office.ts`): one or two instances of the real
 * office, the payment sandbox, agents, one desk, a receiver of events, a mail folder, a disk and a clock that the story
 * moves. Then it draws commands, one after another. A command is one act of a buyer, an agent, an investigator or the
 * provider, the passing of time, or a fault. It uses the office's own routes, compares each response with the expected
 * state in the model (`model.ts`), and updates the model. After each command, the invariants (`invariants.ts`) check
 * what must hold whatever has happened. At the end, all faults are over, and some sweeps must settle everything that is
 * due (`settling.ts`). `story.ts` runs one seed, `run.ts` many.
 */
import assert from 'node:assert/strict';
import type { HttpsResponse } from '#test/https-client.ts';
import type { Draw } from './draw.ts';
import type { FaultKind } from './options.ts';
import type { World } from './world.ts';

export interface Command {
  readonly name: string;
  /** How often the command is drawn; 1 by default. */
  readonly weight?: number;
  /** The command occurs only in worlds with this fault. */
  readonly fault?: FaultKind;
  /** Returns false if there is nothing to apply the command to. */
  readonly isPossible?: (world: World) => boolean;
  /** The power may be cut during the command, because a sender without a response may repeat the request. */
  readonly mayCrash?: true;
  /** Runs the command, checks the responses, updates the model, and describes in a few words what happened. */
  readonly run: (world: World, draw: Draw) => Promise<string>;
}

export type CommandFacts = Omit<Command, 'isPossible' | 'run'>;

/** Creates a command about one of the things that `list` finds; while there are none, it is impossible. */
export function createChoosingCommand<Item>(
  facts: CommandFacts,
  list: (world: World) => readonly Item[],
  run: (world: World, draw: Draw, item: Item) => Promise<string>,
): Command {
  return {
    ...facts,
    isPossible: (world) => list(world).length > 0,
    run: async (world, draw) => await run(world, draw, draw.pick(list(world))),
  };
}

export interface Invariant {
  /** The promise, as a sentence. */
  readonly name: string;
  /** Expensive checks run only now and then, and at the end. */
  readonly when: 'always' | 'now and then';
  readonly check: (world: World) => Promise<void>;
}

export function requireStatus(answer: HttpsResponse, ...allowed: readonly number[]): void {
  assert.ok(
    allowed.includes(answer.status),
    `expected ${allowed.join(' or ')}, got ${answer.status} ${answer.text.slice(0, 300)}`,
  );
}
