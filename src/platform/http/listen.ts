/** Listens on every address of a host; `localhost` is 127.0.0.1 and ::1. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import type { Config } from '#platform/config/config.ts';
import { readErrorCode } from '#platform/error-code.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import type { App } from './app-type.ts';

interface Address {
  readonly host: string;
  readonly port: number;
  /** The variable that sets the port. */
  readonly variable: string;
}

/** All listening sockets except the app's own. */
export interface HttpListeners {
  /** Stops accepting connections; settles once the last one has ended. */
  readonly close: () => Promise<void>;
}

export async function openHttpListeners(
  app: App,
  plain: Server,
  config: Config['listen'],
): Promise<HttpListeners> {
  const opened: Server[] = [];
  const close = createCloser(opened, [app.server, plain]);
  const [host, ...others] = listHosts(config.host);
  try {
    const secure = { port: config.port, variable: 'PORT' };
    await app.listen({ host, port: config.port }).catch((error: unknown) => {
      throw createListenError(error, { host, ...secure });
    });
    opened.push(...(await listenOnOthers(app.server, others, secure)));
    if (config.httpPort !== null) {
      const redirecting = { port: config.httpPort, variable: 'HTTP_PORT' };
      await listen(plain, { host, ...redirecting });
      opened.push(plain);
      opened.push(...(await listenOnOthers(plain, others, redirecting)));
    }
    return { close };
  } catch (error) {
    await Promise.all([close(), app.close()]);
    throw error;
  }
}

/** For the management listener, which only programs on this machine may reach. */
export async function openLoopbackListeners(server: Server, port: number): Promise<HttpListeners> {
  const [host, ...others] = listHosts('localhost');
  const opened = [server];
  const close = createCloser(opened, [server]);
  const address = { port, variable: 'METRICS_PORT' };
  await listen(server, { host, ...address });
  try {
    opened.push(...(await listenOnOthers(server, others, address)));
    return { close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Closes whatever is open when it is called. */
function createCloser(opened: readonly Server[], servers: readonly Server[]): () => Promise<void> {
  const idleClosers = servers.map(trackIdleSockets);
  return async () => {
    const closing = opened.map((server) => once(server.close(), 'close'));
    for (const closeIdle of idleClosers) closeIdle();
    await Promise.all(closing);
  };
}

function listHosts(host: string): readonly [string, ...string[]] {
  return host === 'localhost' ? ['127.0.0.1', '::1'] : [host];
}

async function listen(server: Server, address: Address): Promise<void> {
  const { host, port } = address;
  await once(server.listen({ host, port }), 'listening').catch((error: unknown) => {
    throw createListenError(error, address);
  });
}

async function listenOnOthers(
  server: Server,
  hosts: readonly string[],
  address: Omit<Address, 'host'>,
): Promise<Server[]> {
  const listeners = await Array.fromAsync(hosts, (host) =>
    openForwardingListener(server, { host, ...address }),
  );
  return listeners.filter((listener) => listener !== null);
}

/** Passes connections to the one server with the certificate, limits and shutdown. Null if there is no such address. */
async function openForwardingListener(server: Server, address: Address): Promise<Server | null> {
  const listener = createServer({ allowHalfOpen: true, noDelay: true }, (socket: Socket) => {
    server.emit('connection', socket);
  });
  if (server.maxConnections) listener.maxConnections = server.maxConnections;
  try {
    await listen(listener, address);
    return listener;
  } catch (error) {
    const code = readErrorCode((error as Error).cause);
    if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') return null;
    throw error;
  }
}

function createListenError(error: unknown, { host, port, variable }: Address): ProgramError {
  const code = readErrorCode(error);
  const reasons: Record<string, string> = {
    EADDRINUSE: `is in use by another program: stop it, or set another ${variable}`,
    EACCES: 'needs more privileges',
    EADDRNOTAVAIL: 'is not an address of this machine',
    ENOTFOUND: 'is not a known host',
  };
  const reason = reasons[code] ?? `cannot be opened (${code})`;
  return new ProgramError(`${host} port ${port} ${reason}`, EXIT_CODES.unavailable, error);
}

/** Returns a function that closes connections without any request yet: Node counts them as busy and would wait. */
function trackIdleSockets(server: Server): () => void {
  // Keyed by the peer's address and port: with TLS, a request and its connection have different socket objects.
  const idle = new Map<string, Socket>();
  server.on('connection', (socket: Socket) => {
    const peer = toPeerKey(socket);
    idle.set(peer, socket);
    socket.once('close', () => idle.delete(peer));
  });
  server.on('request', ({ socket }: IncomingMessage) => {
    if (idle.size > 0) idle.delete(toPeerKey(socket));
  });
  return () => {
    for (const socket of idle.values()) socket.destroy();
  };
}

function toPeerKey({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
