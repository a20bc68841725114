/** Reads an investigator's private key from a file; it is never printed. */
import { stat } from 'node:fs/promises';
import { MAX_KEY_BYTES, openKeyText, parseKeyText } from '#desk-program/keys/key-text.ts';
import { askPassphrase } from '#desk-program/keys/typed-passphrase.ts';
import { hasPrivateKey, isKeyFile } from '#desk-program/office/key-slip.ts';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import type { AgeIdentity } from '#seal/age.ts';
import { createUsageFailure } from './command.ts';
import { CommandFailure } from './failure.ts';
import { readInputFile } from './input-file.ts';
import { getIo } from './io.ts';

const GROUP_AND_OTHERS = 0o077;

export const deskKeyOption = { key: { type: 'string' } } as const;
export const deskKeyHelp = ['--key FILE', 'your private key, such as desk.key'] as const;

/** Reads an age identity file: comments, blank lines, one key; asks for the passphrase if it has one. */
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

/** A mistyped path must not send the key that opens every case, with a passphrase or without. */
export function refusePrivateKeyFile(path: string, head: Uint8Array, size: number): void {
  if (isKeyFile(head, size)) throw createKeySlip(path);
}

export function refusePrivateKeyText(name: string, text: string): void {
  if (hasPrivateKey(text)) throw createKeySlip(name);
}

function createKeySlip(name: string): CommandFailure {
  return new CommandFailure(
    `${name}: contains a private key, or something under a passphrase that may be one, so it is not sent`,
    EXIT_CODES.failure,
  );
}

async function warnIfReadableByOthers(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const stats = await stat(path);
  if (stats.isFile() && (stats.mode & GROUP_AND_OTHERS) !== 0)
    getIo().stderr.write(
      `Warning: other users of this machine can read ${path}; protect it with chmod 600.\n`,
    );
}
