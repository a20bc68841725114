/** What every object of the provider has: an unguessable id in its format, and the second in which it was made. */
import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** The largest multiple of 62 that fits in a byte; larger bytes would make the first characters more likely. */
const UNBIASED_LIMIT = 248;
/** From an alphabet of 62: more than 128 bits. */
const ID_LENGTH = 24;
const SESSION_ID_LENGTH = 58;

type Prefix =
  | `${'pi' | 'ch' | 'py' | 're' | 'du' | 'evt' | 'li' | 'price' | 'prod' | 'pm' | 'txn' | 'req'}_`
  | 'cs_test_';

export function generateStripeId(prefix: Prefix): string {
  const length = prefix === 'cs_test_' ? SESSION_ID_LENGTH : ID_LENGTH;
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < UNBIASED_LIMIT && text.length < length) text += ALPHABET[byte % ALPHABET.length];
    }
  }
  return prefix + text;
}

/** Returns the id of a field that holds an id or, if expanded, the object itself. */
export function toObjectId(reference: string | { readonly id: string } | null): string {
  return typeof reference === 'string' ? reference : (reference?.id ?? '');
}

export function getUnixSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
