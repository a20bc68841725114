/** Commands of the desk: investigators take cases, ask, write, deliver or decline, take answers back, and purge. */
import assert from 'node:assert/strict';
import { DAY_MS, HOUR_MS } from '#platform/durations.ts';
import type { HttpsResponse } from '#test/https-client.ts';
import type { CaseState } from '#wire/case-states.ts';
import type { DeskCaseFile } from '#wire/desk-cases.ts';
import type { Draw } from './draw.ts';
import {
  answerCase,
  clearAskedPurge,
  countParts,
  discardAnswer,
  getShownState,
  isOnHold,
  isOpen,
  isThere,
  KEEP_DAYS,
  keepCase,
  listBrief,
  moveCase,
  noteReleased,
  type SimulatedCase,
} from './model.ts';
import { createPart } from './sealed-parts.ts';
import { type Command, type CommandFacts, requireStatus } from './simulation.ts';
import type { World } from './world.ts';

const DESK_MESSAGE = 'desk-message.v1';
const MAX_FINDINGS = 20;
const PURGE_WAIT_MS = 24 * HOUR_MS;
const REASON_MS = 7 * DAY_MS;

/** A command in a case of the desk, drawn with this probability in percent from those in a short state. */
function createCaseCommand(
  facts: CommandFacts,
  run: (world: World, draw: Draw, one: SimulatedCase) => Promise<string>,
  briefPercent = 0,
): Command {
  return {
    ...facts,
    isPossible: hasCase,
    run: async (world, draw) => {
      const isBrief = briefPercent > 0 && draw.chance(briefPercent);
      return await run(world, draw, pickCase(world, draw, isBrief));
    },
  };
}

type DeskMeaning = 'ask' | 'message' | 'decline' | 'retain';

function createWritingCommand(facts: CommandFacts, meaning: DeskMeaning, briefPercent?: number): Command {
  return createCaseCommand(
    facts,
    async (world, draw, one) => await writeFromDesk(world, draw, one, meaning),
    briefPercent,
  );
}

export const deskCommands: readonly Command[] = [
  createCaseCommand({ name: 'take', weight: 8, mayCrash: true }, async (world, draw, one) => {
    const answer = await act(world, draw, one, 'take');
    requireStatus(answer, isOpen(one.state) ? 200 : 409);
    if (one.state === 'received' || one.state === 'awaiting_client') changeState(world, one, 'in_progress');
    return `the desk takes case ${one.number}: ${answer.status}`;
  }),
  createCaseCommand({ name: 'open at the desk', weight: 4, mayCrash: true }, openAtDesk),
  createWritingCommand({ name: 'ask', weight: 6, mayCrash: true }, 'ask'),
  createWritingCommand({ name: 'write from the desk', weight: 5, mayCrash: true }, 'message'),
  createWritingCommand({ name: 'decline', weight: 4, mayCrash: true }, 'decline', 75),
  createCaseCommand({ name: 'deliver', weight: 9, mayCrash: true }, deliverCase),
  {
    name: 'take back',
    weight: 4,
    isPossible: hasCase,
    run: async (world, draw) => {
      const { model, now } = world;
      const held = model.cases.filter((each) => isThere(each, now()) && isOnHold(each, now()));
      // Prefers the rare case of a decline: taking it back must restore the previous state, whichever that was.
      const refused = held.filter(({ state }) => state === 'declined');
      const likely = refused.length > 0 ? refused : held;
      const one = likely.length > 0 && !draw.chance(20) ? draw.pick(likely) : pickCase(world, draw);
      // After the clock was set back, the buyer may have read the answer already.
      const isRead = world.noted !== null && world.noted >= (one.releasedAt ?? Infinity);
      const isRepeatable = one.state === 'declined' || one.findingSeq + 1 < MAX_FINDINGS;
      const isAllowed = isOnHold(one, now()) && !isRead && isRepeatable;
      const answer = await act(world, draw, one, 'take_back');
      requireStatus(answer, isAllowed ? 200 : 409);
      if (isAllowed) {
        const isFinding = one.state === 'delivered';
        if (isFinding) one.findingSeq += 1;
        discardAnswer(model, one, isFinding ? 'in_progress' : (one.shown ?? 'in_progress'), null);
      }
      return `the desk takes back the answer of case ${one.number}: ${answer.status}`;
    },
  },
  createCaseCommand({ name: 'ask for a purge', weight: 2 }, async (world, draw, one) => {
    const isAllowed = !isOpen(getShownState(one, world.now())) && !one.isPurgeAsked;
    const answer = await act(world, draw, one, 'purge');
    requireStatus(answer, isAllowed ? 200 : 409);
    if (isAllowed) {
      noteReleased(one, world.now());
      one.isPurgeAsked = true;
      one.keptUntil = one.purgeAt;
      one.purgeAt = Math.min(world.now() + PURGE_WAIT_MS, one.purgeAt ?? Infinity);
    }
    return `the desk asks for a purge of case ${one.number}: ${answer.status}`;
  }),
  {
    name: 'undo a purge',
    isPossible: hasCase,
    run: async (world, draw) => {
      const { model, now } = world;
      const asked = model.cases.filter((each) => isThere(each, now()) && each.isPurgeAsked);
      const one = asked.length > 0 ? draw.pick(asked) : pickCase(world, draw);
      const answer = await act(world, draw, one, 'undo_purge');
      requireStatus(answer, one.isPurgeAsked ? 200 : 409);
      if (one.isPurgeAsked) {
        one.purgeAt = one.keptUntil;
        clearAskedPurge(one);
      }
      return `the desk undoes the purge of case ${one.number}: ${answer.status}`;
    },
  },
  {
    name: 'purge at once',
    isPossible: (world) => !world.disk.isCrashPlanned() && hasCase(world),
    run: async (world, draw) => {
      const one = pickCase(world, draw);
      const isAllowed = !isOpen(getShownState(one, world.now()));
      const answer = await act(world, draw, one, 'purge_now');
      requireStatus(answer, isAllowed ? 200 : 409);
      if (isAllowed) one.isGone = true;
      return `an owner purges case ${one.number} at once: ${answer.status}`;
    },
  },
  createWritingCommand({ name: 'keep from the desk', weight: 2 }, 'retain'),
];

function hasCase({ model, now }: World): boolean {
  return model.cases.some((each) => isThere(each, now()) && each.words === null);
}

/** Not a case that the office has sealed: the desk only reads these, because what it writes must be really sealed. */
function pickCase({ model, now, touched }: World, draw: Draw, isBrief = false): SimulatedCase {
  const there = model.cases.filter((each) => isThere(each, now()) && each.words === null);
  const open = there.filter(({ state }) => isOpen(state));
  const brief = isBrief ? listBrief(open, now()) : [];
  const one = draw.pick(brief.length > 0 ? brief : open.length > 0 && !draw.chance(30) ? open : there);
  touched.add(one);
  return one;
}

async function act(world: World, draw: Draw, one: SimulatedCase, name: string): Promise<HttpsResponse> {
  world.touched.add(one);
  const ask = { method: 'POST', body: { act: name } };
  return await world.sendAsDesk(draw.pick(world.instances), `/cases/${one.id}/acts`, ask);
}

/** Checks that the desk gets every part byte for byte, also those that it can still take back. */
async function openAtDesk(world: World, draw: Draw, one: SimulatedCase): Promise<string> {
  const answer = await world.sendAsDesk(draw.pick(world.instances), `/cases/${one.id}`);
  requireStatus(answer, 200);
  const { case_key: key, objects, envelopes } = answer.json as unknown as DeskCaseFile;
  const given = objects.map(({ kind, seq, size }) => `${kind} ${seq} ${size}`);
  const expected = one.parts.map(({ kind, seq, bytes }) => `${kind} ${seq} ${bytes.length}`);
  assert.deepEqual(given.toSorted(), expected.toSorted(), `the parts of case ${one.number} at the desk`);
  assert.ok(Buffer.from(key, 'base64url').equals(one.caseKey), `the key of case ${one.number} is another`);
  for (const { kind, seq, sealed } of envelopes) {
    const part = one.parts.find((each) => each.kind === kind && each.seq === seq);
    assert.ok(part?.bytes.equals(Buffer.from(sealed, 'base64url')), `${kind} ${seq} at the desk is another`);
  }
  return `the desk opens case ${one.number}`;
}

/** Changes the state, which cancels a requested purge. */
function changeState(world: World, one: SimulatedCase, to: CaseState): void {
  clearAskedPurge(one);
  moveCase(world.model, one, to);
}

async function writeFromDesk(
  world: World,
  draw: Draw,
  one: SimulatedCase,
  meaning: DeskMeaning,
): Promise<string> {
  const { model, now } = world;
  const seq = countParts(one, DESK_MESSAGE);
  const part = createPart(world.templates.envelope, DESK_MESSAGE, seq, meaning === 'decline');
  const days = draw.pick(KEEP_DAYS);
  const keep = meaning === 'retain' ? { keep_days: days } : {};
  const ask = {
    method: 'POST',
    body: { seq, sealed: part.bytes.toString('base64url'), act: meaning, ...keep },
  };
  const send = async () =>
    await world.sendAsDesk(draw.pick(world.instances), `/cases/${one.id}/messages`, ask);
  const answer = await send();
  const isDeclineHeld = one.state === 'declined' && isOnHold(one, now());
  const isAllowed =
    !isDeclineHeld &&
    (meaning === 'message' || (meaning === 'retain' ? mayRetain(one, days, now()) : isOpen(one.state)));
  requireStatus(answer, isAllowed ? 200 : 409);
  if (!isAllowed) return `the desk (${meaning}) writes nothing in case ${one.number}`;
  one.parts.push(part);
  noteReleased(one, now());
  if (meaning === 'ask') changeState(world, one, 'awaiting_client');
  if (meaning === 'retain') keepCase(one, days);
  if (meaning === 'decline') {
    answerCase(model, one, 'declined', { now: now(), undoMs: world.options.holdMinutes * 60_000 });
    part.at = one.releasedAt ?? now();
  }
  if (draw.chance(20)) requireStatus(await send(), 200);
  return `the desk writes (${meaning}) message ${seq} in case ${one.number}`;
}

/** A shorter retention must leave the buyer a week to read the reason. */
function mayRetain(one: SimulatedCase, days: number, now: number): boolean {
  if (!isOpen(one.state) && one.state !== 'delivered') return false;
  if (days >= one.keepDays || one.state !== 'delivered') return true;
  return (one.releasedAt ?? 0) + days * DAY_MS >= now + REASON_MS;
}

export async function deliverCase(world: World, draw: Draw, one: SimulatedCase): Promise<string> {
  const { model, now } = world;
  const finding = createPart(world.templates.envelope, 'finding.v1', one.findingSeq, true);
  const isAtOnce = draw.chance(15);
  const body = {
    seq: one.findingSeq,
    sealed: finding.bytes.toString('base64url'),
    files: [],
    ...(isAtOnce && { at_once: true }),
  };
  const send = async () =>
    await world.sendAsDesk(draw.pick(world.instances), `/cases/${one.id}/finding`, { method: 'POST', body });
  const answer = await send();
  const isAllowed = isOpen(one.state);
  requireStatus(answer, isAllowed ? 200 : 409);
  if (!isAllowed) return `the desk cannot deliver case ${one.number} again`;
  one.parts.push(finding);
  const undoMs = isAtOnce ? 0 : world.options.holdMinutes * 60_000;
  answerCase(model, one, 'delivered', { now: now(), undoMs });
  if (draw.chance(20)) requireStatus(await send(), 200);
  return `the desk delivers case ${one.number}${isAtOnce ? ' at once' : ''}`;
}
