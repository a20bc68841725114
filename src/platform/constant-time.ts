/** Compares a secret with what somebody shows: the time it takes tells nothing but the length. */
import { timingSafeEqual } from 'node:crypto';

export function isEqualInConstantTime(shown: string, secret: string): boolean {
  const [given, wanted] = [Buffer.from(shown), Buffer.from(secret)];
  return given.byteLength === wanted.byteLength && timingSafeEqual(given, wanted);
}
