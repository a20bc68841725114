/** Starts the installed program once, so that Node keeps the compiled form of every function that a start runs. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { COMPILE_CACHE_FOLDER, PROJECT } from '../bin/packaged-node.js';

const OFFICE = join(PROJECT, 'bin', 'office.js');
const TIME_LIMIT_MS = 30_000;
const POLL_MS = 50;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const JSON_TEXT = { 'content-type': 'application/json' };

interface Visit {
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

const PAGES: readonly Visit[] = [{ path: '/api/health' }, { path: '/' }];
/** They are refused, but only after they have made the service load the OAuth engine, the SDK for payments and so on. */
const REFUSED_VISITS: readonly Visit[] = [
  { path: '/oauth2/token', headers: FORM, body: 'grant_type=client_credentials&client_id=x&client_secret=x' },
  { path: '/api/stripe/webhook', headers: { ...JSON_TEXT, 'stripe-signature': 't=0,v1=0' }, body: '{}' },
  { path: '/case/sealed', headers: { ...JSON_TEXT, 'sec-fetch-site': 'same-origin' }, body: '{}' },
];
const OTHER_PAGES: readonly Visit[] = [{ path: '/case' }, { path: '/docs' }];

/** With settings, records and a port of its own: neither those of the environment nor those of `.env` are read. */
export async function runRehearsal(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'office-install-'));
  try {
    const settings = join(folder, 'settings');
    await writeFile(settings, '');
    const port = await findFreePort();
    const env = {
      OFFICE_ENV_FILE: settings,
      DATA_DIR: join(folder, 'data'),
      PORT: String(port),
      HTTP_PORT: 'off',
      STRIPE_SECRET_KEY: 'sk_test_rehearsal',
      STRIPE_WEBHOOK_SECRET: 'whsec_rehearsal',
      SITE_URL: `https://localhost:${port}`,
    };
    // The first start makes keys and tables, which the later ones find: those are the ones to be fast.
    await runService({ ...env, NODE_DISABLE_COMPILE_CACHE: '1' }, port);
    await runService(env, port);
    await once(startOffice([], ['cases', 'list'], env), 'exit');
    await openToOthers();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

async function runService(env: Record<string, string>, port: number): Promise<void> {
  const service = startOffice(await readServeOptions(), ['serve'], env);
  const ended = once(service, 'exit');
  for (const page of PAGES)
    while (isRunning(service) && (await sendVisit(port, page)) !== 200) await sleep(POLL_MS);
  for (const visit of [...OTHER_PAGES, ...REFUSED_VISITS])
    if (isRunning(service)) await sendVisit(port, visit);
  service.kill('SIGTERM');
  await ended;
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

/** V8 uses what it has compiled only if it runs with the same options. */
async function readServeOptions(): Promise<string[]> {
  const { scripts } = JSON.parse(await readFile(join(PROJECT, 'package.json'), 'utf8')) as {
    scripts: { serve: string };
  };
  return scripts.serve.split(' ').filter((word) => word.startsWith('--'));
}

/** Commands are started without options, by `npx office`. */
function startOffice(options: readonly string[], args: readonly string[], env: Record<string, string>) {
  return spawn(process.execPath, [...options, '--preserve-symlinks', OFFICE, ...args], {
    env,
    stdio: 'ignore',
    timeout: TIME_LIMIT_MS,
    killSignal: 'SIGKILL',
  });
}

/** Returns the status of the answer, or null without one. The certificate was made by the very process that answers. */
async function sendVisit(port: number, { path, headers = {}, body }: Visit): Promise<number | null> {
  const method = body === undefined ? 'GET' : 'POST';
  const trust = { agent: false, rejectUnauthorized: false } as const;
  const sent = request({ host: '127.0.0.1', port, path, method, headers, ...trust }).end(body);
  return await new Promise((resolve) => {
    sent.setTimeout(TIME_LIMIT_MS, () => sent.destroy());
    sent.on('error', () => resolve(null));
    sent.on('response', (response) => {
      response.resume();
      response.on('close', () => resolve(response.complete ? (response.statusCode ?? null) : null));
    });
  });
}

/**
 * Node writes the compiled form for its own user alone, into a folder whose name ends with the number of that user, and
 * uses no other. On a server root installs what another user runs but may not write: links lead there to the same.
 */
async function openToOthers(): Promise<void> {
  const entries = await readdir(COMPILE_CACHE_FOLDER, { recursive: true, withFileTypes: true });
  for (const entry of entries) if (entry.isFile()) await chmod(join(entry.parentPath, entry.name), 0o644);
  if (process.getuid?.() !== 0) return;
  const users = (await readFile('/etc/passwd', 'utf8')).matchAll(/^[^:]+:[^:]*:([1-9]\d*):/gm);
  const numbers = new Set(Array.from(users, ([, number]) => number));
  for (const { name } of entries.filter((entry) => entry.isDirectory() && entry.name.endsWith('-0')))
    for (const number of numbers) {
      const link = join(COMPILE_CACHE_FOLDER, name.replace(/0$/, String(number)));
      await rm(link, { recursive: true, force: true });
      await symlink(name, link);
    }
}
