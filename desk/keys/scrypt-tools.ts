/** What a passphrase needs of Node: scrypt in a thread of its own, and the cipher around the file key. */
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { SALT_BYTES, type ScryptTools } from '#seal/passphrase.ts';

const KEY_BYTES = 32;
const TAG_BYTES = 16;
const BLOCK_SIZE = 8;
const NONCE = Buffer.alloc(12);
const CIPHER = 'chacha20-poly1305';
const options = { authTagLength: TAG_BYTES };

const runScrypt = promisify<string, Uint8Array, number, object, Buffer>(scrypt);

export const nodeScrypt: ScryptTools = {
  createSalt: () => randomBytes(SALT_BYTES),
  deriveKey: async (passphrase, salt, logN) => {
    const cost = 2 ** logN;
    // The memory that scrypt takes is 128 * N * r bytes, and a little more (RFC 7914 §2).
    const maxmem = 128 * cost * BLOCK_SIZE + 2 ** 20;
    return await runScrypt(passphrase, salt, KEY_BYTES, { cost, blockSize: BLOCK_SIZE, maxmem });
  },
  wrap: (fileKey, key) => {
    const cipher = createCipheriv(CIPHER, key, NONCE, options);
    return Buffer.concat([cipher.update(fileKey), cipher.final(), cipher.getAuthTag()]);
  },
  unwrap: (wrapped, key) => {
    const decipher = createDecipheriv(CIPHER, key, NONCE, options);
    decipher.setAuthTag(wrapped.subarray(-TAG_BYTES));
    try {
      return Buffer.concat([decipher.update(wrapped.subarray(0, -TAG_BYTES)), decipher.final()]);
    } catch {
      return null;
    }
  },
};
