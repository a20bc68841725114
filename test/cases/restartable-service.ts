/** The service and the sandbox as separate processes that tests can kill, measure and restart. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type CleanupScope, withReverseCleanup } from '#test/cleanup.ts';
import { createDataFolder } from '#test/data-folder.ts';
import { findFreePorts } from '#test/ports.ts';
import { type ServiceProcess, startServiceProcess } from '#test/service-process.ts';
import { createCheckoutSession, type ShopSandbox, startShopSandbox } from '#test/test-shop.ts';

export interface ServiceWithSandbox extends ServiceProcess {
  readonly sandbox: ShopSandbox;
  readonly createSession: (tier?: string) => Promise<string>;
}

export async function createRestartableService(owner: CleanupScope, settings: Record<string, string> = {}) {
  const t = withReverseCleanup(owner);
  const [port = 0] = await findFreePorts(1);
  const dataDir = await createDataFolder(t);
  const sandbox = await startShopSandbox(t, port, dataDir);
  const env = { PORT: String(port), DATA_DIR: dataDir, RATE_LIMIT: 'off', ...sandbox.env, ...settings };
  return {
    dataDir,
    sandbox,
    start: async (): Promise<ServiceWithSandbox> => {
      const service = await startServiceProcess(t, env);
      return { ...service, sandbox, createSession: (tier) => createCheckoutSession(service.get, tier) };
    },
    /** Queries the database file, whether the service runs or not. */
    queryRows: (query: string): Record<string, unknown>[] => {
      using database = new DatabaseSync(join(dataDir, 'inquiry-office.db'), { readOnly: true });
      const rows = database.prepare(query).all();
      return rows.map((row) => ({ ...row }));
    },
  };
}

export async function killService({ process, ended }: ServiceProcess): Promise<void> {
  process.kill('SIGKILL');
  await ended;
}

/** Reads the resident memory in MiB: now, and the peak since the last `resetMemoryPeak`. */
export async function readMemoryUsage({ process }: ServiceProcess): Promise<{ now: number; peak: number }> {
  const status = await readFile(`/proc/${process.pid}/status`, 'utf8');
  const readMebibytes = (name: string) =>
    Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024;
  return { now: readMebibytes('VmRSS'), peak: readMebibytes('VmHWM') };
}

/** Linux can reset the high-water mark to the current resident size (proc(5), clear_refs). */
export async function resetMemoryPeak({ process }: ServiceProcess): Promise<void> {
  await writeFile(`/proc/${process.pid}/clear_refs`, '5');
}
