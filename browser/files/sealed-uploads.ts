/** The uploads of sealed streams in pieces, a few at a time; each resumes after the last acknowledged piece. */
import { base64urlnopad } from '@scure/base';
import { sendRequestWithRetry } from '#browser/rpc/service-requests.ts';
import { type ByteReader, createByteReader } from '#seal/core/byte-stream.ts';
import type { UploadedPart } from '#wire/inquiry-requests.ts';

/** The size of every piece but the last. */
const PIECE_BYTES = 256 * 1024;
const MAX_IN_FLIGHT = 3;
const ID_BYTES = 16;

export interface UploadTarget {
  /** Followed by the id of the upload and the number of the piece. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface UploadMeter {
  readonly onUploaded: (bytes: number) => void;
  /** Called when there is no connection; the next uploaded piece ends the wait. */
  readonly onWaiting: () => void;
}

/** Keeps the sealed stream and its few unacknowledged pieces: sealing the same file again produces different bytes. */
class PieceUpload {
  readonly #id = base64urlnopad.encode(crypto.getRandomValues(new Uint8Array(ID_BYTES)));
  readonly #reader: ByteReader;
  readonly #unacknowledged = new Map<number, Uint8Array>();
  #nextPiece = 0;
  #size = 0;
  #isUnreadable = false;

  constructor(sealed: ReadableStream<Uint8Array>) {
    this.#reader = createByteReader(sealed);
  }

  /** False if the rest can no longer be read, for example because the file was moved. */
  get canContinue(): boolean {
    return !this.#isUnreadable;
  }

  /** Sends the unacknowledged pieces; may be called again after a failure. */
  async sendPieces(target: UploadTarget, meter: UploadMeter): Promise<UploadedPart> {
    const abort = new AbortController();
    const inFlight = new Set<Promise<void>>();
    const startSending = async (piece: number, bytes: Uint8Array): Promise<void> => {
      const sending = this.#sendPiece(piece, bytes, target, { ...meter, signal: abort.signal }).then(
        () => void inFlight.delete(sending),
      );
      // A failed piece stays in the set, so that the next wait for the set rejects.
      sending.catch(() => undefined);
      inFlight.add(sending);
      if (inFlight.size >= MAX_IN_FLIGHT) await Promise.race(inFlight);
    };
    meter.onUploaded(this.#acknowledgedBytes);
    try {
      for (const [piece, bytes] of this.#unacknowledged) await startSending(piece, bytes);
      for (let next = await this.#readPiece(); next; next = await this.#readPiece())
        await startSending(...next);
      await Promise.all(inFlight);
      return { upload: this.#id, size: this.#size };
    } catch (error) {
      abort.abort(error);
      await Promise.allSettled(inFlight);
      throw error;
    }
  }

  async release(): Promise<void> {
    await this.#reader.release();
  }

  get #acknowledgedBytes(): number {
    return [...this.#unacknowledged.values()].reduce((left, { length }) => left - length, this.#size);
  }

  async #readPiece(): Promise<[number, Uint8Array] | null> {
    try {
      const { length } = await this.#reader.peek(PIECE_BYTES);
      if (length === 0) return null;
      const bytes = await this.#reader.readExactly(length);
      const piece = this.#nextPiece;
      this.#nextPiece += 1;
      this.#size += length;
      this.#unacknowledged.set(piece, bytes);
      return [piece, bytes];
    } catch (error) {
      this.#isUnreadable = true;
      throw error;
    }
  }

  async #sendPiece(
    piece: number,
    body: Uint8Array,
    { path, headers }: UploadTarget,
    { signal, onUploaded, onWaiting }: UploadMeter & { readonly signal: AbortSignal },
  ): Promise<void> {
    await sendRequestWithRetry(`${path}/${this.#id}/${piece}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/octet-stream', ...headers },
      body,
      signal,
      onWaiting,
    });
    this.#unacknowledged.delete(piece);
    onUploaded(body.length);
  }
}

interface SealedPart {
  /** The same for the same content at the same place. */
  readonly key: string;
  /** The maximum length: a picture without its hidden data is shorter. */
  readonly expectedBytes: number;
  readonly seal: () => Promise<ReadableStream<Uint8Array>>;
}

/** The uploads of a page while it is open: finished ones are not sent again, and interrupted ones resume. */
export class SealedUploads {
  readonly #finished = new Map<string, UploadedPart>();
  readonly #cut = new Map<string, PieceUpload>();

  async uploadOnce(
    { key, expectedBytes, seal }: SealedPart,
    target: UploadTarget,
    meter: UploadMeter,
  ): Promise<UploadedPart> {
    const known = this.#finished.get(key);
    const uploaded = known ?? (await this.#continueUpload(key, seal, target, meter));
    this.#finished.set(key, uploaded);
    meter.onUploaded(expectedBytes - (known ? 0 : uploaded.size));
    return uploaded;
  }

  /** Called when the service has deleted the uploads. */
  discardAll(): void {
    this.#finished.clear();
    for (const upload of this.#cut.values()) void upload.release();
    this.#cut.clear();
  }

  async #continueUpload(
    key: string,
    seal: SealedPart['seal'],
    target: UploadTarget,
    meter: UploadMeter,
  ): Promise<UploadedPart> {
    const upload = this.#cut.get(key) ?? new PieceUpload(await seal());
    this.#cut.set(key, upload);
    try {
      const uploaded = await upload.sendPieces(target, meter);
      this.#cut.delete(key);
      return uploaded;
    } catch (error) {
      if (!upload.canContinue) this.#cut.delete(key);
      throw error;
    }
  }
}
