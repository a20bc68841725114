/** Limits how many requests of one connection may be unanswered: Node begins all that arrive together at once. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { httpLimits } from './limits.ts';

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Keyed by connection, whichever handler serves its requests. */
const counts = new WeakMap<Socket, number>();

/** A connection with more is destroyed, and the rest of its requests is dropped: browsers send one by one. */
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

/** Otherwise the data already received would become hundreds of failed requests, or thousands of chunks. */
export function stopParser(
  socket: Socket & { parser?: { onIncoming: () => number; pause: () => void } | null },
): void {
  if (!socket.parser) return;
  // Node has no name for 2, “no HTTP follows”.
  socket.parser.onIncoming = () => 2;
  socket.parser.pause();
}
