/** Compares a presented text with a secret: the time it takes reveals nothing but the length. */
import { timingSafeEqual } from 'node:crypto';

export function isEqualInConstantTime(presented: string, secret: string): boolean {
  const [actual, expected] = [Buffer.from(presented), Buffer.from(secret)];
  return actual.byteLength === expected.byteLength && timingSafeEqual(actual, expected);
}
