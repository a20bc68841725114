/** Reads an investigator's private key from a file; it is never printed. */
import { stat } from 'node:fs/promises';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { type AgeIdentity, isAgeIdentity } from '#seal/age.ts';
import { createUsageFailure } from './command.ts';
import { CommandFailure } from './failure.ts';
import { readInputFile } from './input-file.ts';

const MAX_BYTES = 64 * 1024;
const GROUP_AND_OTHERS = 0o077;

export const deskKeyOption = { key: { type: 'string' } } as const;
export const deskKeyHelp = ['--key FILE', 'your private key, such as desk.key'] as const;

/** Reads an age identity file: comments, blank lines, one key. */
export async function readDeskKey(path: string | undefined): Promise<AgeIdentity> {
  if (path === undefined) throw createUsageFailure('--key FILE is missing: the file with your private key');
  // The message does not quote the argument, because it is the key itself.
  if (/^AGE-SECRET/i.test(path))
    throw createUsageFailure(
      '--key takes the name of a file, not the key itself. Anyone who saw this command line has the key',
    );
  const text = (await readInputFile(path, MAX_BYTES)).toString('latin1');
  await warnIfReadableByOthers(path);
  const keys = text.split(/\r?\n/).filter((line) => line.trim() !== '' && !line.startsWith('#'));
  const [key = ''] = keys;
  if (keys.length === 1 && isAgeIdentity(key.trim())) return key.trim();
  throw new CommandFailure(`${path}: ${formatKeyFault(keys)}`, EXIT_CODES.noPermission);
}

/** A mistyped path must not send the key that opens every case. */
export function refusePrivateKey(path: string, start: Uint8Array): void {
  if (Buffer.from(start).includes('AGE-SECRET-KEY-'))
    throw new CommandFailure(`${path}: contains a private key, so it is not sent`, EXIT_CODES.failure);
}

function formatKeyFault(keys: readonly string[]): string {
  const [first = ''] = keys;
  if (/^(age-encryption\.org|-----BEGIN AGE)/.test(first))
    return 'encrypted with a passphrase; decrypt it with age first';
  if (keys.some((key) => key.startsWith('AGE-SECRET-KEY-1')))
    return 'a classical age key; cases open only with post-quantum keys (AGE-SECRET-KEY-PQ-1…)';
  if (first.startsWith('age1')) return 'a public key; a case is opened with the private key';
  if (keys.length > 1 && keys.every((key) => isAgeIdentity(key.trim()))) return 'several keys; give one';
  return first.startsWith('AGE-SECRET-KEY-PQ-1')
    ? 'a damaged private key; copy it again'
    : 'not a private key';
}

async function warnIfReadableByOthers(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const stats = await stat(path);
  if (stats.isFile() && (stats.mode & GROUP_AND_OTHERS) !== 0)
    process.stderr.write(
      `Warning: other users of this machine can read ${path}; protect it with chmod 600.\n`,
    );
}
