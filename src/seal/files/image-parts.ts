/** Counts the parts of an image: millions of tiny ones would keep a processor busy for a minute. */
import { SealError } from '../core/seal-error.ts';

/** Real images have a few hundred, and more only if they are large. */
const FREE_PARTS = 1_000;
const BYTES_PER_PART = 1_024;

export type PartCounter = (bytes: number) => void;

/** The counter throws `image_damaged` if there are too many parts. */
export function createPartCounter(): PartCounter {
  let allowed = FREE_PARTS;
  return (bytes) => {
    allowed += bytes / BYTES_PER_PART - 1;
    if (allowed < 0) throw new SealError('image_damaged');
  };
}
