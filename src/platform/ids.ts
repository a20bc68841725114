/** Identifiers: 128 random bits, so that none tells an order, a time or a neighbour. */
import { randomFillSync } from 'node:crypto';

const ID_BYTES = 16;

/** One system call fills many identifiers; a request makes at least one. */
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
