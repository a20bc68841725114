/** The file beside a desk key that remembers the key of each opened case; a changed file is refused as a whole. */
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import type { AgeIdentity } from '#seal/core/age.ts';
import {
  computePinListMac,
  computePinTags,
  createDeskTagger,
  findOtherPin,
  formatPinFingerprint,
  isPinOfCase,
  type KeyPin,
  type PinTags,
} from '#seal/core/key-pin.ts';
import { computeLastMonth, readTagList, type TagLine, type TagListKind, updateTagList } from './tag-list.ts';

const PINS: TagListKind = {
  format: 'inquiry-office pins 2',
  computeMac: computePinListMac,
  otherKey: 'the pins of another key; use a separate file for this key with --pins',
  damage:
    "damaged, or changed without the key, so no case is opened. Restore your own copy. If you have none, move the file to another folder: each case then counts as opened for the first time, so compare its fingerprint with the buyer's.",
};

/** The key of a case is not the pinned one. */
export class PinFault extends ProgramError {}

/** A desk key and the path of its pins. */
export interface PinFile {
  readonly identity: AgeIdentity;
  readonly path: string;
}

export async function readPins(file: PinFile, now = Date.now()): Promise<readonly PinTags[]> {
  return (await readTagList(file, PINS, now)).map(toPinTags);
}

/** Returns false if the pin already exists, for example because another command has just saved it. */
export async function savePin(file: PinFile, pin: KeyPin, now = Date.now()): Promise<boolean> {
  const tags = computePinTags(createDeskTagger(file.identity), pin);
  const month = computeLastMonth(now);
  const isOfCase = (line: TagLine) => isPinOfCase(toPinTags(line), tags);
  const known = (await readTagList(file, PINS, now)).find(isOfCase);
  if (known && known.at(-1)! >= month && !findOtherPin([toPinTags(known)], tags)) return false;
  let isFirst = false;
  await updateTagList(file, PINS, now, (lines) => {
    requirePinnedKey(lines.map(toPinTags), pin, tags);
    isFirst = !lines.some(isOfCase);
    return [...lines.filter((line) => !isOfCase(line)), [tags.case, tags.words, tags.key, month]];
  });
  return isFirst;
}

/** `tags` are those of the present pin. */
export function requirePinnedKey(pins: readonly PinTags[], present: KeyPin, tags: PinTags): void {
  if (!findOtherPin(pins, tags)) return;
  throw new PinFault(
    `The key of this case is not the one that was pinned (its fingerprint is ${formatPinFingerprint(present)} now). It may have been replaced by someone who wants to read what you write, so nothing was shown or written. Ask the buyer which fingerprint the case page shows.`,
    EXIT_CODES.dataError,
  );
}

function toPinTags([caseTag = '', words = '', key = '']: TagLine): PinTags {
  return { case: caseTag, words, key };
}
