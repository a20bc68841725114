/** Reads an investigator's private key from a file; it is never printed. */
import { stat } from 'node:fs/promises';
import { MAX_KEY_BYTES, openKeyText, parseKeyText } from '#desk/keys/key-text.ts';
import { askPassphrase } from '#desk/keys/typed-passphrase.ts';
import type { AgeIdentity } from '#seal/core/age.ts';
import { createUsageFailure } from '../command.ts';
import { readInputFile } from '../terminal/files.ts';
import { getIo } from '../terminal/io.ts';

const GROUP_AND_OTHERS = 0o077;

export const deskKeyOption = ['--key FILE', 'your private key, such as desk.key'] as const;

/** Reads an age identity file: comments, blank lines, one key. Asks for the passphrase if the file has one. */
export async function readDeskKey(path: string | undefined): Promise<AgeIdentity> {
  if (path === undefined) throw createUsageFailure('--key FILE is missing: the file with your private key');
  // The message does not quote the argument, because it is the key itself.
  if (/^AGE-SECRET/i.test(path))
    throw createUsageFailure(
      '--key takes the name of a file, not the key itself. Anyone who saw this command line has the key',
    );
  const bytes = await readInputFile(path, MAX_KEY_BYTES);
  await warnIfReadableByOthers(path);
  const identity = parseKeyText(path, bytes);
  return identity ?? (await openKeyText(path, bytes, await askPassphrase(`Passphrase of ${path}: `)));
}

async function warnIfReadableByOthers(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const stats = await stat(path);
  if (stats.isFile() && (stats.mode & GROUP_AND_OTHERS) !== 0)
    getIo().stderr.write(
      `Warning: other users of this machine can read ${path}; protect it with chmod 600.\n`,
    );
}
