/** Starts the real program as a separate process with its own data folder and ports. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CleanupScope, withReverseCleanup } from '#test/cleanup.ts';
import { createDataFolder, readRecipientSettings } from '#test/data-folder.ts';
import { createHttpsClient, type HttpsClient } from '#test/https-client.ts';
import { PATIENCE_MS } from '#test/patience.ts';
import { findFreePorts } from '#test/ports.ts';

const OFFICE = 'bin/office.js';
/** A shared cache, so that programs that tests start are compiled only once. */
export const COMPILE_CACHE = resolve('node_modules/.cache/node');

export interface RunningProgram {
  readonly process: ChildProcess;
  /** Returns everything that the program has written so far to both streams. */
  readonly readOutput: () => string;
  /** The exit code of the program, or the signal that ended it. */
  readonly ended: Promise<number | string>;
}

export function startProgram(
  t: CleanupScope,
  script: string,
  env: Record<string, string>,
  args: readonly string[] = [],
): RunningProgram {
  const child = spawn(process.execPath, [script, ...args], {
    env: { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  t.after(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { process: child, readOutput: () => output, ended };
}

export function startOffice(
  t: CleanupScope,
  args: readonly string[],
  env: Record<string, string>,
): RunningProgram {
  return startProgram(t, OFFICE, env, args);
}

export interface ServiceProcess extends RunningProgram {
  readonly origin: string;
  readonly plainOrigin: string;
  readonly port: number;
  readonly dataDir: string;
  readonly get: HttpsClient;
}

export async function startServiceProcess(
  owner: CleanupScope,
  env: Record<string, string> = {},
  [script, ...args]: readonly [string, ...string[]] = [OFFICE, 'serve'],
): Promise<ServiceProcess> {
  const t = withReverseCleanup(owner);
  const [freePort = 0, plainPort = 0, otherPort = 0] = await findFreePorts(3);
  const port = Number(env['PORT'] ?? freePort);
  // A restarted service has its old port, which is free at the moment and must not be assigned twice.
  const httpPort = plainPort === port ? otherPort : plainPort;
  const dataDir = env['DATA_DIR'] ?? (await createDataFolder(t));
  const settings = {
    PORT: String(port),
    HTTP_PORT: String(httpPort),
    DATA_DIR: dataDir,
    ...(env['DATABASE_URL'] && (await readRecipientSettings(dataDir))),
    ...env,
  };
  const program = startProgram(t, script, settings, args);
  await waitForProgramOutput(program, 'Stop it with Ctrl+C or SIGTERM.');
  const origin = `https://localhost:${port}`;
  const get = await createHttpsClient(origin, dataDir);
  return { ...program, origin, plainOrigin: `http://localhost:${httpPort}`, port, dataDir, get };
}

/** Waits until the program has written a text. */
export async function waitForProgramOutput(program: RunningProgram, text: string): Promise<void> {
  let hasEnded = false;
  // Not when the program exits, because its last output may still be arriving.
  void program.ended.then(() => (hasEnded = true));
  const deadline = Date.now() + PATIENCE_MS;
  while (!program.readOutput().includes(text)) {
    if (hasEnded || Date.now() > deadline)
      throw new Error(`the program never said "${text}":\n${program.readOutput()}`);
    await sleep(10);
  }
}
