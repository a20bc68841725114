/** Generates unguessable ids in the provider's format. */
import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** The largest multiple of 62 that fits in a byte; larger bytes would make the first characters more likely. */
const UNBIASED_LIMIT = 248;

const LENGTHS = {
  cs_test_: 58,
  pi_: 24,
  ch_: 24,
  py_: 24,
  re_: 24,
  du_: 24,
  evt_: 24,
  li_: 24,
  price_: 24,
  prod_: 24,
  pm_: 24,
  txn_: 24,
  req_: 24,
} as const;

/** At least 24 characters from an alphabet of 62: more than 128 bits. */
export function generateStripeId(prefix: keyof typeof LENGTHS): string {
  return prefix + generateRandomText(LENGTHS[prefix]);
}

function generateRandomText(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < UNBIASED_LIMIT && text.length < length) text += ALPHABET[byte % ALPHABET.length];
    }
  }
  return text;
}

/** Returns the id of a field that holds an id or, if expanded, the object itself. */
export function toObjectId(reference: string | { readonly id: string } | null): string {
  return typeof reference === 'string' ? reference : (reference?.id ?? '');
}
