/** Keys derived from MASTER_KEY, one for each purpose, so that a value made for one is useless for another. */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { join } from 'node:path';
import { readOrCreateFile } from '#platform/atomic-file.ts';
import { type Config, isMasterKey, MASTER_KEY_EXPECTED } from '#platform/config/config.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';

const KEY_BYTES = 32;

/** The name is part of the key derivation and must never change. */
export type KeyPurpose =
  | 'keyring check'
  | 'order session'
  | 'order owner'
  | 'case owner'
  | 'provider event'
  | 'form cookie'
  | 'form token'
  | 'draft key'
  | 'upload holder'
  | 'notice address'
  | 'callback'
  | 'callback client'
  | 'callback event'
  | 'way back'
  | 'backup'
  | 'idempotency'
  | 'signing key'
  | 'sign-in'
  | 'sign-in code'
  | 'sign-in cookie'
  | 'permissions pass'
  | 'registration contact'
  | 'registration offer'
  | 'user address'
  | 'user words'
  | 'words user'
  | 'case words'
  | 'submission key'
  | 'mcp state';

/** Cached, because every request of a client or a person needs the same ones again. */
const KEPT_TAGS: readonly KeyPurpose[] = ['order owner', 'case owner', 'callback'];
const MAX_KEPT_TAGS = 2_000;

export interface Keyring {
  /** Computes a keyed fingerprint: equal for equal values, meaningless without the key. */
  tag(purpose: KeyPurpose, value: string): string;
  /** Encrypts a secret for storage; `open` needs the same `context`. */
  seal(purpose: KeyPurpose, secret: string, context: string): Uint8Array;
  open(purpose: KeyPurpose, ciphertext: Uint8Array, context: string): string;
}

/** The path of the key if the configuration has none. */
export function toMasterKeyPath(dataDir: string): string {
  return join(dataDir, 'keys', 'master.key');
}

export async function loadKeyring(config: Pick<Config, 'dataDir' | 'store'>): Promise<Keyring> {
  return createKeyring(
    config.store.masterKey ?? (await loadOrCreateMasterKey(toMasterKeyPath(config.dataDir))),
  );
}

async function loadOrCreateMasterKey(path: string): Promise<string> {
  const key = (await readOrCreateFile(path, () => `${generateMasterKey()}\n`)).trim();
  if (isMasterKey(key)) return key;
  throw new ProgramError(`${path}: expected ${MASTER_KEY_EXPECTED}`, EXIT_CODES.config);
}

export function generateMasterKey(): string {
  return randomBytes(KEY_BYTES).toString('base64');
}

export function createKeyring(masterKey: string): Keyring {
  const master = createSecretKey(masterKey, 'base64');
  const keys = { tag: new Map<KeyPurpose, KeyObject>(), seal: new Map<KeyPurpose, KeyObject>() } as const;
  const deriveKey = (use: 'tag' | 'seal', purpose: KeyPurpose): KeyObject => {
    const known = keys[use].get(purpose);
    if (known) return known;
    const info = `inquiry-office/${use}/${purpose}`;
    const key = createSecretKey(Buffer.from(hkdfSync('sha256', master, '', info, KEY_BYTES)));
    keys[use].set(purpose, key);
    return key;
  };
  const computeTag = (purpose: KeyPurpose, value: string) =>
    createHmac('sha256', deriveKey('tag', purpose)).update(value).digest('base64url');
  const kept = new Map<string, string>();
  return {
    tag: (purpose, value) => {
      if (!KEPT_TAGS.includes(purpose)) return computeTag(purpose, value);
      const name = `${purpose}\n${value}`;
      const tag = kept.get(name) ?? computeTag(purpose, value);
      if (kept.size >= MAX_KEPT_TAGS) kept.clear();
      kept.set(name, tag);
      return tag;
    },
    seal: (purpose, secret, context) =>
      encryptValue(deriveKey('seal', purpose), Buffer.from(secret), context),
    open: (purpose, ciphertext, context) =>
      decryptValue(deriveKey('seal', purpose), ciphertext, context).toString('utf8'),
  };
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';

/** Bound to a context that decryption must repeat. A `KeyObject` is quicker than bytes. */
export function encryptValue(key: KeyObject, secret: Uint8Array, context: string): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(context));
  return Buffer.concat([nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
}

export function decryptValue(key: KeyObject, ciphertext: Uint8Array, context: string): Buffer {
  const nonce = ciphertext.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(context))
    .setAuthTag(ciphertext.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(ciphertext.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
}
