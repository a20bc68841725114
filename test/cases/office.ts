/** The program and the sandbox as processes of their own, which can be killed, measured and started again. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { lastFirst, type Owner, ownFolder } from '#test/folder.ts';
import { freePorts } from '#test/ports.ts';
import { type RunningService, startService } from '#test/running-service.ts';
import { openSandbox, type Sandbox, sessionIdOf } from '#test/shop.ts';

export interface RunningOffice extends RunningService {
  readonly sandbox: Sandbox;
  readonly newSession: (tier?: string) => Promise<string>;
}

export interface Office {
  readonly dataDir: string;
  readonly start: () => Promise<RunningOffice>;
  /** What the database holds at this moment, running or not. */
  readonly rows: (query: string) => Record<string, unknown>[];
}

export async function openOffice(owner: Owner): Promise<Office> {
  const t = lastFirst(owner);
  const [port = 0] = await freePorts(1);
  const dataDir = await ownFolder(t);
  const sandbox = await openSandbox(t, port, dataDir);
  const env = { PORT: String(port), DATA_DIR: dataDir, RATE_LIMIT: 'off', ...sandbox.env };
  return {
    dataDir,
    start: async () => {
      const service = await startService(t, env);
      return { ...service, sandbox, newSession: async (tier = 'Trace') => await sell(service, tier) };
    },
    rows: (query) => {
      const database = new DatabaseSync(join(dataDir, 'inquiry-office.db'), { readOnly: true });
      try {
        return database
          .prepare(query)
          .all()
          .map((row) => ({ ...row }));
      } finally {
        database.close();
      }
    },
  };
}

async function sell({ get }: RunningService, tier: string): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const ask = { method: 'POST', headers, body: JSON.stringify({ tier }) };
  return sessionIdOf(await get('/api/stripe/checkout', ask));
}

export async function kill({ process, ended }: RunningService): Promise<void> {
  process.kill('SIGKILL');
  await ended;
}

/** Resident memory in MiB: now, and at its highest since the last call of `forgetPeak`. */
export async function memoryOf({ process }: RunningService): Promise<{ now: number; peak: number }> {
  const status = await readFile(`/proc/${process.pid}/status`, 'utf8');
  const mebibytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024;
  return { now: mebibytes('VmRSS'), peak: mebibytes('VmHWM') };
}

/** Linux lets the high-water mark be lowered to what is resident now (proc(5), clear_refs). */
export async function forgetPeak({ process }: RunningService): Promise<void> {
  await writeFile(`/proc/${process.pid}/clear_refs`, '5');
}
