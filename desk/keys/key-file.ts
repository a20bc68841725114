/** Reads an investigator's key from its file each time it is needed, so that a locked desk retains nothing of it. */
import { open } from 'node:fs/promises';
import { createReadError, EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import type { AgeIdentity } from '#seal/core/age.ts';
import { MAX_KEY_BYTES, openKeyText, parseKeyText } from './key-text.ts';

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
