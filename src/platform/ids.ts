/** Generates identifiers of 128 random bits, which reveal no order, no time and no other identifier. */
import { randomFillSync } from 'node:crypto';

const ID_BYTES = 16;

/** Random bytes for many identifiers are fetched with one system call, since every request needs at least one. */
const pool = Buffer.alloc(ID_BYTES * 256);
let used = pool.byteLength;

export function generateId(): string {
  if (used === pool.byteLength) {
    randomFillSync(pool);
    used = 0;
  }
  used += ID_BYTES;
  return pool.toString('base64url', used - ID_BYTES, used);
}
