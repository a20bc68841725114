/** Tracks connections without any request yet; Node counts them as busy and would wait for them when it closes. */
import type { IncomingMessage } from 'node:http';
import type { Server, Socket } from 'node:net';

/** Returns a function that closes all such connections. */
export function trackIdleSockets(server: Server): () => void {
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
