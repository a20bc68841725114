/** An e-mail address as one person writes it in several ways: checked, and brought into one form. */
import { domainToASCII } from 'node:url';

const LONGEST = 254;
/** Narrower than RFC 5322: nothing that a mail server could read as a list, a name or a comment. */
const LOCAL_PART = /^[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]{1,64}$/u;
const DOMAIN = /^(?:[a-z0-9-]{1,63}\.)*[a-z0-9-]{1,63}$/;

/** Null if it cannot be an address. */
export function normalizeEmailAddress(text: string): string | null {
  const [local = '', domain = '', ...rest] = text.trim().normalize('NFKC').toLowerCase().split('@');
  const host = domainToASCII(domain);
  const address = `${local}@${host}`;
  const valid = rest.length === 0 && LOCAL_PART.test(local) && DOMAIN.test(host) && address.length <= LONGEST;
  return valid ? address : null;
}
