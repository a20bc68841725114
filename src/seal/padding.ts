/** Padding: of a sealed thing's length the service learns only the class it falls into. */
import { SealError } from './seal-error.ts';

const KIB = 1024;

/** What JSON is padded to. */
export const PADDING_SIZE_CLASSES = [4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB] as const;

export function computeSizeClass(length: number): number {
  const found = PADDING_SIZE_CLASSES.find((size) => length <= size);
  if (found === undefined) throw new SealError('too_large');
  return found;
}

/**
 * What a file of this length is padded to: Padmé, from “Reducing Metadata Leakage from Encrypted Files and
 * Communication with PURBs” (2019). Keeps as many leading bits of the length as its exponent has digits,
 * so that a length costs at most 12 % and tells little; the smallest class hides short files in one crowd.
 */
export function computePadmeLength(length: number): number {
  if (length <= PADDING_SIZE_CLASSES[0]) return PADDING_SIZE_CLASSES[0];
  const exponent = Math.floor(Math.log2(length));
  const kept = Math.floor(Math.log2(exponent)) + 1;
  const step = 2 ** (exponent - kept);
  return Math.ceil(length / step) * step;
}
