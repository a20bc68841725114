/** A request whose body costs no more than its length: Node keeps each chunk on its own, however small it is. */
import { IncomingMessage } from 'node:http';
import { httpLimits } from './limits.ts';
import { stopParser } from './unanswered-requests.ts';

/** Emits `chunk` for each piece of its body, read or not. */
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
    // The parser goes on to the end of what the connection has brought.
    return !this.destroyed && super.push(piece);
  }

  #isTooMuch(): boolean {
    const { bodyChunks, chunkBytes, droppedBytes } = httpLimits;
    if (this.#isDropped) return this.#chunks > bodyChunks || this.#bytes > droppedBytes;
    return this.#chunks > bodyChunks + this.#bytes / chunkBytes;
  }

  /** Called by Node if the answer is sent and no one has read the body; its own would let the pieces pass unseen. */
  _dump(): void {
    this.#isDropped = true;
    this.resume();
  }
}
