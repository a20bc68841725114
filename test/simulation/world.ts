/** The world of a simulation: instances of the office on one store, the provider, a receiver of events, mail, a disk and a clock. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import { createPeriodicTasks } from '#periodic-tasks.ts';
import { readConfig } from '#platform/config/config.ts';
import { DAY_MS, HOUR_MS } from '#platform/durations.ts';
import { toErrorTrace } from '#platform/log.ts';
import { createClockGuard } from '#store/clock-guard.ts';
import { createKeyring } from '#store/keys/keyring.ts';
import { type CleanupScope, withReverseCleanup } from '#test/cleanup.ts';
import { createDataFolder } from '#test/data-folder.ts';
import {
  type DeskKey,
  loadOnlyDeskKey,
  type SignedInDesk,
  signInAtDesk,
} from '#test/desk-api/desk-client.ts';
import type { HttpsClient, HttpsResponse } from '#test/https-client.ts';
import { toOAuthTestApp } from '#test/oauth/oauth-test-app.ts';
import { withOpenApiChecks } from '#test/openapi-checks.ts';
import { listPeriodicRuns } from '#test/periodic-runs.ts';
import { findFreePorts } from '#test/ports.ts';
import { TEST_MASTER_KEY } from '#test/store/engines.ts';
import { buildTestApp, type TestApp } from '#test/test-app.ts';
import { type ShopSandbox, startShopSandbox } from '#test/test-shop.ts';
import { type EventReceiver, startEventReceiver } from '#test/webhooks/receiver.ts';
import { createDisk, type SimulatedDisk, useFolder } from './disk.ts';
import { type Agent, createModel, type Model } from './model.ts';
import type { Options } from './options.ts';
import { loadTemplates, type Templates } from './sealed-parts.ts';

/** Every story begins at the same moment: what depends on the hour of the day is then the same in each repetition. */
const BEGINNING = Date.UTC(2026, 11, 1, 9, 30);
const TOKEN_MS = 9 * 60_000;
const DESK_SESSION_MS = 11 * HOUR_MS;

export interface Instance extends TestApp {
  readonly number: number;
  readonly tasks: ReturnType<typeof listPeriodicRuns>;
  /** The clock, and the time that had really passed, when the clock was last believed for a day. */
  anchor: { readonly clock: number; readonly passed: number } | null;
  readonly close: () => Promise<void>;
}

/** As the provider sends it. */
export interface ProviderEvent {
  readonly id: string;
  readonly type: string;
  readonly data: {
    readonly object: {
      readonly id: string;
      readonly payment_intent?: string | null;
      readonly payment_status?: string;
    };
  };
}

interface Letter {
  readonly id: string;
  readonly to: string;
  readonly text: string;
}

export interface Faults {
  isProviderAway: boolean;
  isMailAway: boolean;
  isDiskFull: boolean;
  isReceiverAway: boolean;
  /** How far the clock is from the time. */
  clockOffset: number;
  /** Something was lost or said twice by a crash: an e-mail may come again, with the same id. */
  hasCrashed: boolean;
}

export interface World {
  readonly options: Options;
  readonly model: Model;
  readonly faults: Faults;
  readonly templates: Templates;
  readonly disk: SimulatedDisk;
  readonly sandbox: ShopSandbox;
  readonly receiver: EventReceiver;
  readonly letters: Letter[];
  readonly deskKey: DeskKey;
  instances: Instance[];
  dataDir: string;
  /** Commands so far. */
  steps: number;
  /** Once something went wrong outside, the office may say so in its log. */
  hasTrouble: boolean;
  /** The time that has really passed, whatever the clock shows. */
  passed: number;
  /** The time that the office has noted last, of a clock that it believed. */
  noted: number | null;
  /** Events of the provider that were not delivered yet, and those that were. */
  readonly events: { waiting: ProviderEvent[]; known: Set<string>; delivered: ProviderEvent[] };
  desk: { readonly signedIn: SignedInDesk; readonly until: number } | null;
  /** Which instance the desk talks to. */
  deskAt: Instance | null;
  /** Plain text that was sent, and must be found nowhere. */
  readonly canaries: string[];
  readonly now: () => number;
  readonly moveClock: (ms: number) => void;
  /** Sends a request, and again after a crash in the middle of it if one was planned. */
  readonly send: (instance: Instance, path: string, ask?: Ask) => Promise<HttpsResponse>;
  readonly sendAsAgent: (
    instance: Instance,
    agent: Agent,
    path: string,
    ask?: AgentAsk,
  ) => Promise<HttpsResponse>;
  readonly sendAsDesk: (instance: Instance, path: string, ask?: DeskAsk) => Promise<HttpsResponse>;
  readonly sweep: (instance: Instance) => Promise<void>;
  /** All instances end, and start again on what the disk has. */
  readonly restart: (how: 'stop' | 'power cut') => Promise<void>;
  readonly setFaults: () => Promise<void>;
  readonly collectLetters: () => void;
}

type Ask = Parameters<HttpsClient>[1];
interface AgentAsk {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}
interface DeskAsk {
  readonly method?: string;
  readonly body?: unknown;
  readonly bytes?: Uint8Array;
}

let sharedReceiver: Promise<EventReceiver> | undefined;

export async function createWorld(owner: CleanupScope, options: Options): Promise<World> {
  const t = withReverseCleanup(owner);
  // Before the clock is moved: its certificate is checked against the real time.
  sharedReceiver ??= startEventReceiver({ after: () => undefined });
  const receiver = await sharedReceiver;
  receiver.received.length = 0;
  const templates = await loadTemplates();
  const dataDir = await createDataFolder(t);
  const [port = 0] = await findFreePorts(1);
  mock.timers.enable({ apis: ['Date'], now: BEGINNING + options.hour * HOUR_MS });
  t.after(() => mock.timers.reset());
  const sandbox = await startShopSandbox(t, port, await createDataFolder(t));
  const disk = createDisk(t);
  const world: World = {
    options,
    model: createModel(),
    faults: {
      isProviderAway: false,
      isMailAway: false,
      isDiskFull: false,
      isReceiverAway: false,
      clockOffset: 0,
      hasCrashed: false,
    },
    templates,
    disk,
    sandbox,
    receiver,
    letters: [],
    deskKey: await loadOnlyDeskKey(dataDir),
    instances: [],
    dataDir,
    steps: 0,
    hasTrouble: false,
    passed: 0,
    noted: null,
    events: { waiting: [], known: new Set(), delivered: [] },
    desk: null,
    deskAt: null,
    canaries: [],
    now: () => Date.now(),
    moveClock: (ms) => mock.timers.setTime(Date.now() + ms),
    send: (instance, path, ask) => sendOrCrash(world, instance, path, ask),
    sendAsAgent: (instance, agent, path, ask) => sendAsAgent(world, instance, agent, path, ask),
    sendAsDesk: (instance, path, ask) => sendAsDesk(world, instance, path, ask),
    sweep: (instance) => sweepInstance(world, instance),
    restart: async (how) => {
      const ending = world.instances;
      if (how === 'power cut') world.dataDir = disk.cutPower(world.dataDir);
      for (const each of ending) await each.close();
      if (how === 'power cut') world.faults.hasCrashed = world.hasTrouble = true;
      world.instances = await startInstances(world, port);
    },
    setFaults: async () => await applyFaults(world),
    collectLetters: () => collectLetters(world),
  };
  t.after(async () => {
    for (const each of world.instances) await each.close();
  });
  world.instances = await startInstances(world, port);
  await world.setFaults();
  for (let number = 0; number < options.agents; number += 1) await addAgent(world);
  return world;
}

async function startInstances(world: World, port: number): Promise<Instance[]> {
  useFolder(world.dataDir);
  const instances: Instance[] = [];
  for (let number = 0; number < world.options.instances; number += 1)
    instances.push(await startInstance(world, port, number));
  return instances;
}

async function startInstance(world: World, sitePort: number, number: number): Promise<Instance> {
  const tasks: (() => unknown)[] = [];
  const t = withReverseCleanup({ after: (clean) => void tasks.push(clean) });
  const [port = 0] = await findFreePorts(1);
  const env = {
    PORT: String(port),
    SITE_URL: `https://localhost:${sitePort}`,
    DATA_DIR: world.dataDir,
    MASTER_KEY: TEST_MASTER_KEY,
    DELIVERY_UNDO_MINUTES: String(world.options.holdMinutes),
    RATE_LIMIT: 'off',
    ...world.options.database,
    ...world.sandbox.env,
  };
  const clock = { now: world.now };
  const built = await buildTestApp(t, {
    env,
    clock,
    keyring: createKeyring(TEST_MASTER_KEY),
    resolveHost: async () => ['127.0.0.1'],
    allowLoopback: true,
    disk: async () => world.disk.measure(world.faults.isDiskFull),
  });
  const { services, app } = built;
  const clockGuard = createClockGuard({ ...services, readMonotonic: () => world.passed });
  await clockGuard.readTrustedTime();
  const instance: Instance = {
    ...built,
    number,
    get: withOpenApiChecks(createInjectingClient(app)),
    tasks: listPeriodicRuns(createPeriodicTasks(readConfig(env), { ...services, clockGuard })),
    anchor: null,
    close: async () => {
      for (const task of tasks.splice(0)) await task();
    },
  };
  // It says so in its log.
  if (!believeClock(world, instance)) world.hasTrouble = true;
  return instance;
}

/** No sockets: with them, the order of things would depend on the kernel. */
function createInjectingClient(app: TestApp['app']): HttpsClient {
  return async (path, { method = 'GET', headers = {}, body } = {}) => {
    const payload = body === undefined || typeof body === 'string' ? body : Buffer.from(body);
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
      // A machine that is busy with other things is no fault of the office.
      if (status === 503 && json['code'] === 'overloaded') continue;
      const cookies = [answer.headers['set-cookie'] ?? []].flat();
      const given = { ...answer.headers, 'set-cookie': cookies } as HttpsResponse['headers'];
      return { status, headers: given, bytes, text, json };
    }
  };
}

/** The office says that something else is away; nothing has changed, and the story goes on. */
export class OfficeAway extends Error {}

async function sendOrCrash(
  world: World,
  instance: Instance,
  path: string,
  ask?: Ask,
): Promise<HttpsResponse> {
  const answer = await instance.get(path, ask);
  if (!world.disk.isPowerOff()) return checkAnswer(world, answer);
  // Nobody has got that answer.
  await world.restart('power cut');
  const again = world.instances[instance.number % world.instances.length]!;
  return checkAnswer(world, await again.get(path, ask));
}

/** An error of the office itself is never an answer, and being away is one only while something is. */
function checkAnswer(world: World, answer: HttpsResponse): HttpsResponse {
  const { isProviderAway, isDiskFull } = world.faults;
  if (answer.status < 500) return answer;
  const isExpected = (isProviderAway || isDiskFull) && [503, 507].includes(answer.status);
  assert.ok(isExpected, `answered ${answer.status}: ${answer.text}`);
  assert.ok(answer.status !== 503 || answer.headers['retry-after'], 'a 503 without Retry-After');
  throw new OfficeAway(`answered ${answer.status}`);
}

async function addAgent(world: World): Promise<void> {
  const [first] = world.instances;
  const client = await toOAuthTestApp(first!).createClient({ name: `Agent ${world.model.agents.length}` });
  world.model.agents.push({
    number: world.model.agents.length,
    client,
    token: null,
    revoked: [],
    hasWebhook: false,
  });
}

/** For some minutes, as programs hold them. */
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

async function sendAsAgent(
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

async function sendAsDesk(
  world: World,
  instance: Instance,
  path: string,
  ask: DeskAsk = {},
): Promise<HttpsResponse> {
  world.deskAt = instance;
  const { desk } = world;
  if (!desk || desk.until <= world.now() || desk.until - world.now() > DESK_SESSION_MS)
    world.desk = {
      signedIn: await world.disk.keepPower(() =>
        signInAtDesk(
          { services: instance.services, get: (url, asked) => world.deskAt!.get(url, asked) },
          world.deskKey,
        ),
      ),
      until: world.now() + DESK_SESSION_MS,
    };
  const { signedIn } = world.desk!;
  const answer = await signedIn.send(path, ask);
  if (!world.disk.isPowerOff()) return checkAnswer(world, answer);
  await world.restart('power cut');
  world.deskAt = world.instances[0]!;
  return checkAnswer(world, await signedIn.send(path, ask));
}

async function sweepInstance(world: World, asked: Instance): Promise<void> {
  let instance = asked;
  await runTasks(instance);
  if (world.disk.isPowerOff()) {
    await world.restart('power cut');
    instance = world.instances[0]!;
    await runTasks(instance);
  }
  collectLetters(world);
  const { cases, uploads } = world.model;
  const now = world.now();
  const isBelieved = believeClock(world, instance);
  if (isBelieved) {
    world.noted = Math.max(world.noted ?? 0, now);
    for (const one of cases) one.isGone ||= one.purgeAt !== null && one.purgeAt <= now;
    for (const each of uploads) each.isGone ||= each.at <= now - DAY_MS;
  }
  for (const one of cases) one.isErased ||= one.isGone && (isBelieved || !one.isHalfPurged);
}

/** As the schedule of the service runs them, once each. */
async function runTasks({ tasks, services }: Instance): Promise<void> {
  for (const { name, run } of tasks)
    await run().catch((error: unknown) =>
      services.log.event('task_failed', { task: name, ...toErrorTrace(error) }),
    );
}

/** Whether the office may delete by date: its clock has run on as time does, from about where it was last seen. */
export function believeClock({ noted, now, passed }: World, instance: Instance): boolean {
  const { anchor } = instance;
  const clock = now();
  const isBehind = noted !== null && clock < noted - HOUR_MS;
  const isAhead = noted !== null && clock > noted + DAY_MS;
  const jumped = anchor === null ? 0 : Math.abs(clock - anchor.clock - (passed - anchor.passed));
  if (isBehind || jumped > HOUR_MS || (anchor === null && isAhead)) return false;
  if (anchor === null || passed - anchor.passed > DAY_MS) instance.anchor = { clock, passed };
  return true;
}

async function applyFaults({ faults, sandbox, receiver, dataDir }: World): Promise<void> {
  const calls = [
    'POST /v1/checkout/sessions',
    'GET /v1/checkout/sessions/{id}',
    'GET /v1/checkout/sessions',
    'POST /v1/checkout/sessions/{id}/expire',
  ];
  await sandbox.setFaults({
    webhooks: { lose: true },
    settle_after_ms: DAY_MS,
    ...(faults.isProviderAway && { api: calls.map((match) => ({ match, status: 503, final: true })) }),
  });
  receiver.answerWith((response) => void response.writeHead(faults.isReceiverAway ? 500 : 204).end());
  const [mail, away] = [join(dataDir, 'mail'), join(dataDir, 'mail.away')];
  if (faults.isMailAway && !(existsSync(mail) && statSync(mail).isFile())) {
    if (existsSync(mail)) renameSync(mail, away);
    writeFileSync(mail, '');
  }
  if (!faults.isMailAway && existsSync(mail) && statSync(mail).isFile()) rmSync(mail);
  if (!faults.isMailAway && existsSync(away)) renameSync(away, mail);
}

function collectLetters({ dataDir, letters, faults }: World): void {
  const folder = join(dataDir, 'mail');
  if (faults.isMailAway || !existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const text = readFileSync(join(folder, name), 'utf8');
    const readHeader = (header: string) => new RegExp(`^${header}: (.*)$`, 'im').exec(text)?.[1] ?? '';
    letters.push({ id: readHeader('Message-ID'), to: readHeader('To'), text });
    rmSync(join(folder, name));
  }
}
