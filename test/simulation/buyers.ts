/** Commands of buyers and agents in a case: write, retain longer, withdraw, purge, and try to read others' cases. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { generateId } from '#platform/text/ids.ts';
import { sameOriginHeaders } from '#test/cases/plain-form.ts';
import type { HttpsResponse } from '#test/https-client.ts';
import { toOAuthTestApp } from '#test/oauth/oauth-test-app.ts';
import { SEALED_CASE_PATHS } from '#wire/case-page.ts';
import type { Draw } from './draw.ts';
import {
  countParts,
  getShownState,
  isOpen,
  isThere,
  KEEP_DAYS,
  keepCase,
  listBrief,
  noteBuyerMessage,
  type SimulatedCase,
  withdrawCase,
} from './model.ts';
import { ensureToken, sendTogether } from './requests.ts';
import { createPart } from './sealed-parts.ts';
import { type Command, type CommandFacts, createChoosingCommand, requireStatus } from './simulation.ts';
import type { Instance, World } from './world.ts';

const BUYER_MESSAGE = 'buyer-message.v1';

/** A command in the case of a buyer, drawn with this probability in percent from those in a short state. */
function createCaseCommand(
  facts: CommandFacts,
  run: (world: World, draw: Draw, one: SimulatedCase) => Promise<string>,
  briefPercent = 0,
): Command {
  return {
    ...facts,
    isPossible: ({ model, now }) => model.cases.some((each) => isThere(each, now())),
    run: async (world, draw) => {
      const isBrief = briefPercent > 0 && draw.chance(briefPercent);
      return await run(world, draw, pickCase(world, draw, isBrief));
    },
  };
}

export const buyerCommands: readonly Command[] = [
  createCaseCommand({ name: 'write as the buyer', weight: 10, mayCrash: true }, write),
  createCaseCommand({ name: 'keep for other days', weight: 3, mayCrash: true }, async (world, draw, one) => {
    const days = draw.pick(KEEP_DAYS);
    const ask = { method: 'PUT', body: { keep_days: days } };
    const answer =
      one.agent && draw.chance(50)
        ? await world.sendAsAgent(draw.pick(world.instances), one.agent, `/cases/${one.id}/retention`, ask)
        : await sendWithToken(world, draw, 'keep', one, { keep_days: days });
    const shown = getShownState(one, world.now());
    const isAllowed = isOpen(shown) || shown === 'delivered';
    requireStatus(answer, isAllowed ? 200 : 409);
    if (isAllowed) keepCase(one, days);
    return `the buyer asks to keep case ${one.number} for ${days} days: ${answer.status}`;
  }),
  createCaseCommand(
    { name: 'withdraw', weight: 3, mayCrash: true },
    async (world, draw, one) => {
      const ask = { method: 'DELETE' };
      const answer =
        one.agent && draw.chance(50)
          ? await world.sendAsAgent(draw.pick(world.instances), one.agent, `/cases/${one.id}`, ask)
          : await sendWithToken(world, draw, 'withdraw', one);
      const now = world.now();
      const isAllowed = isOpen(getShownState(one, now)) || one.state === 'withdrawn';
      requireStatus(answer, isAllowed ? 200 : 409);
      if (isAllowed && one.state !== 'withdrawn') withdrawCase(world.model, one, now);
      return `the buyer withdraws case ${one.number}: ${answer.status}`;
    },
    60,
  ),
  createCaseCommand({ name: 'purge as the buyer', mayCrash: true }, async (world, draw, one) => {
    const isCrashing = world.disk.isCrashPlanned();
    const answer = await sendWithToken(world, draw, 'purge', one);
    const isAllowed = !isOpen(getShownState(one, world.now()));
    if (isAllowed) {
      // A repeated request finds the case purged, or being purged.
      requireStatus(answer, ...(isCrashing ? [204, 410] : [204]));
      one.isGone = true;
    } else requireStatus(answer, 409);
    return `the buyer purges case ${one.number}: ${answer.status}`;
  }),
  createCaseCommand({ name: 'leave an address', weight: 2 }, async (world, draw, one) => {
    const address = `buyer-${randomUUID()}@example.org`;
    const answer = await sendWithToken(world, draw, 'notify', one, { address });
    const isAllowed = getShownState(one, world.now()) !== 'withdrawn';
    requireStatus(answer, isAllowed ? 200 : 409);
    if (isAllowed) one.noticeAddress = address;
    return `the buyer of case ${one.number} leaves an address: ${answer.status}`;
  }),
  createChoosingCommand(
    { name: 'look at the case of another', weight: 3 },
    ({ model }) => model.cases,
    async (world, draw, one) => {
      const others = world.model.agents.filter((agent) => agent !== one.agent);
      await lookWhereOneMayNot(world, draw, one, draw.pick(others));
      return `another agent sees nothing of case ${one.number}`;
    },
  ),
  createChoosingCommand(
    { name: 'set a webhook' },
    ({ model }) => model.agents.filter(({ hasWebhook }) => !hasWebhook),
    async (world, draw, agent) => {
      const ask = { method: 'PUT', body: { url: `${world.receiver.url}/${agent.number}` } };
      const answer = await world.sendAsAgent(draw.pick(world.instances), agent, '/callback', ask);
      requireStatus(answer, 200, 201);
      agent.hasWebhook = true;
      return `agent ${agent.number} sets a webhook`;
    },
  ),
  createChoosingCommand(
    { name: 'revoke a token' },
    ({ model }) => model.agents.filter(({ token }) => token !== null),
    async (world, draw, agent) => {
      const instance = draw.pick(world.instances);
      const value = await ensureToken(world, instance, agent);
      requireStatus(await toOAuthTestApp(instance).revokeToken(agent.client, value), 200);
      agent.token = null;
      agent.revoked.push(value);
      const headers = { authorization: `Bearer ${value}` };
      requireStatus(await world.send(draw.pick(world.instances), '/api/orders', { headers }), 401);
      return `agent ${agent.number} gives a token back`;
    },
  ),
];

function pickCase({ model, now, touched }: World, draw: Draw, isBrief: boolean): SimulatedCase {
  const there = model.cases.filter((each) => isThere(each, now()));
  const brief = isBrief ? listBrief(there, now()) : [];
  const one = draw.pick(brief.length > 0 ? brief : there);
  touched.add(one);
  return one;
}

async function sendWithToken(
  world: World,
  draw: Draw,
  act: keyof typeof SEALED_CASE_PATHS,
  { lookupToken }: SimulatedCase,
  body: object = {},
): Promise<HttpsResponse> {
  return await world.send(draw.pick(world.instances), SEALED_CASE_PATHS[act], {
    method: 'POST',
    headers: { ...sameOriginHeaders, accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify({ lookup_token: lookupToken, ...body }),
  });
}

async function write(world: World, draw: Draw, one: SimulatedCase): Promise<string> {
  const seq = countParts(one, BUYER_MESSAGE);
  const part = createPart(world.templates.envelope, BUYER_MESSAGE, seq);
  const sealed = part.bytes.toString('base64url');
  const agent = draw.chance(50) ? one.agent : null;
  const headers = draw.chance(50) ? { 'idempotency-key': randomUUID() } : {};
  const send = async (): Promise<HttpsResponse> =>
    agent
      ? await world.sendAsAgent(draw.pick(world.instances), agent, `/cases/${one.id}/messages`, {
          method: 'POST',
          body: { seq, sealed },
          headers,
        })
      : await sendWithToken(world, draw, 'message', one, { seq, sealed, call: false });
  // Two tabs, or a lost response: the same message is stored once.
  const answers =
    draw.chance(20) && !world.disk.isCrashPlanned() ? await sendTogether([send(), send()]) : [await send()];
  for (const answer of answers) requireStatus(answer, agent ? 201 : 200);
  one.parts.push(part);
  noteBuyerMessage(world.model, one, world.now());
  if (draw.chance(20)) {
    const other = createPart(world.templates.envelope, BUYER_MESSAGE, seq).bytes.toString('base64url');
    requireStatus(await sendWithToken(world, draw, 'message', one, { seq, sealed: other, call: false }), 409);
  }
  return `the buyer writes message ${seq} in case ${one.number}`;
}

/** Someone else's case gives the same response as one that never existed, except for the request id. */
async function lookWhereOneMayNot(
  world: World,
  draw: Draw,
  one: SimulatedCase,
  other: World['model']['agents'][number],
): Promise<void> {
  const instance: Instance = draw.pick(world.instances);
  const ask = async (id: string) => {
    const paths = [`/cases/${id}`, `/cases/${id}/messages`, `/cases/${id}/files/${generateId()}`];
    const path = paths[draw.below(1) % paths.length]!;
    return await world.sendAsAgent(instance, other, path);
  };
  const [theirs, none] = [await ask(one.id), await ask(generateId())];
  requireStatus(theirs, 404);
  const strip = ({ json }: HttpsResponse) => ({ ...json, request_id: '' });
  assert.deepEqual(strip(theirs), strip(none));
  for (const [method, path, body] of [
    ['DELETE', `/cases/${one.id}`, undefined],
    ['PUT', `/cases/${one.id}/retention`, { keep_days: 365 }],
  ] as const)
    requireStatus(await world.sendAsAgent(instance, other, path, { method, body }), 404);
}
