/** The uploads of a page while it is open: finished ones are not sent again, and interrupted ones resume. */
import type { UploadedPart } from '#wire/inquiry-requests.ts';
import { PieceUpload, type UploadMeter, type UploadTarget } from './piece-upload.ts';

export interface SealedPart {
  /** The same for the same content at the same place. */
  readonly key: string;
  /** The maximum length: a picture without its hidden data is shorter. */
  readonly expectedBytes: number;
  readonly seal: () => Promise<ReadableStream<Uint8Array>>;
}

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
