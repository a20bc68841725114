/** Finds free ports for programs that a test starts. */
import { closeSync, openSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';

/** The folder in which the processes of a run record which ports they have taken. */
export const PORTS_FOLDER_VARIABLE = 'TEST_PORTS_FOLDER';

/**
 * Below the range that systems use for outgoing connections, which could take a port meanwhile, and above the last port
 * that `fetch` refuses (10080, https://fetch.spec.whatwg.org/#port-blocking).
 */
const LOWEST = 10_100;
const HIGHEST = 30_000;
const MAX_TRIES = 10_000;

const takenHere = new Set<number>();

export async function findFreePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, openServerOnFreePort));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

async function openServerOnFreePort(): Promise<Server> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    if (!takePort(port)) continue;
    const server = createServer();
    const free = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (free) return server;
  }
  throw new Error('no port is free');
}

/** Reserves a port once per run, so that it stays free until its program starts, and while that restarts. */
function takePort(port: number): boolean {
  if (takenHere.has(port)) return false;
  takenHere.add(port);
  const folder = process.env[PORTS_FOLDER_VARIABLE];
  if (!folder) return true;
  try {
    closeSync(openSync(join(folder, String(port)), 'wx'));
    return true;
  } catch {
    return false;
  }
}
