/** The file beside a desk key that remembers the key of each case it has opened; a changed file is refused as a whole. */
import { replaceFile } from '#platform/atomic-file.ts';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import type { AgeIdentity } from '#seal/age.ts';
import {
  computePinListMac,
  deriveDeskTag,
  formatPinFingerprint,
  hasSamePinnedKey,
  isPinOfCase,
  type KeyPin,
} from '#seal/key-pin.ts';
import { readTextBesideKey } from './beside-key.ts';
import { withFileLock } from './file-lock.ts';
import { KeyFault, PinFault } from './key-fault.ts';

const FORMAT = 'inquiry-office pins 1';
const HEAD = new RegExp(`^${FORMAT} ([\\w-]{22})$`);
const ENTRY = /^([\w-]{22}) ([\w-]{43}) ([\w-]{43}) ([\w-]{43})$/;

/** A desk key and where its pins are. */
export interface PinFile {
  readonly identity: AgeIdentity;
  readonly path: string;
}

/** Without a file there are no pins yet. */
export async function readPins({ identity, path }: PinFile): Promise<readonly KeyPin[]> {
  const text = await readTextBesideKey(path);
  if (text === null) return [];
  const { body, desk, pins } = parsePins(path, text);
  if (desk !== deriveDeskTag(identity))
    throw new KeyFault(
      `${path}: the pins of another key; give this key its own file with --pins`,
      EXIT_CODES.dataError,
    );
  if (text.slice(body.length) !== formatLastLine(identity, body)) throw createDamageFault(path);
  return pins;
}

/** For an export without the key: whoever opens the bundle checks the pin. */
export async function findUncheckedPin(path: string, caseId: string): Promise<KeyPin | undefined> {
  const text = await readTextBesideKey(path);
  if (text === null) throw new KeyFault(`${path}: no such file`, EXIT_CODES.noInput);
  return parsePins(path, text).pins.find((pin) => pin.case === caseId);
}

/** Returns false if another command has saved the same pin in the meantime. */
export async function savePin(file: PinFile, pin: KeyPin): Promise<boolean> {
  return await withFileLock(`${file.path}.lock`, async () => {
    const pins = await readPins(file);
    requirePinnedKey(pins, pin);
    if (pins.some((known) => isPinOfCase(known, pin))) return false;
    const body = [`${FORMAT} ${pin.desk}`, ...[...pins, pin].map(formatEntry), ''].join('\n');
    await replaceFile(file.path, body + formatLastLine(file.identity, body));
    return true;
  });
}

export function requirePinnedKey(pins: readonly KeyPin[], present: KeyPin): void {
  const other = pins.find((pin) => isPinOfCase(pin, present) && !hasSamePinnedKey(pin, present));
  if (!other) return;
  throw new PinFault(
    `The key of this case is not the one that was pinned (pinned: ${formatPinFingerprint(other)}, now: ${formatPinFingerprint(present)}). Somebody may have put a key of their own in its place, so nothing was shown or written. Ask the buyer which fingerprint the case page shows.`,
    EXIT_CODES.dataError,
  );
}

/** `body` is all but the last line, which has the MAC. */
function parsePins(path: string, text: string): { body: string; desk: string; pins: KeyPin[] } {
  const body = text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1);
  const [head = '', ...lines] = body.split('\n').slice(0, -1);
  const desk = HEAD.exec(head)?.[1];
  if (desk === undefined) throw createDamageFault(path);
  const pins = lines.map((line) => {
    const [, caseId, lookupHash, recipientHash, mac] = ENTRY.exec(line) ?? [];
    if (!(caseId && lookupHash && recipientHash && mac)) throw createDamageFault(path);
    return { desk, case: caseId, lookup_hash: lookupHash, recipient_hash: recipientHash, mac };
  });
  return { body, desk, pins };
}

function formatEntry(pin: KeyPin): string {
  return [pin.case, pin.lookup_hash, pin.recipient_hash, pin.mac].join(' ');
}

function formatLastLine(identity: AgeIdentity, body: string): string {
  return `${computePinListMac(identity, body)}\n`;
}

function createDamageFault(path: string): KeyFault {
  return new KeyFault(
    `${path}: damaged, or changed without the key, so no case is opened. Put back your own copy. Without one, move the file away: each case then counts as opened for the first time, so compare its fingerprint with the buyer's.`,
    EXIT_CODES.dataError,
  );
}
