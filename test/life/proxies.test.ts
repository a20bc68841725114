/** The files for proxies in deploy/, run as they are with the real service behind them. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { agentPaths } from '#platform/addresses.ts';
import { generateMasterKey } from '#store/keys/keyring.ts';
import { openPaidForm, plainFormFields, sendPlainForm } from '#test/cases/plain-form.ts';
import { type CleanupScope, withReverseCleanup } from '#test/cleanup.ts';
import { createDataFolder, readRecipientSettings } from '#test/data-folder.ts';
import { createHttpsClient, type HttpsClient } from '#test/https-client.ts';
import { waitUntil } from '#test/patience.ts';
import { findFreePorts } from '#test/ports.ts';
import { startPostgres } from '#test/postgres-server.ts';
import { isLongRun } from '#test/scale.ts';
import { startOffice, waitForProgramOutput } from '#test/service-process.ts';
import { NO_PROGRAM } from '#test/test-counts.ts';
import { createCheckoutSession, startShopSandbox } from '#test/test-shop.ts';
import { caddy, haproxy, isInstalled, nginx, startProxy, type TestedProxy } from './proxies.ts';

const WAIT_MS = 60_000;
const REGISTRATIONS_PER_MINUTE = 6;
/** The visitors at once, and the requests that they send at least while two servers restart. */
const VISITORS = 8;
const LEAST_REQUESTS = 5_000;
const LARGEST_FILE = new Uint8Array(25 * 1024 * 1024).fill(120);
const json = { 'content-type': 'application/json' };

for (const proxy of [haproxy, nginx, caddy])
  test(`what ${proxy.program} needs is in its file`, {
    skip: isInstalled(proxy) ? false : NO_PROGRAM,
  }, async (t) => {
    const { get, sandbox, origin, askPlainly } = await startBehindProxy(t, proxy);
    await t.test('pages, a purchase told by a signed webhook, and an inquiry of 25 MiB pass', async () => {
      const home = await get('/');
      assert.match(String(home.headers['strict-transport-security']), /max-age/);
      const form = await openPaidForm({ get, sandbox, createSession: () => createCheckoutSession(get) });
      const files = [{ name: 'large.bin', content: LARGEST_FILE }];
      const sent = await sendPlainForm({ get }, form, plainFormFields, files);
      assert.equal(sent.status, 200, sent.text.slice(0, 500));
    });
    await t.test('the address that is counted is the visitor’s, whatever the visitor claims', async () => {
      const register = async (from: string, claimed: string) => {
        const headers = { ...json, 'x-forwarded-for': claimed, forwarded: `for=${claimed}` };
        return (await get(agentPaths.instructions, { method: 'POST', headers, body: '{}', from, once: true }))
          .status;
      };
      for (let sent = 0; sent < REGISTRATIONS_PER_MINUTE; sent += 1)
        assert.notEqual(await register('127.0.0.1', `192.0.2.${sent}`), 429);
      assert.equal(await register('127.0.0.1', '192.0.2.99'), 429);
      assert.notEqual(await register('127.0.0.2', '127.0.0.1'), 429);
    });
    await t.test('plain HTTP leads people to HTTPS, and refuses programs', async () => {
      assert.deepEqual(await askPlainly('GET', '/contact?x=1'), [308, `${origin}/contact?x=1`]);
      assert.deepEqual(await askPlainly('POST', '/contact'), [403, undefined]);
      for (const path of ['/api/health', '/oauth2/token', '/hcgi/x', '/mcp', '/agents/registrations'])
        assert.deepEqual(await askPlainly('GET', path), [403, undefined], path);
    });
  });

if (isLongRun)
  test('two servers behind the shipped file restart one after the other, and no request fails', {
    skip: isInstalled(haproxy) ? false : NO_PROGRAM,
  }, async (owner) => {
    const t = withReverseCleanup(owner);
    const [plain = 0, secure = 0, service = 0, management = 0, ...ports] = await findFreePorts(6);
    const dataDir = await createDataFolder(t);
    const [OFFICE_1 = '', OFFICE_2 = ''] = ports.map((port) => `127.0.0.1:${port}`);
    const place = { plain, secure, service, management };
    const readProxy = await startProxy(t, haproxy, place, dataDir, { OFFICE_1, OFFICE_2 });
    const countChanges = (index: number, state: string) =>
      readProxy().split(`office${index + 1} is ${state}`).length - 1;
    const get = await createHttpsClient(`https://localhost:${secure}`, dataDir);
    const env = {
      HOST: '127.0.0.1',
      TLS: 'proxy',
      TRUSTED_PROXIES: '127.0.0.1',
      SITE_URL: `https://localhost:${secure}`,
      DATABASE_URL: await (await startPostgres(t)).createDatabase('shared'),
      MASTER_KEY: generateMasterKey(),
      RATE_LIMIT: 'off',
      ...(await readRecipientSettings(dataDir)),
    };
    const start = async (index: number) => {
      const PORT = String(ports[index]);
      await waitUntil('the proxy misses it', () => countChanges(index, 'DOWN') > countChanges(index, 'UP'));
      const program = startOffice(t, ['serve'], { ...env, PORT, DATA_DIR: await createDataFolder(t) });
      await waitForProgramOutput(program, 'is ready.');
      await waitUntil('the proxy sees it', () => countChanges(index, 'DOWN') === countChanges(index, 'UP'));
      return program;
    };
    const programs = [await start(0), await start(1)];
    await waitForStatus(get, [200]);
    const answers = new Map<number, number>();
    const stop = new AbortController();
    const visitors = Array.from({ length: VISITORS }, async () => {
      while (!stop.signal.aborted || sum(answers) < LEAST_REQUESTS) {
        const status = await get('/api/pricing').then(
          (answer) => answer.status,
          () => 0,
        );
        answers.set(status, (answers.get(status) ?? 0) + 1);
      }
    });
    for (const [index, program] of programs.entries()) {
      program.process.kill('SIGTERM');
      assert.equal(await program.ended, 0);
      await start(index);
    }
    stop.abort();
    await Promise.all(visitors);
    assert.deepEqual([...answers.keys()], [200], JSON.stringify([...answers]));
  });

/** Starts the proxy first: its check must find out by itself that the service is up. */
async function startBehindProxy(owner: CleanupScope, proxy: TestedProxy) {
  const t = withReverseCleanup(owner);
  const [plain = 0, secure = 0, service = 0, management = 0] = await findFreePorts(4);
  const dataDir = await createDataFolder(t);
  const origin = `https://localhost:${secure}`;
  await startProxy(t, proxy, { plain, secure, service, management }, dataDir);
  const get = await createHttpsClient(origin, dataDir);
  await waitForStatus(get, [502, 503]);
  const sandbox = await startShopSandbox(t, secure, dataDir);
  const program = startOffice(t, ['serve'], {
    HOST: '127.0.0.1',
    PORT: String(service),
    METRICS_PORT: String(management),
    TLS: 'proxy',
    TRUSTED_PROXIES: '127.0.0.1',
    SITE_URL: origin,
    DATA_DIR: dataDir,
    ...sandbox.env,
  });
  await waitForProgramOutput(program, 'is ready.');
  await waitForStatus(get, [200]);
  return { get, sandbox, origin, askPlainly: createPlainAsker(plain, new URL(origin).host) };
}

async function waitForStatus(get: HttpsClient, wanted: readonly number[]): Promise<void> {
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    const status = await get('/', { once: true }).then(
      (answer) => answer.status,
      () => 0,
    );
    if (wanted.includes(status)) return;
    assert.ok(Date.now() < deadline, `the proxy still answers ${status}`);
    await sleep(200);
  }
}

function sum(counts: ReadonlyMap<number, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}

/** Returns the status and the target of the redirect. */
function createPlainAsker(port: number, host: string) {
  return (method: string, path: string) =>
    new Promise<[number | undefined, string | undefined]>((resolve, reject) => {
      const headers = { host };
      request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (answer) => {
        answer.resume();
        resolve([answer.statusCode, answer.headers.location]);
      })
        .on('error', reject)
        .end();
    });
}
