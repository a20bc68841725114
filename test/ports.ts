/** Free ports for programs that a test starts. */
import { createServer, type Server } from 'node:net';

/**
 * Below the range from which systems take ports for outgoing connections, which would come and go meanwhile, and above
 * the last port that `fetch` refuses (10080, https://fetch.spec.whatwg.org/#port-blocking).
 */
const LOWEST = 10_100;
const HIGHEST = 30_000;

export async function findFreePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, openServerOnFreePort));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

async function openServerOnFreePort(): Promise<Server> {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    const server = createServer();
    const free = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (free) return server;
  }
}
