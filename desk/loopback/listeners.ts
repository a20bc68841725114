/** Listens on the loopback addresses of this machine, both with one port, and nowhere else. */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readErrorCode } from '#platform/error-code.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';

const LOOPBACK = '127.0.0.1';
const LOOPBACK_6 = '::1';
/** Another program may already use the port on the second address. */
const ATTEMPTS = 20;
const SECOND_MS = 1000;

const limits = { maxHeaderSize: 16 * 1024, requestTimeout: 300 * SECOND_MS, headersTimeout: 10 * SECOND_MS };
/** Browsers open only a few connections at a time. */
const MAX_CONNECTIONS = 64;

/** Browsers try both addresses for `*.localhost`: another user's program on a free one would get the secret. */
export async function listenOnLoopback(listener: RequestListener) {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const first = await listen(createLimitedServer(listener), LOOPBACK, 0);
    const { port } = first.address() as AddressInfo;
    try {
      const second = await listen(createLimitedServer(listener), LOOPBACK_6, port);
      return { port, servers: [first, second] };
    } catch (error) {
      const code = readErrorCode(error);
      if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') return { port, servers: [first] };
      first.close();
      if (code !== 'EADDRINUSE') throw error;
    }
  }
  throw new ProgramError('no port is free on both loopback addresses', EXIT_CODES.unavailable);
}

function createLimitedServer(listener: RequestListener): Server {
  // The gate treats a missing Host like a wrong one.
  const server = createServer(
    { ...limits, requireHostHeader: false, keepAliveTimeout: 5 * SECOND_MS },
    listener,
  );
  server.maxConnections = MAX_CONNECTIONS;
  // Without these listeners, Node itself would answer, or switch protocols.
  server.on('checkContinue', listener);
  server.on('checkExpectation', listener);
  server.on('upgrade', (_request, socket) => socket.destroy());
  server.on('connect', (_request, socket) => socket.destroy());
  server.on('clientError', (_error, socket) => {
    if (socket.writable)
      socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    else socket.destroy();
  });
  return server;
}

async function listen(server: Server, host: string, port: number): Promise<Server> {
  await once(server.listen({ host, port, exclusive: true }), 'listening');
  const { address } = server.address() as AddressInfo;
  if (address !== host) {
    server.close();
    throw new ProgramError(
      `the desk was given the address ${address} instead of ${host}, so it was stopped`,
      EXIT_CODES.software,
    );
  }
  return server;
}
