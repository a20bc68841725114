/** Padding, so that the service learns only the size class of sealed content. */
import { SealError } from './seal-error.ts';

const KIB = 1024;

/** JSON is padded to one of these lengths. */
export const PADDING_SIZE_CLASSES = [4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB] as const;

export function computeSizeClass(length: number): number {
  const sizeClass = PADDING_SIZE_CLASSES.find((size) => length <= size);
  if (sizeClass === undefined) throw new SealError('too_large');
  return sizeClass;
}

/**
 * Files are padded with Padmé, from “Reducing Metadata Leakage from Encrypted Files and Communication with PURBs”
 * (2019): the length keeps about as many leading bits as its exponent has binary digits, so that padding costs at most
 * 12 % and the length reveals little. All short files share the smallest class.
 */
export function computePadmeLength(length: number): number {
  if (length <= PADDING_SIZE_CLASSES[0]) return PADDING_SIZE_CLASSES[0];
  const exponent = Math.floor(Math.log2(length));
  const keptBits = Math.floor(Math.log2(exponent)) + 1;
  const step = 2 ** (exponent - keptBits);
  return Math.ceil(length / step) * step;
}
