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
  keepCase,
  listBrief,
  noteBuyerMessage,
  type SimulatedCase,
  withdrawCase,
} from './model.ts';
import { ensureToken, sendTogether } from './requests.ts';
import { createPart } from './sealed-parts.ts';
import { type Command, requireStatus } from './simulation.ts';
import type { Instance, World } from './world.ts';

const KEEP_DAYS = [30, 90, 180, 365] as const;
const BUYER_MESSAGE = 'buyer-message.v1';

export const buyerCommands: readonly Command[] = [
  {
    name: 'write as the buyer',
    weight: 10,
    mayCrash: true,
    isPossible: hasCase,
    run: async (world, draw) => await write(world, draw, pickCase(world, draw)),
  },
  {
    name: 'keep for other days',
    weight: 3,
    mayCrash: true,
    isPossible: hasCase,
    run: async (world, draw) => {
      const one = pickCase(world, draw);
      const days = draw.pick(KEEP_DAYS);
      const answer =
        one.agent && draw.chance(50)
          ? await world.sendAsAgent(draw.pick(world.instances), one.agent, `/cases/${one.id}/retention`, {
              method: 'PUT',
              body: { keep_days: days },
            })
          : await sendWithToken(world, draw, 'keep', one, { keep_days: days });
      const shown = getShownState(one, world.now());
      const isAllowed = isOpen(shown) || shown === 'delivered';
      requireStatus(answer, isAllowed ? 200 : 409);
      if (isAllowed) keepCase(one, days);
      return `the buyer asks to keep case ${one.number} for ${days} days: ${answer.status}`;
    },
  },
  {
    name: 'withdraw',
    weight: 3,
    mayCrash: true,
    isPossible: hasCase,
    run: async (world, draw) => {
      const one = pickCase(world, draw, draw.chance(60));
      const answer =
        one.agent && draw.chance(50)
          ? await world.sendAsAgent(draw.pick(world.instances), one.agent, `/cases/${one.id}`, {
              method: 'DELETE',
            })
          : await sendWithToken(world, draw, 'withdraw', one);
      const now = world.now();
      const isAllowed = isOpen(getShownState(one, now)) || one.state === 'withdrawn';
      requireStatus(answer, isAllowed ? 200 : 409);
      if (isAllowed && one.state !== 'withdrawn') withdrawCase(world.model, one, now);
      return `the buyer withdraws case ${one.number}: ${answer.status}`;
    },
  },
  {
    name: 'purge as the buyer',
    mayCrash: true,
    isPossible: hasCase,
    run: async (world, draw) => {
      const one = pickCase(world, draw);
      const isCrashing = world.disk.isCrashPlanned();
      const answer = await sendWithToken(world, draw, 'purge', one);
      const isAllowed = !isOpen(getShownState(one, world.now()));
      if (isAllowed) {
        // A repeated request finds the case purged, or being purged.
        requireStatus(answer, ...(isCrashing ? [204, 410] : [204]));
        one.isGone = true;
      } else requireStatus(answer, 409);
      return `the buyer purges case ${one.number}: ${answer.status}`;
    },
  },
  {
    name: 'leave an address',
    weight: 2,
    isPossible: hasCase,
    run: async (world, draw) => {
      const one = pickCase(world, draw);
      const address = `buyer-${randomUUID()}@example.org`;
      const answer = await sendWithToken(world, draw, 'notify', one, { address });
      const isAllowed = getShownState(one, world.now()) !== 'withdrawn';
      requireStatus(answer, isAllowed ? 200 : 409);
      if (isAllowed) one.noticeAddress = address;
      return `the buyer of case ${one.number} leaves an address: ${answer.status}`;
    },
  },
  {
    name: 'look at the case of another',
    weight: 3,
    isPossible: ({ model }) => model.cases.length > 0,
    run: async (world, draw) => {
      const one = draw.pick(world.model.cases);
      const others = world.model.agents.filter((agent) => agent !== one.agent);
      await lookWhereOneMayNot(world, draw, one, draw.pick(others));
      return `another agent sees nothing of case ${one.number}`;
    },
  },
  {
    name: 'set a webhook',
    isPossible: ({ model }) => model.agents.some(({ hasWebhook }) => !hasWebhook),
    run: async (world, draw) => {
      const agent = draw.pick(world.model.agents.filter(({ hasWebhook }) => !hasWebhook));
      const url = `${world.receiver.url}/${agent.number}`;
      const answer = await world.sendAsAgent(draw.pick(world.instances), agent, '/callback', {
        method: 'PUT',
        body: { url },
      });
      requireStatus(answer, 200, 201);
      agent.hasWebhook = true;
      return `agent ${agent.number} sets a webhook`;
    },
  },
  {
    name: 'revoke a token',
    isPossible: ({ model }) => model.agents.some(({ token }) => token !== null),
    run: async (world, draw) => {
      const agent = draw.pick(world.model.agents.filter(({ token }) => token !== null));
      const instance = draw.pick(world.instances);
      const value = await ensureToken(world, instance, agent);
      requireStatus(await toOAuthTestApp(instance).revokeToken(agent.client, value), 200);
      agent.token = null;
      agent.revoked.push(value);
      const headers = { authorization: `Bearer ${value}` };
      requireStatus(await world.send(draw.pick(world.instances), '/api/orders', { headers }), 401);
      return `agent ${agent.number} gives a token back`;
    },
  },
];

function hasCase({ model, now }: World): boolean {
  return model.cases.some((each) => isThere(each, now()));
}

function pickCase({ model, now, touched }: World, draw: Draw, isBrief = false): SimulatedCase {
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
