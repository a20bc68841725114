/** Puts a private key under a passphrase, in age's own format. */
import { realpath, stat } from 'node:fs/promises';
import { MAX_KEY_BYTES, protectKeyText, requirePlainKey } from '#desk-program/keys/key-text.ts';
import { askPassphrase } from '#desk-program/keys/typed-passphrase.ts';
import { writeWholeFile } from '#platform/atomic-file.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { createCommand, requireOperand } from './command.ts';
import { readInputFile } from './input-file.ts';
import { getIo } from './io.ts';

/** Whoever copies the file can guess for as long as they like. */
const MIN_LENGTH = 12;

export const protectKeyCommand = createCommand({
  usage: 'keys protect FILE',
  about: `Put a private key under a passphrase, which is asked for whenever the key is used.
The file is replaced by one in the format of age (age -d opens it, too). Without the passphrase nobody opens it, you included.`,
  options: {},
  operands: 1,
  work: async (_options, [file]) => {
    const path = requireOperand(file, 'FILE');
    const bytes = await readInputFile(path, MAX_KEY_BYTES);
    if (!(await stat(path)).isFile())
      throw new ProgramError(`${path}: not a file, so it cannot be replaced`, EXIT_CODES.noInput);
    // Before anybody thinks of a passphrase for a file that cannot have one.
    requirePlainKey(path, bytes);
    const text = await protectKeyText(path, bytes, await askTwice(path));
    // Through a link, so that no plain key stays at its end.
    await writeWholeFile(await realpath(path), text);
    return {
      text: `${path} has a passphrase now. Copies that you made before have none; the disk may keep traces of the old file.\n`,
      json: { file: path, protected: true },
    };
  },
});

async function askTwice(path: string): Promise<string> {
  getIo().stderr.write(
    `At least ${MIN_LENGTH} characters. Five or six words that do not belong together are easy to type and hard to guess.\n`,
  );
  const passphrase = await askPassphrase(`New passphrase for ${path}: `);
  if (passphrase.length < MIN_LENGTH)
    throw new ProgramError(
      `The passphrase has fewer than ${MIN_LENGTH} characters; nothing was changed`,
      EXIT_CODES.failure,
    );
  if ((await askPassphrase('Once more: ')) !== passphrase)
    throw new ProgramError('The two differ; nothing was changed', EXIT_CODES.failure);
  return passphrase;
}
