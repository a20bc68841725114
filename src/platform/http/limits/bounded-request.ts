/** A request whose body costs no more memory than its length: Node keeps every chunk separately, however small. */
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
