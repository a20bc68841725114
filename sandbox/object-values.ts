/** Values that every object of the provider has: an unguessable id in its format, and its creation time in seconds. */
import { randomBytes } from 'node:crypto';

/** More than 128 bits. */
const ID_LENGTH = 24;
const SESSION_ID_LENGTH = 58;

type Prefix =
  | `${'pi' | 'ch' | 'py' | 're' | 'du' | 'evt' | 'li' | 'price' | 'prod' | 'pm' | 'txn' | 'req'}_`
  | 'cs_test_';

export function generateStripeId(prefix: Prefix): string {
  const length = prefix === 'cs_test_' ? SESSION_ID_LENGTH : ID_LENGTH;
  // 64 bytes are 86 characters, almost all of them letters and digits.
  return prefix + randomBytes(64).toString('base64').replaceAll(/\W/g, '').slice(0, length);
}

/** Returns the id of a field that holds an id or, if expanded, the object itself. */
export function toObjectId(reference: string | { readonly id: string } | null): string {
  return typeof reference === 'string' ? reference : (reference?.id ?? '');
}

export function getUnixSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
