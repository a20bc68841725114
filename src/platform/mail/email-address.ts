/** Validates an e-mail address and converts it to one normal form. */
import { domainToASCII } from 'node:url';

/** In octets (RFC 5321 §4.5.3.1.3), without the brackets. */
const MAX_LENGTH = 254;
/** Stricter than RFC 5322: allows nothing that a mail server could read as a list, a name or a comment. */
const LOCAL_PART = /^[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]{1,64}$/u;
const DOMAIN = /^(?:[a-z0-9-]{1,63}\.)*[a-z0-9-]{1,63}$/;

/** Checked first, because `domainToASCII` silently drops line breaks and tabs. */
const SPACE = /[\s\p{Cc}]/u;

export function normalizeEmailAddress(text: string): string | null {
  const typed = text.trim();
  // Checked before normalizing, which takes time quadratic in the length.
  if (typed.length > MAX_LENGTH || SPACE.test(typed)) return null;
  const [local = '', domain = '', ...rest] = typed.normalize('NFKC').toLowerCase().split('@');
  const host = domainToASCII(domain);
  const address = `${local}@${host}`;
  const valid =
    rest.length === 0 &&
    LOCAL_PART.test(local) &&
    DOMAIN.test(host) &&
    Buffer.byteLength(address) <= MAX_LENGTH;
  return valid ? address : null;
}
