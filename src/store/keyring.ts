/** Keys derived from each key of MASTER_KEY, one for each purpose, so that a value made for one is useless for another. */
import { createHmac, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readOrCreateFile } from '#platform/atomic-file.ts';
import { type Config, isMasterKey, MASTER_KEY_EXPECTED } from '#platform/config.ts';
import { EXIT_CODES, StartError } from '#platform/exit-codes.ts';
import { decryptBox, encryptBox } from './secret-box.ts';

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
  | 'mcp state';

export interface KeyringKey {
  /** Computes a keyed fingerprint: equal for equal values, meaningless without the key. */
  tag(purpose: KeyPurpose, value: string): string;
  /** Encrypts a secret for storage; `open` needs the same `context`. */
  seal(purpose: KeyPurpose, secret: string, context: string): Uint8Array;
  open(purpose: KeyPurpose, box: Uint8Array, context: string): string;
}

/** The tags of one value, that of the first key first: the one to write, and all of them to look up. */
export type TagList = readonly [string, ...string[]];

/** Tags and seals with the first key, opens with any: there are two while the master key is changed. */
export interface Keyring extends KeyringKey {
  readonly keys: readonly KeyringKey[];
  tags(purpose: KeyPurpose, value: string): TagList;
}

/** Where the key is if the configuration has none. */
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
  throw new StartError(`${path}: expected ${MASTER_KEY_EXPECTED}`, EXIT_CODES.config);
}

export function generateMasterKey(): string {
  return randomBytes(KEY_BYTES).toString('base64');
}

export function createKeyring(masterKey: string, ...otherMasterKeys: readonly string[]): Keyring {
  const first = createKeyringKey(masterKey);
  const others = otherMasterKeys.map(createKeyringKey);
  const keyring: Keyring = {
    keys: [first, ...others],
    tag: (purpose, value) => first.tag(purpose, value),
    tags: (purpose, value) => [first.tag(purpose, value), ...others.map((key) => key.tag(purpose, value))],
    seal: (purpose, secret, context) => first.seal(purpose, secret, context),
    open: (purpose, box, context) => openWithEachKey(keyring, { purpose, box, context }).secret,
  };
  return keyring;
}

export interface SealedSecret {
  readonly purpose: KeyPurpose;
  readonly box: Uint8Array;
  readonly context: string;
}

/** Also says which key the box was sealed with. Throws what the first key throws if none opens it. */
export function openWithEachKey(
  { keys }: Pick<Keyring, 'keys'>,
  { purpose, box, context }: SealedSecret,
): { readonly secret: string; readonly key: KeyringKey } {
  const failures: unknown[] = [];
  for (const key of keys) {
    try {
      return { secret: key.open(purpose, box, context), key };
    } catch (error) {
      failures.push(error);
    }
  }
  throw failures[0];
}

function createKeyringKey(masterKey: string): KeyringKey {
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
  return {
    tag: (purpose, value) =>
      createHmac('sha256', deriveKey('tag', purpose)).update(value).digest('base64url'),
    seal: (purpose, secret, context) => encryptBox(deriveKey('seal', purpose), Buffer.from(secret), context),
    open: (purpose, box, context) => decryptBox(deriveKey('seal', purpose), box, context).toString('utf8'),
  };
}
