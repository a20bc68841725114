/** Opens a server on every address that a host stands for; `localhost` is 127.0.0.1 and ::1. */
import { createServer, type Server, type Socket } from 'node:net';
import type { Config } from '#platform/config.ts';
import { readErrorCode } from '#platform/error-code.ts';
import { EXIT_CODES, StartError } from '#platform/exit-codes.ts';
import type { App } from './app.ts';
import { trackIdleSockets } from './idle-sockets.ts';

interface Address {
  readonly host: string;
  readonly port: number;
}

/** Every listening socket but the app's own. */
export interface HttpListeners {
  /** Stops accepting; settles once the last connection that came through has ended. */
  readonly close: () => Promise<void>;
}

export async function openHttpListeners(
  app: App,
  plain: Server,
  config: Config['listen'],
): Promise<HttpListeners> {
  const opened: Server[] = [];
  const endIdle = [trackIdleSockets(app.server), trackIdleSockets(plain)];
  const close = async () => {
    const closing = opened.map(closeServer);
    for (const end of endIdle) end();
    await Promise.all(closing);
  };
  const [host, ...others] = listHosts(config.host);
  const listenOnOtherHosts = async (server: Server, port: number) => {
    for (const other of others) {
      const listener = await openForwardingListener(server, { host: other, port });
      if (listener) opened.push(listener);
    }
  };
  try {
    await app.listen({ host, port: config.port }).catch((error: unknown) => {
      throw createListenError(error, { host, port: config.port });
    });
    await listenOnOtherHosts(app.server, config.port);
    if (config.httpPort !== null) {
      await listen(plain, { host, port: config.httpPort });
      opened.push(plain);
      await listenOnOtherHosts(plain, config.httpPort);
    }
    return { close };
  } catch (error) {
    await Promise.all([close(), app.close()]);
    throw error;
  }
}

function listHosts(host: string): readonly [string, ...string[]] {
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
    throw createListenError(error, address);
  });
}

/**
 * A listener at a further address: it hands each connection to the one server, which thereby keeps one
 * certificate, one set of limits and one way to stop. Null where the machine lacks that address.
 */
async function openForwardingListener(server: Server, address: Address): Promise<Server | null> {
  const listener = createServer({ allowHalfOpen: true, noDelay: true }, (socket: Socket) => {
    server.emit('connection', socket);
  });
  try {
    await listen(listener, address);
    return listener;
  } catch (error) {
    const code = readErrorCode((error as Error).cause);
    if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') return null;
    throw error;
  }
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}

function createListenError(error: unknown, { host, port }: Address): StartError {
  const code = readErrorCode(error);
  const reasons: Record<string, string> = {
    EADDRINUSE: 'is taken by another program',
    EACCES: 'may not be used without more rights',
    EADDRNOTAVAIL: 'is not an address of this machine',
    ENOTFOUND: 'is not a known host',
  };
  const reason = reasons[code] ?? `cannot be opened (${code})`;
  return new StartError(`${host} port ${port} ${reason}`, EXIT_CODES.unavailable, error);
}
