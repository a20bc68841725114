/** Generates identifiers of 128 random bits, which reveal no order, no time and no other identifier. */
import { randomFillSync } from 'node:crypto';

const ID_BYTES = 16;
/** For many identifiers: asking for random bytes takes longer than making an identifier of them. */
const random = Buffer.alloc(ID_BYTES * 128);
let used = random.length;

export function generateId(): string {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  used += ID_BYTES;
  return random.toString('base64url', used - ID_BYTES, used);
}
