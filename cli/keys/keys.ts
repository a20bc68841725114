/** Commands that generate the keys of an installation or of an investigator, and protect a key with a passphrase. */
import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { generateDeskKeyFile, loadOrCreateSealingKey } from '#cases/sealing/sealing-keys.ts';
import { MAX_KEY_BYTES, protectKeyText, requirePlainKey } from '#desk/keys/key-text.ts';
import { askPassphrase } from '#desk/keys/typed-passphrase.ts';
import { writeWholeFile } from '#platform/atomic-file.ts';
import { isPersonName, PERSON_NAME_EXPECTED } from '#platform/config/recipients.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { generateMasterKey } from '#store/keys/keyring.ts';
import { type CommandReport, createCommand, createUsageFailure, requireOperand } from '../command.ts';
import { createPrivateFolder, readInputFile, requireFreePath, savePrivateFile } from '../terminal/files.ts';
import { getIo } from '../terminal/io.ts';

/** In characters. A thief with a copy of the file can try passphrases without limit. */
const MIN_PASSPHRASE = 12;

export const protectKeyCommand = createCommand({
  usage: 'keys protect FILE',
  about: `Protect a private key with a passphrase, which is requested whenever the key is used.
The file is replaced by one in the age format (age -d opens it, too). Without the passphrase it cannot be opened, not even by you.`,
  operands: 1,
  work: async (_options, [file]) => {
    const path = requireOperand(file, 'FILE');
    const bytes = await readInputFile(path, MAX_KEY_BYTES);
    if (!(await stat(path)).isFile())
      throw new ProgramError(`${path}: not a file, so it cannot be replaced`, EXIT_CODES.noInput);
    // Checks the file before it asks for a passphrase.
    requirePlainKey(path, bytes);
    const text = await protectKeyText(path, bytes, await askTwice(path));
    // Follows a symbolic link, so that no plain key remains at its target.
    await writeWholeFile(await realpath(path), text);
    return {
      text: `${path} is now protected by a passphrase. Earlier copies are not; the disk may still hold traces of the old file.\n`,
      json: { file: path, protected: true },
    };
  },
});

export const printMasterKeyCommand = createCommand({
  usage: 'keys master',
  about: 'Print a new MASTER_KEY.',
  work: async () => {
    const key = generateMasterKey();
    return { text: `${key}\n`, json: { master_key: key } };
  },
});

export const makeSealingKeysCommand = createCommand({
  usage: 'keys new [--desk NAME] [--out FOLDER]',
  about: `Create the keys of a new installation, or the desk key of one more investigator.
Without --desk: a desk key and a recovery key; prints DESK_RECIPIENTS and RECOVERY_RECIPIENT.
With --desk: one desk key and nothing else; prints the line for DESK_RECIPIENTS_FILE.`,
  options: [
    ['--desk NAME', 'make only a desk key, NAME.key, for this person'],
    ['--out FOLDER', 'where to write the keys (default: keys)'],
  ],
  work: async ({ desk, out = 'keys' }) =>
    desk === undefined ? await makeFirstKeys(out) : await makeDeskKey(desk, out),
});

async function makeFirstKeys(folder: string): Promise<CommandReport> {
  const desk = await loadOrCreateSealingKey('desk', folder);
  const recovery = await loadOrCreateSealingKey('recovery', folder);
  const notes = [
    desk.privateFile &&
      `${desk.privateFile} is the desk key: it opens every case. Give it to the investigator.`,
    recovery.privateFile &&
      `${recovery.privateFile} is the recovery key: it opens every case when a desk key is lost. Keep it offline; it is not for daily work.`,
    'The service needs neither. For one more investigator: keys new --desk NAME.',
  ];
  getIo().stderr.write(`${notes.filter(Boolean).join('\n')}\n\n`);
  return {
    text: `DESK_RECIPIENTS=${desk.recipient}\nRECOVERY_RECIPIENT=${recovery.recipient}\n`,
    json: { desk_recipients: [desk.recipient], recovery_recipient: recovery.recipient },
  };
}

async function makeDeskKey(name: string, folder: string): Promise<CommandReport> {
  if (!isPersonName(name)) throw createUsageFailure(`--desk NAME must be ${PERSON_NAME_EXPECTED}`);
  const file = join(folder, `${name}.key`);
  requireFreePath(file);
  await createPrivateFolder(folder);
  const { recipient, text } = await generateDeskKeyFile(name);
  await savePrivateFile(file, ReadableStream.from([Buffer.from(text)]));
  const role = 'investigator';
  getIo().stderr.write(
    `${file} is the desk key of ${name}. It stays with ${name}; the service needs only this line in DESK_RECIPIENTS_FILE (the role may also be owner). Before it can open older cases, run: office keys reseal\n\n`,
  );
  return { text: `${name} ${role} ${recipient}\n`, json: { name, role, recipient, file } };
}

async function askTwice(path: string): Promise<string> {
  getIo().stderr.write(
    `At least ${MIN_PASSPHRASE} characters. Five or six words that do not belong together are easy to type and hard to guess.\n`,
  );
  const passphrase = await askPassphrase(`New passphrase for ${path}: `);
  if (passphrase.length < MIN_PASSPHRASE)
    throw new ProgramError(`The passphrase has fewer than ${MIN_PASSPHRASE} characters; nothing was changed`);
  if ((await askPassphrase('Type it again: ')) !== passphrase)
    throw new ProgramError('The two passphrases differ; nothing was changed');
  return passphrase;
}
