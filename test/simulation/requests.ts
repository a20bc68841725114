/** Sends requests to the office: without sockets, in a role, and again if the power was cut before the response. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { HOUR_MS, MINUTE_MS } from '#platform/durations.ts';
import { hashTokenValue } from '#store/clients/tokens.ts';
import { deleteDeskSession, findDeskSession, insertDeskSession } from '#store/desk-sessions.ts';
import { type SignedInDesk, signInAtDesk } from '#test/desk-api/desk-client.ts';
import type { HttpsClient, HttpsResponse } from '#test/https-client.ts';
import { toOAuthTestApp } from '#test/oauth/oauth-test-app.ts';
import type { TestApp } from '#test/test-app.ts';
import { type Agent, mayBeForgotten } from './model.ts';
import type { AgentAsk, Ask, DeskAsk, Instance, World } from './world.ts';

/** Refusals that depend on the current load of this machine. */
const BUSY_CODES = ['overloaded', 'sealing_unavailable'];
const BUSY_MS = MINUTE_MS;
const BUSY_PAUSE_MS = 100;
const TOKEN_MS = 9 * MINUTE_MS;
const DESK_SESSION_MS = 11 * HOUR_MS;
const MAX_EXTENSIONS = 20;

/** Uses no sockets, because the order of events would then depend on the kernel. */
export function createInjectingClient(app: TestApp['app']): HttpsClient {
  return async (path, { method = 'GET', headers = {}, body } = {}) => {
    const payload = body === undefined || typeof body === 'string' ? body : Buffer.from(body);
    const deadline = performance.now() + BUSY_MS;
    for (;;) {
      const answer = await app.inject({
        method: method as 'GET',
        url: path,
        headers,
        ...(payload !== undefined && { payload }),
      });
      const { rawPayload: bytes, payload: text, statusCode: status } = answer;
      const isJson = answer.headers['content-type']?.includes('json') && text !== '';
      const json = isJson ? (JSON.parse(text) as Record<string, unknown>) : {};
      // A machine that is busy otherwise is not a fault of the office.
      if (status === 503 && BUSY_CODES.includes(String(json['code'])) && performance.now() < deadline) {
        await sleep(BUSY_PAUSE_MS);
        continue;
      }
      const cookies = [answer.headers['set-cookie'] ?? []].flat();
      const given = { ...answer.headers, 'set-cookie': cookies } as HttpsResponse['headers'];
      return { status, headers: given, bytes, text, json };
    }
  };
}

/** The office reports that something else is unavailable; nothing has changed, and the story continues. */
export class OfficeAway extends Error {}

export async function sendOrCrash(
  world: World,
  instance: Instance,
  path: string,
  ask?: Ask,
): Promise<HttpsResponse> {
  // After a power cut, uses the instance that has replaced it.
  const live = world.instances[instance.number % world.instances.length]!;
  const answer = await live.get(path, ask);
  if (!world.disk.isPowerOff()) return checkAnswer(world, answer);
  // The response was lost with the power.
  await world.restart('power cut');
  const again = world.instances[instance.number % world.instances.length]!;
  return checkAnswer(world, await again.get(path, ask));
}

/** Waits for all concurrent requests, even if one fails, so that none continues in the background. */
export async function sendTogether(sends: readonly Promise<HttpsResponse>[]): Promise<HttpsResponse[]> {
  await Promise.allSettled(sends);
  return await Promise.all(sends);
}

/** Fails on internal errors of the office, and on 503 or 507 unless something is unavailable. */
function checkAnswer(world: World, answer: HttpsResponse): HttpsResponse {
  const { isProviderAway, isDiskFull } = world.faults;
  if (answer.status < 500) return answer;
  // The event of a pending bank payment may arrive after it has failed and its order has been deleted.
  const isForgotten =
    answer.json['code'] === 'event_unresolved' &&
    world.model.purchases.some((each) => each.truth === 'failed' && mayBeForgotten(each, world.now()));
  const isAway = (isProviderAway || isDiskFull) && [503, 507].includes(answer.status);
  const isExpected = isAway || isForgotten;
  assert.ok(isExpected, `answered ${answer.status}: ${answer.text}`);
  assert.ok(answer.status !== 503 || answer.headers['retry-after'], 'a 503 without Retry-After');
  throw new OfficeAway(`answered ${answer.status}`);
}

/** Reuses a token for some minutes, as programs do. */
export async function ensureToken(world: World, instance: Instance, agent: Agent): Promise<string> {
  const { token } = agent;
  if (token && token.until > world.now() && token.until - world.now() <= TOKEN_MS) return token.value;
  const asked = { grant_type: 'client_credentials' };
  const { status, json, text } = await world.disk.keepPower(() =>
    toOAuthTestApp(instance).requestToken(agent.client, asked),
  );
  assert.equal(status, 200, text);
  agent.token = { value: String(json['access_token']), until: world.now() + TOKEN_MS };
  return agent.token.value;
}

export async function sendAsAgent(
  world: World,
  instance: Instance,
  agent: Agent,
  path: string,
  { method = 'GET', body, headers = {} }: AgentAsk = {},
): Promise<HttpsResponse> {
  const authorization = `Bearer ${await ensureToken(world, instance, agent)}`;
  const isBytes = body instanceof Uint8Array;
  const type = isBytes ? 'application/octet-stream' : 'application/json';
  return await world.send(instance, `/api${path}`, {
    method,
    headers: { authorization, ...(body === undefined ? {} : { 'content-type': type }), ...headers },
    ...(body === undefined ? {} : { body: isBytes ? body : JSON.stringify(body) }),
  });
}

async function ensureDesk(world: World, instance: Instance): Promise<SignedInDesk> {
  const { desk, now } = world;
  if (desk && desk.until > now() && desk.until - now() <= DESK_SESSION_MS) return desk.signedIn;
  const until = now() + DESK_SESSION_MS;
  // Usually extends the session, because a sign-in costs as much as ten other commands.
  if (desk && desk.extensions < MAX_EXTENSIONS) {
    await instance.store.transaction(async (records) => {
      await deleteDeskSession(records, desk.row.id);
      await insertDeskSession(records, { ...desk.row, expires_at: until });
    });
    world.desk = { ...desk, until, extensions: desk.extensions + 1 };
    return desk.signedIn;
  }
  const signedIn = await signInAtDesk(
    { services: instance.services, get: (url, asked) => world.deskAt!.get(url, asked) },
    world.deskKey,
  );
  const found = await findDeskSession(instance.store.records, hashTokenValue(signedIn.session.token));
  assert.ok(found, 'a desk that has signed in has no session');
  world.desk = { signedIn, until, row: found.session, extensions: 0 };
  return signedIn;
}

export async function sendAsDesk(
  world: World,
  instance: Instance,
  path: string,
  ask: DeskAsk = {},
): Promise<HttpsResponse> {
  world.deskAt = instance;
  const signedIn = await world.disk.keepPower(() => ensureDesk(world, instance));
  const answer = await signedIn.send(path, ask);
  if (!world.disk.isPowerOff()) return checkAnswer(world, answer);
  await world.restart('power cut');
  world.deskAt = world.instances[0]!;
  return checkAnswer(world, await signedIn.send(path, ask));
}
