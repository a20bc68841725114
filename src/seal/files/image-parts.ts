/** The parts of an image: how many there may be, and the orientation, the only Exif data that is kept. */
import { encodeUtf8, joinBytes } from '../core/bytes.ts';
import { SealError } from '../core/seal-error.ts';

/** Real images have a few hundred, and more only if they are large. */
const FREE_PARTS = 1_000;
const BYTES_PER_PART = 1_024;

export type PartCounter = (bytes: number) => void;

/** The counter throws `image_damaged`: millions of tiny parts would keep a processor busy for a minute. */
export function createPartCounter(): PartCounter {
  let allowed = FREE_PARTS;
  return (bytes) => {
    allowed += bytes / BYTES_PER_PART - 1;
    if (allowed < 0) throw new SealError('image_damaged');
  };
}

/** Without their orientation, portrait photos would be shown sideways. */
export const UPRIGHT = 1;
const ORIENTATION_TAG = 0x0112;

/** TIFF 6.0 §2: byte order, 42, offset of the first directory; entries of 12 bytes. */
export function findOrientation(tiff: Uint8Array): number | null {
  try {
    const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength);
    const littleEndian = view.getUint16(0) === 0x4949;
    const directory = view.getUint32(4, littleEndian);
    for (let index = 0; index < view.getUint16(directory, littleEndian); index += 1) {
      const entry = directory + 2 + index * 12;
      if (view.getUint16(entry, littleEndian) !== ORIENTATION_TAG) continue;
      const value = view.getUint16(entry + 8, littleEndian);
      return value >= 1 && value <= 8 ? value : null;
    }
  } catch {
    // An offset points outside the data, so the image is shown without rotation.
  }
  return null;
}

/** A TIFF directory with only the orientation. */
export function encodeOrientation(orientation: number): Uint8Array {
  const entry = [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0];
  return joinBytes(encodeUtf8('MM\0*\0\0\0\x08'), Uint8Array.of(0, 1, ...entry, 0, 0, 0, 0));
}
