/** The content of a key file: an age identity, or one under a passphrase. It is never printed. */
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { createReadError, EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { type AgeIdentity, isAgeIdentity } from '#seal/core/age.ts';
import {
  isSealedFile,
  isSealedWithPassphrase,
  openWithPassphrase,
  SALT_BYTES,
  type ScryptTools,
  sealWithPassphrase,
} from '#seal/core/passphrase.ts';

const KEY_BYTES = 32;
const TAG_BYTES = 16;
const BLOCK_SIZE = 8;
const NONCE = Buffer.alloc(12);
const CIPHER = 'chacha20-poly1305';
const cipherOptions = { authTagLength: TAG_BYTES };

const runScrypt = promisify<string, Uint8Array, number, object, Buffer>(scrypt);

/** What a passphrase needs from Node: scrypt outside the main thread, and the cipher around the file key. */
const nodeScrypt: ScryptTools = {
  createSalt: () => randomBytes(SALT_BYTES),
  deriveKey: async (passphrase, salt, logN) => {
    const cost = 2 ** logN;
    // scrypt needs 128 * N * r bytes of memory and a little more (RFC 7914 §2).
    const maxmem = 128 * cost * BLOCK_SIZE + 2 ** 20;
    return await runScrypt(passphrase, salt, KEY_BYTES, { cost, blockSize: BLOCK_SIZE, maxmem });
  },
  wrap: (fileKey, key) => {
    const cipher = createCipheriv(CIPHER, key, NONCE, cipherOptions);
    return Buffer.concat([cipher.update(fileKey), cipher.final(), cipher.getAuthTag()]);
  },
  unwrap: (wrapped, key) => {
    const decipher = createDecipheriv(CIPHER, key, NONCE, cipherOptions);
    decipher.setAuthTag(wrapped.subarray(-TAG_BYTES));
    try {
      return Buffer.concat([decipher.update(wrapped.subarray(0, -TAG_BYTES)), decipher.final()]);
    } catch {
      return null;
    }
  },
};

export const MAX_KEY_BYTES = 64 * 1024;

export const WRONG_PASSPHRASE =
  'This passphrase does not open the key. Check the keyboard’s language and Caps Lock.';

/** Null if a passphrase is needed first. */
export function parseKeyText(path: string, bytes: Uint8Array): AgeIdentity | null {
  if (isSealedFile(bytes)) {
    if (isSealedWithPassphrase(bytes)) return null;
    throw new ProgramError(
      `${path}: sealed to another key; decrypt it with age first`,
      EXIT_CODES.noPermission,
    );
  }
  const keys = Buffer.from(bytes)
    .toString('latin1')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));
  const [key = ''] = keys;
  if (keys.length === 1 && isAgeIdentity(key.trim())) return key.trim();
  throw new ProgramError(`${path}: ${formatKeyFault(keys)}`, EXIT_CODES.noPermission);
}

/** Also throws for a wrong passphrase. */
export async function openKeyText(path: string, bytes: Uint8Array, passphrase: string): Promise<AgeIdentity> {
  const plain = await openWithPassphrase(bytes, passphrase, nodeScrypt).catch((error: unknown) => {
    throw new ProgramError(`${path}: damaged; restore your own copy`, EXIT_CODES.dataError, error);
  });
  if (plain === null) throw new ProgramError(WRONG_PASSPHRASE, EXIT_CODES.noPermission);
  const identity = parseKeyText(path, plain);
  if (identity === null)
    throw new ProgramError(
      `${path}: protected by two passphrases; decrypt it once with age first`,
      EXIT_CODES.noPermission,
    );
  return identity;
}

export function requirePlainKey(path: string, bytes: Uint8Array): AgeIdentity {
  const identity = parseKeyText(path, bytes);
  if (identity !== null) return identity;
  throw new ProgramError(`${path}: already has a passphrase; to change it, first decrypt the file with age`);
}

/** Returns the new text after checking that it can be opened. */
export async function protectKeyText(path: string, bytes: Uint8Array, passphrase: string): Promise<string> {
  const identity = requirePlainKey(path, bytes);
  const text = await sealWithPassphrase(bytes, passphrase, nodeScrypt);
  if ((await openKeyText(path, Buffer.from(text), passphrase)) !== identity)
    throw new ProgramError(
      `${path}: could not be given a passphrase; nothing was changed`,
      EXIT_CODES.software,
    );
  return text;
}

function formatKeyFault(keys: readonly string[]): string {
  const [first = ''] = keys;
  if (keys.some((key) => key.startsWith('AGE-SECRET-KEY-1')))
    return 'a classical age key; cases open only with post-quantum keys (AGE-SECRET-KEY-PQ-1…)';
  if (first.startsWith('age1')) return 'a public key; a case is opened with the private key';
  if (keys.length > 1 && keys.every((key) => isAgeIdentity(key.trim())))
    return 'several keys; only one is allowed';
  return first.startsWith('AGE-SECRET-KEY-PQ-1')
    ? 'a damaged private key; copy it again'
    : 'not a private key';
}

const GROUP_AND_OTHERS = 0o077;

/** Whether the file needs a passphrase; throws if it is not a key. */
export async function hasPassphrase(path: string): Promise<boolean> {
  return parseKeyText(path, await readKeyBytes(path)) === null;
}

/** Ignores the passphrase if the file has none. */
export async function readIdentity(path: string, passphrase: string): Promise<AgeIdentity> {
  const bytes = await readKeyBytes(path);
  return parseKeyText(path, bytes) ?? (await openKeyText(path, bytes, passphrase));
}

async function readKeyBytes(path: string): Promise<Uint8Array> {
  try {
    await using file = await open(path, 'r');
    const { size, mode } = await file.stat();
    if (process.platform !== 'win32' && (mode & GROUP_AND_OTHERS) !== 0)
      throw new ProgramError(
        `${path}: other users of this machine can read it; protect it with chmod 600`,
        EXIT_CODES.noPermission,
      );
    if (size > MAX_KEY_BYTES) throw new ProgramError(`${path}: not a private key`, EXIT_CODES.noPermission);
    return await file.readFile();
  } catch (error) {
    if (error instanceof ProgramError) throw error;
    throw createReadError(path, error);
  }
}
