/** Knows the connections on which no request has begun; Node counts them as busy and would wait for them to stop. */
import type { IncomingMessage } from 'node:http';
import type { Server, Socket } from 'node:net';

/** The function ends every such connection. */
export function trackIdleSockets(server: Server): () => void {
  // By the peer's port: inside TLS a request belongs to another socket object than its connection.
  const waiting = new Map<string, Socket>();
  server.on('connection', (socket: Socket) => {
    const peer = toPeerKey(socket);
    waiting.set(peer, socket);
    socket.once('close', () => waiting.delete(peer));
  });
  server.on('request', ({ socket }: IncomingMessage) => waiting.delete(toPeerKey(socket)));
  return () => {
    for (const socket of waiting.values()) socket.destroy();
  };
}

function toPeerKey({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
