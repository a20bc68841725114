/** Generates identifiers of 128 random bits, which reveal no order, no time and no other identifier. */
import { randomBytes } from 'node:crypto';

const ID_BYTES = 16;

export function generateId(): string {
  return randomBytes(ID_BYTES).toString('base64url');
}
