/** Generates identifiers of 128 random bits, which reveal no order, no time and no other identifier. */
import { randomFillSync } from 'node:crypto';

const ID_BYTES = 16;

/** Random bytes for many uses are fetched with one system call, since every request needs some. */
const pool = Buffer.alloc(ID_BYTES * 256);
let used = pool.byteLength;

export function generateId(): string {
  const at = reserveBytes(ID_BYTES);
  return pool.toString('base64url', at, at + ID_BYTES);
}

/** For a few bytes that are no secret, such as a nonce: the pool keeps what it gave out until it is filled again. */
export function takeRandomBytes(count: number): Buffer {
  const at = reserveBytes(count);
  return Buffer.from(pool.subarray(at, at + count));
}

/** Returns where in the pool bytes begin that were never given out. */
function reserveBytes(count: number): number {
  if (used + count > pool.byteLength) {
    randomFillSync(pool);
    used = 0;
  }
  used += count;
  return used - count;
}
