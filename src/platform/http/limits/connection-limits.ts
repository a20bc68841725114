/** Limits what one connection may make the process hold: Node begins all its requests at once and keeps every chunk. */
import { IncomingMessage, type ServerResponse } from 'node:http';
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

/** A request whose body costs no more memory than its length. Emits `chunk` for each piece, read or not. */
export class BoundedRequest extends IncomingMessage {
  #chunks = 0;
  #bytes = 0;
  #isDropped = false;

  /** Called by the parser; with null at the end. */
  override push(piece: Buffer | null): boolean {
    if (piece === null) return super.push(null);
    this.emit('chunk');
    this.#chunks += 1;
    this.#bytes += piece.length;
    if (!this.destroyed && this.#isTooMuch()) {
      stopParser(this.socket);
      this.destroy();
    }
    // The parser continues to the end of the data that the connection has received.
    return !this.destroyed && super.push(piece);
  }

  #isTooMuch(): boolean {
    const { bodyChunks, chunkBytes, droppedBytes } = httpLimits;
    if (this.#isDropped) return this.#chunks > bodyChunks || this.#bytes > droppedBytes;
    return this.#chunks > bodyChunks + this.#bytes / chunkBytes;
  }

  /** Node calls this if the answer is sent before the body is read; its own version would not count the pieces. */
  _dump(): void {
    this.#isDropped = true;
    this.resume();
  }
}

/** Otherwise the data already received would become hundreds of failed requests, or thousands of chunks. */
function stopParser(
  socket: Socket & { parser?: { onIncoming: () => number; pause: () => void } | null },
): void {
  if (!socket.parser) return;
  // Node has no name for 2, “no HTTP follows”.
  socket.parser.onIncoming = () => 2;
  socket.parser.pause();
}
