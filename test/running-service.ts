/** The real program as a process of its own, with its own data folder and ports. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { lastFirst, type Owner, ownFolder } from './folder.ts';
import { type Client, clientFor } from './https-client.ts';
import { freePorts } from './ports.ts';

const START_MS = 20_000;

export interface Program {
  readonly process: ChildProcess;
  /** Everything it has written so far, on both streams. */
  readonly output: () => string;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
}

export function startProgram(t: Owner, script: string, env: Record<string, string>): Program {
  const child = spawn(process.execPath, [script], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  t.after(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { process: child, output: () => output, ended };
}

export interface RunningService extends Program {
  readonly origin: string;
  readonly plainOrigin: string;
  readonly port: number;
  readonly dataDir: string;
  readonly get: Client;
}

export async function startService(owner: Owner, env: Record<string, string> = {}): Promise<RunningService> {
  const t = lastFirst(owner);
  const [freePort = 0, plainPort = 0, otherPort = 0] = await freePorts(3);
  const port = Number(env['PORT'] ?? freePort);
  // A service that comes back on its old port, which is free just now, must not get it twice.
  const httpPort = plainPort === port ? otherPort : plainPort;
  const dataDir = env['DATA_DIR'] ?? (await ownFolder(t));
  const program = startProgram(t, 'src/main.ts', {
    PORT: String(port),
    HTTP_PORT: String(httpPort),
    DATA_DIR: dataDir,
    ...env,
  });
  await said(program, 'is ready.');
  const origin = `https://localhost:${port}`;
  const get = await clientFor(origin, dataDir);
  return { ...program, origin, plainOrigin: `http://localhost:${httpPort}`, port, dataDir, get };
}

/** Waits until the program has written a text. */
export async function said(program: Program, text: string): Promise<void> {
  const deadline = Date.now() + START_MS;
  while (!program.output().includes(text)) {
    if (program.process.exitCode !== null || Date.now() > deadline)
      throw new Error(`the program never said "${text}":\n${program.output()}`);
    await sleep(10);
  }
}
