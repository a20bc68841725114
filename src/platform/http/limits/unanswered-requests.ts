/** Bounds how many requests of one connection wait for their answers: all that one write brings are begun at once. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { httpLimits } from './limits.ts';

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** By connection, whichever handler its requests come to. */
const counts = new WeakMap<Socket, number>();

/** A connection with more is destroyed, and the rest of what it has sent is not worked on: browsers send one by one. */
export function boundUnanswered(handle: RequestHandler): RequestHandler {
  return (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    const count = (counts.get(socket) ?? 0) + 1;
    if (count > httpLimits.unanswered) {
      stopParser(socket);
      socket.destroy();
      return;
    }
    counts.set(socket, count);
    response.once('close', () => counts.set(socket, counts.get(socket)! - 1));
    handle(request, response);
  };
}

/** Else the rest of what the connection has brought would become hundreds of failed requests, or thousands of chunks. */
export function stopParser(
  socket: Socket & { parser?: { onIncoming: () => number; pause: () => void } | null },
): void {
  if (!socket.parser) return;
  // Node has no name for 2, “no HTTP follows”.
  socket.parser.onIncoming = () => 2;
  socket.parser.pause();
}
