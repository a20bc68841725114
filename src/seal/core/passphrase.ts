/** Files encrypted with a passphrase in age's own format (scrypt), which other age programs can open too. */
import { base64nopad } from '@scure/base';
import { armor, Decrypter, Encrypter, Stanza } from 'age-encryption';
import { encodeUtf8 } from './bytes.ts';
import { SealError } from './seal-error.ts';

const ARMOR_START = '-----BEGIN AGE ENCRYPTED FILE-----';
const VERSION_LINE = 'age-encryption.org/v1\n';
const SALT_LABEL = 'age-encryption.org/v1/scrypt';
export const SALT_BYTES = 16;
const WRAPPED_BYTES = 32;
/** The value that age itself uses: about a second and 256 MB. */
const LOG_N = 18;
/** Without a limit, opening a file could take hours. */
const MAX_LOG_N = 20;
/** How a file encrypted with a passphrase begins. */
export const PASSPHRASE_STANZA = `${VERSION_LINE}-> scrypt `;

/** Functions of the platform: in plain JavaScript, scrypt would block everything for several seconds. */
export interface ScryptTools {
  readonly createSalt: () => Uint8Array;
  readonly deriveKey: (passphrase: string, salt: Uint8Array, logN: number) => Promise<Uint8Array>;
  /** ChaCha20-Poly1305 with an all-zero nonce, which is safe because each key wraps only one file key. */
  readonly wrap: (fileKey: Uint8Array, key: Uint8Array) => Uint8Array;
  /** Null if the key is wrong. */
  readonly unwrap: (wrapped: Uint8Array, key: Uint8Array) => Uint8Array | null;
}

/** Armored, so that a key file is text. */
export async function sealWithPassphrase(
  plain: Uint8Array,
  passphrase: string,
  { createSalt, deriveKey, wrap }: ScryptTools,
): Promise<string> {
  const encrypter = new Encrypter();
  encrypter.addRecipient({
    wrapFileKey: async (fileKey) => {
      const salt = createSalt();
      const key = await deriveKey(passphrase, buildSalt(salt), LOG_N);
      return [new Stanza(['scrypt', base64nopad.encode(salt), String(LOG_N)], wrap(fileKey, key))];
    },
  });
  return armor.encode(await encrypter.encrypt(plain));
}

/** Null for a wrong passphrase; throws if the file is damaged or demands too much work. */
export async function openWithPassphrase(
  sealed: Uint8Array,
  passphrase: string,
  { deriveKey, unwrap }: ScryptTools,
): Promise<Uint8Array | null> {
  const decrypter = new Decrypter();
  decrypter.addIdentity({
    unwrapFileKey: async (stanzas: Stanza[]) => {
      const { salt, logN, body } = parseScryptStanza(stanzas);
      return unwrap(body, await deriveKey(passphrase, buildSalt(salt), logN));
    },
  });
  try {
    return await decrypter.decrypt(removeArmor(sealed));
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('no identity matched')) return null;
    throw new SealError('tampered', undefined, error);
  }
}

/** C2SP age.md, "scrypt recipient stanza": must be the only one, so that the passphrase also authenticates the file. */
function parseScryptStanza(stanzas: readonly Stanza[]) {
  const [stanza, ...others] = stanzas;
  const [kind, saltText = '', work = ''] = stanza?.args ?? [];
  if (!stanza || others.length > 0 || kind !== 'scrypt' || stanza.args.length !== 3)
    throw new SealError('tampered');
  const salt = base64nopad.decode(saltText);
  if (salt.length !== SALT_BYTES || !/^[1-9][0-9]?$/.test(work) || Number(work) > MAX_LOG_N)
    throw new SealError('tampered');
  // A longer body could be crafted to open with several passphrases.
  if (stanza.body.length !== WRAPPED_BYTES) throw new SealError('tampered');
  return { salt, logN: Number(work), body: stanza.body };
}

function buildSalt(salt: Uint8Array): Uint8Array {
  return Uint8Array.from([...encodeUtf8(SALT_LABEL), ...salt]);
}

/** Recognizes both forms, armored and binary. */
export function isSealedFile(bytes: Uint8Array): boolean {
  const start = decodeStart(bytes);
  return start.startsWith(ARMOR_START) || start.startsWith(VERSION_LINE);
}

/** Also false for a file that is sealed to keys. */
export function isSealedWithPassphrase(bytes: Uint8Array): boolean {
  try {
    return decodeStart(removeArmor(bytes)).startsWith(PASSPHRASE_STANZA);
  } catch {
    return false;
  }
}

function removeArmor(bytes: Uint8Array): Uint8Array {
  const text = new TextDecoder('latin1').decode(bytes);
  return text.trimStart().startsWith(ARMOR_START) ? armor.decode(text) : bytes;
}

function decodeStart(bytes: Uint8Array): string {
  return new TextDecoder('latin1').decode(bytes.subarray(0, 100)).trimStart();
}
