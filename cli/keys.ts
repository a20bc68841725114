/** Makes keys for an installation, on whatever machine they should first exist. */
import { parseArgs } from 'node:util';
import { makeKey } from '#cases/sealing-keys.ts';
import { newMasterKey } from '#store/keyring.ts';

export function printMasterKey(): void {
  process.stdout.write(`${newMasterKey()}\n`);
}

/** Writes a desk key and a recovery key, and prints what the service has to know of them. */
export async function makeSealingKeys(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { out: { type: 'string', default: 'keys' } } });
  const desk = await makeKey('desk', values.out);
  const recovery = await makeKey('recovery', values.out);
  const files = [desk, recovery].flatMap(({ privateFile }) => privateFile ?? []);
  process.stderr.write(`Private keys: ${files.join(', ')}. The service never needs them.\n\n`);
  process.stdout.write(`DESK_RECIPIENTS=${desk.recipient}\nRECOVERY_RECIPIENT=${recovery.recipient}\n`);
}
