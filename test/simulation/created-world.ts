/** Creates the world: instances of the office on one store, and the systems around them. */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import { createPeriodicTasks } from '#periodic-tasks.ts';
import { readConfig } from '#platform/config/config.ts';
import { DAY_MS, HOUR_MS } from '#platform/durations.ts';
import { toErrorTrace } from '#platform/log.ts';
import { createClockGuard } from '#store/clock-guard.ts';
import { createKeyring } from '#store/keys/keyring.ts';
import { adoptMasterKey } from '#store/keys/master-keys.ts';
import { type CleanupScope, processScope, withReverseCleanup } from '#test/cleanup.ts';
import { createDataFolder, readRecipientSettings } from '#test/data-folder.ts';
import { loadOnlyDeskKey } from '#test/desk-api/desk-client.ts';
import { toOAuthTestApp } from '#test/oauth/oauth-test-app.ts';
import { withOpenApiChecks } from '#test/openapi-checks.ts';
import { findFreePorts } from '#test/ports.ts';
import { buildTestApp } from '#test/test-app.ts';
import { startShopSandbox } from '#test/test-shop.ts';
import { type EventReceiver, startEventReceiver } from '#test/webhooks/receiver.ts';
import { createDisk, useFolder } from './disk.ts';
import type { Options } from './options.ts';
import { createInjectingClient, sendAsAgent, sendAsDesk, sendOrCrash } from './requests.ts';
import { loadTemplates } from './sealed-parts.ts';
import { believeClock, createWorldState, type Instance, type World } from './world.ts';

/** The fixed start of every story, so that what depends on the time of day is the same in each repetition. */
const BEGINNING = Date.UTC(2026, 11, 1, 9, 30);

let sharedReceiver: Promise<EventReceiver> | undefined;

export async function createWorld(owner: CleanupScope, options: Options): Promise<World> {
  const t = withReverseCleanup(owner);
  // Started before the clock is moved, because its certificate is checked against the real time.
  sharedReceiver ??= startEventReceiver(processScope);
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
    templates,
    disk,
    sandbox,
    receiver,
    deskKey: await loadOnlyDeskKey(dataDir),
    ...createWorldState(dataDir),
    now: () => Date.now(),
    moveClock: (ms) => mock.timers.setTime(Date.now() + ms),
    send: (instance, path, ask) => sendOrCrash(world, instance, path, ask),
    sendAsAgent: (instance, agent, path, ask) => sendAsAgent(world, instance, agent, path, ask),
    sendAsDesk: (instance, path, ask) => sendAsDesk(world, instance, path, ask),
    sweep: (instance) => sweepInstance(world, instance),
    restart: async (how, meanwhile) => {
      const ending = world.instances;
      if (how === 'power cut') world.dataDir = disk.cutPower(world.dataDir);
      for (const each of ending) await each.close();
      if (how === 'power cut') world.faults.hasCrashed = world.hasTrouble = world.isDiskLookDue = true;
      await meanwhile?.();
      world.instances = await startInstances(world, port);
    },
    restartOne: async (number) => {
      await world.instances[number]!.close();
      world.instances = world.instances.with(number, await startInstance(world, port, number));
    },
    buildEnv: async () => await buildEnv(world, port),
    setFaults: async () => await applyFaults(world),
    createFolder: async () => await createDataFolder(t),
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

async function buildEnv(world: World, sitePort: number): Promise<Record<string, string>> {
  const { dataDir, masterKey, options, sandbox } = world;
  return {
    PORT: String(sitePort),
    SITE_URL: `https://localhost:${sitePort}`,
    DATA_DIR: dataDir,
    DELIVERY_UNDO_MINUTES: String(options.holdMinutes),
    RATE_LIMIT: 'off',
    ...options.database,
    // After the database settings, because those contain the first key.
    MASTER_KEY: masterKey,
    ...(options.database['DATABASE_URL'] && (await readRecipientSettings(dataDir))),
    ...sandbox.env,
  };
}

async function startInstance(world: World, sitePort: number, number: number): Promise<Instance> {
  const tasks: (() => unknown)[] = [];
  const t = withReverseCleanup({ after: (clean) => void tasks.push(clean) });
  const env = await buildEnv(world, sitePort);
  const clock = { now: world.now };
  const built = await buildTestApp(t, {
    env,
    clock,
    keyring: createKeyring(world.masterKey),
    resolveHost: async () => ['127.0.0.1'],
    allowLoopback: true,
    // The clock of PostgreSQL cannot be moved.
    store: (opened) =>
      opened.engine.name === 'postgres' ? { ...opened, readDatabaseTime: async () => world.now() } : opened,
    disk: async () => world.disk.measure(world.faults.isDiskFull),
    inject: (app) => withOpenApiChecks(createInjectingClient(app)),
  });
  const { services } = built;
  await adoptMasterKey(services);
  const clockGuard = createClockGuard({ ...services, readMonotonic: () => world.passed });
  await clockGuard.readTrustedTime();
  const instance: Instance = {
    ...built,
    number,
    tasks: createPeriodicTasks(readConfig(env), { ...services, clockGuard }),
    anchor: null,
    readLogLength: 0,
    close: async () => {
      // As the service does when it ends: the lease follows PostgreSQL's clock, which cannot be moved.
      await services.store.resign().catch(() => undefined);
      for (const task of tasks.splice(0)) await task();
    },
  };
  // An instance that distrusts the clock reports that in its log.
  if (!believeClock(world, instance)) world.hasTrouble = true;
  return instance;
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

async function sweepInstance(world: World, asked: Instance): Promise<void> {
  let instance = asked;
  let isSwept = await runTasks(instance);
  if (world.disk.isPowerOff()) {
    await world.restart('power cut');
    instance = world.instances[0]!;
    isSwept = await runTasks(instance);
  }
  collectLetters(world);
  if (!isSwept) return;
  const { cases, uploads } = world.model;
  const now = world.now();
  const isBelieved = believeClock(world, instance);
  if (isBelieved) {
    world.noted = Math.max(world.noted ?? 0, now);
    for (const one of cases) one.isGone ||= one.purgeAt !== null && one.purgeAt <= now;
  }
  for (const each of uploads) {
    // The next sweep removes the bytes from the files.
    if (each.isDeleted && !each.isGone) each.isGone = world.isSearchDue = true;
    each.isDeleted ||= isBelieved && each.at < now - DAY_MS;
  }
  world.isSearchDue ||= cases.some(({ isGone, isErased }) => isGone && !isErased);
  for (const one of cases) one.isErased ||= one.isGone;
}

/**
 * Runs the tasks as the service's schedule does: a group looks once, and the tasks that it names run. Returns false for
 * an instance that leaves the sweeps to another one.
 */
async function runTasks({ tasks, services }: Instance): Promise<boolean> {
  let isSwept = false;
  const runLogged = (name: string, run: () => Promise<void>) =>
    run().catch((error: unknown) =>
      services.log.event('task_failed', { task: name, ...toErrorTrace(error) }),
    );
  for (const task of tasks)
    await runLogged(task.name, async () => {
      if ('run' in task) return await task.run();
      for (const name of await task.look()) {
        isSwept ||= name === 'purge';
        await runLogged(name, task.tasks[name]!);
      }
    });
  return isSwept;
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
