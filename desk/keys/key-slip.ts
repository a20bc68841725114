/** Finds the investigator's own key in text or a file about to be sent, even if it is encrypted with a passphrase. */
import { MAX_KEY_BYTES } from '#desk/keys/key-text.ts';
import { PASSPHRASE_STANZA } from '#seal/core/passphrase.ts';
import { OfficeFault } from '../office/office-fault.ts';

const PLAIN_KEY = 'AGE-SECRET-KEY-';
/** The stanza in base64 armor. Thirty bytes are whole groups of three, so what follows does not change it. */
const ARMORED_STANZA = Buffer.from(PASSPHRASE_STANZA.slice(0, 30)).toString('base64');

/** Ignores white space and `>`, because mail programs and Markdown wrap and quote lines. */
function hasPrivateKey(text: string): boolean {
  return text.includes(PLAIN_KEY) || text.replace(/[\s>]+/g, '').includes(ARMORED_STANZA);
}

/** `head` is the whole file if it is short enough for a key; a longer file is searched only for a plain key. */
function isKeyFile(head: Uint8Array, size: number): boolean {
  const text = Buffer.from(head).toString('latin1');
  if (size > MAX_KEY_BYTES) return text.includes(PLAIN_KEY);
  return hasPrivateKey(text) || text.startsWith(PASSPHRASE_STANZA);
}

/** Prevents pasted text from sending the key that opens every case. */
export function refusePrivateKeys(text: string): void {
  if (!hasPrivateKey(text)) return;
  throw new OfficeFault(
    'invalid',
    'This contains a private key, or passphrase-protected data that may be one, so it was not sent.',
  );
}

export function refuseKeyFile(head: Uint8Array, { name, size }: { name: string; size: number }): void {
  if (!isKeyFile(head, size)) return;
  throw new OfficeFault(
    'invalid',
    `${name} contains a private key, or passphrase-protected data that may be one, so nothing was sent.`,
  );
}
