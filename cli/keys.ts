/** Commands that generate the keys of an installation, on any machine. */
import { loadOrCreateSealingKey } from '#cases/sealing-keys.ts';
import { generateMasterKey } from '#store/keyring.ts';
import { createCommand } from './command.ts';

export const printMasterKeyCommand = createCommand({
  usage: 'keys master',
  about: 'Print a new MASTER_KEY.',
  options: {},
  operands: 0,
  work: async () => {
    const key = generateMasterKey();
    return { text: `${key}\n`, json: { master_key: key } };
  },
});

export const makeSealingKeysCommand = createCommand({
  usage: 'keys new [--out FOLDER]',
  about: 'Create a desk key and a recovery key, and print DESK_RECIPIENTS and RECOVERY_RECIPIENT.',
  help: [['--out FOLDER', 'where to write the keys (default: keys)']],
  options: { out: { type: 'string', default: 'keys' } },
  operands: 0,
  work: async ({ out }) => {
    const desk = await loadOrCreateSealingKey('desk', out);
    const recovery = await loadOrCreateSealingKey('recovery', out);
    const files = [desk, recovery].flatMap(({ privateFile }) => privateFile ?? []);
    process.stderr.write(`Private keys: ${files.join(', ')}. The service does not need them.\n\n`);
    return {
      text: `DESK_RECIPIENTS=${desk.recipient}\nRECOVERY_RECIPIENT=${recovery.recipient}\n`,
      json: { desk_recipients: [desk.recipient], recovery_recipient: recovery.recipient },
    };
  },
});
