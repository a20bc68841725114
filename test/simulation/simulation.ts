/**
 * The simulation, read from here. A seed makes a world (`world.ts`, `office.ts`): the real office in one to two instances, the payment
 * sandbox, agents, one desk, a receiver of events, a mail folder, a disk and a clock that the story moves. Then it draws
 * commands, one after the other. A command is one act of a buyer, an agent, an investigator, the
 * provider, of time, or of a fault. It goes through the office's own routes, holds each answer against the model (`model.ts`),
 * which is what a careful bookkeeper would expect, and writes down what has changed. After each command the invariants
 * (`invariants.ts`) look at what must be true whatever happened. At the end, faults are over, and within some sweeps
 * everything that is due must be settled (`settling.ts`). `story.ts` runs one seed, `run.ts` many of them.
 */
import assert from 'node:assert/strict';
import type { HttpsResponse } from '#test/https-client.ts';
import type { Draw } from './draw.ts';
import type { FaultKind } from './options.ts';
import type { World } from './world.ts';

export interface Command {
  readonly name: string;
  /** How often it is drawn; 1 unless it says so. */
  readonly weight?: number;
  /** A world in which this cannot go wrong does not have it. */
  readonly fault?: FaultKind;
  /** Whether there is something to do it with. */
  readonly isPossible?: (world: World) => boolean;
  /** A sender who gets no answer may send the same again, so the power may go off in the middle. */
  readonly mayCrash?: true;
  /** Does it, checks the answers, changes the model, and says in a few words what happened. */
  readonly run: (world: World, draw: Draw) => Promise<string>;
}

export interface Invariant {
  /** The promise, as a sentence. */
  readonly name: string;
  /** What costs more is looked at now and then, and at the end. */
  readonly when: 'always' | 'now and then';
  readonly check: (world: World) => Promise<void>;
}

export function requireStatus(answer: HttpsResponse, ...allowed: readonly number[]): void {
  assert.ok(
    allowed.includes(answer.status),
    `expected ${allowed.join(' or ')}, got ${answer.status} ${answer.text.slice(0, 300)}`,
  );
}
