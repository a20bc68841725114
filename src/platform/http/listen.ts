/** Opens a server on every address that a host stands for; `localhost` is 127.0.0.1 and ::1. */
import { createServer, type Server, type Socket } from 'node:net';
import type { Config } from '#platform/config.ts';
import { EXIT, StartError } from '#platform/errors.ts';
import type { App } from './server.ts';

interface Address {
  readonly host: string;
  readonly port: number;
}

/** Listens wherever the configuration says; the doors beside the app's own are the caller's to close. */
export async function openDoors(app: App, plain: Server, config: Config['listen']): Promise<Server[]> {
  const [host, ...others] = hostsOf(config.host);
  const address = { host, port: config.port };
  const doors: (Server | null)[] = [];
  try {
    await app.listen(address).catch((error: unknown) => {
      throw listenError(error, address);
    });
    for (const other of others)
      doors.push(await listenBeside(app.server, { host: other, port: config.port }));
    if (config.httpPort !== null) {
      doors.push(plain);
      await listen(plain, { host, port: config.httpPort });
      for (const other of others)
        doors.push(await listenBeside(plain, { host: other, port: config.httpPort }));
    }
  } catch (error) {
    for (const door of doors) door?.close();
    await app.close();
    throw error;
  }
  return doors.filter((door) => door !== null);
}

function hostsOf(host: string): readonly [string, ...string[]] {
  return host === 'localhost' ? ['127.0.0.1', '::1'] : [host];
}

async function listen(server: Server, address: Address): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, () => {
      server.off('error', reject);
      resolve();
    });
  }).catch((error: unknown) => {
    throw listenError(error, address);
  });
}

/**
 * A door at a further address: it hands each connection to the one server, which thereby keeps one
 * certificate, one set of limits and one way to stop. Null where the machine lacks that address.
 */
async function listenBeside(server: Server, address: Address): Promise<Server | null> {
  const door = createServer({ allowHalfOpen: true, noDelay: true }, (socket: Socket) => {
    server.emit('connection', socket);
  });
  try {
    await listen(door, address);
    return door;
  } catch (error) {
    const { code } = (error as Error).cause as NodeJS.ErrnoException;
    if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') return null;
    throw error;
  }
}

/** Stops accepting; settles once the last connection that came through this door has ended. */
export function closed(door: Server): Promise<void> {
  return new Promise((resolve) => {
    door.close(() => resolve());
  });
}

function listenError(error: unknown, { host, port }: Address): StartError {
  const { code } = error as NodeJS.ErrnoException;
  const reasons: Record<string, string> = {
    EADDRINUSE: 'is taken by another program',
    EACCES: 'may not be used without more rights',
    EADDRNOTAVAIL: 'is not an address of this machine',
    ENOTFOUND: 'is not a known host',
  };
  const reason = reasons[code ?? ''] ?? `cannot be opened (${code})`;
  return new StartError(`${host} port ${port} ${reason}`, EXIT.unavailable, error);
}
