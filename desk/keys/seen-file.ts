/** The file beside a desk key that remembers how many of the buyer's messages there were when it last opened a case. */
import { replaceFile } from '#platform/atomic-file.ts';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { computeSeenListMac, deriveDeskTag } from '#seal/key-pin.ts';
import { readTextBesideKey, toSiblingPath } from './beside-key.ts';
import { withFileLock } from './file-lock.ts';
import { KeyFault } from './key-fault.ts';
import type { PinFile } from './pin-file.ts';

const ENDING = 'seen';
const FORMAT = 'inquiry-office seen 1';
const ENTRY = /^([\w-]{22}) (\d{1,6})$/;

/** By case: how many messages of the buyer its last opening with this key showed. */
export type SeenMarks = ReadonlyMap<string, number>;

/** Never opened with this key, or with more messages of the buyer than at the last opening. */
export function isNewToKey(marks: SeenMarks, caseId: string, buyerMessages: number): boolean {
  return (marks.get(caseId) ?? -1) < buyerMessages;
}

/** Without a file nothing was opened yet. */
export async function readSeenMarks({ identity, path }: PinFile): Promise<SeenMarks> {
  const seenPath = toSeenPath(path);
  const text = await readTextBesideKey(seenPath);
  if (text === null) return new Map();
  const body = text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1);
  if (
    !body.startsWith(`${FORMAT} ${deriveDeskTag(identity)}\n`) ||
    text.slice(body.length) !== `${computeSeenListMac(identity, body)}\n`
  )
    throw createDamageFault(seenPath);
  return new Map(
    body
      .split('\n')
      .slice(1, -1)
      .map((line) => {
        const [, id = '', count = ''] = ENTRY.exec(line) ?? [];
        return [id, Number(count)];
      }),
  );
}

/** A count never goes down: what was read stays read. */
export async function saveSeenMark(file: PinFile, caseId: string, buyerMessages: number): Promise<void> {
  const path = toSeenPath(file.path);
  await withFileLock(`${path}.lock`, async () => {
    const marks = await readSeenMarks(file);
    if (!isNewToKey(marks, caseId, buyerMessages)) return;
    const entries = [...new Map([...marks, [caseId, buyerMessages]])].map(([id, count]) => `${id} ${count}`);
    const body = [`${FORMAT} ${deriveDeskTag(file.identity)}`, ...entries, ''].join('\n');
    await replaceFile(path, `${body}${computeSeenListMac(file.identity, body)}\n`);
  });
}

/** Beside the pins. */
export function toSeenPath(pinPath: string): string {
  return toSiblingPath(pinPath, ENDING);
}

function createDamageFault(path: string): KeyFault {
  return new KeyFault(
    `${path}: damaged, changed without the key, or of another key. Move it away: every case then counts as new.`,
    EXIT_CODES.dataError,
  );
}
