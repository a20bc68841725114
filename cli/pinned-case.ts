/** Opens a case with a desk key and holds it to its pin; the first opening sets the pin and says so. */
import { type DecryptedCase, openSealedCase } from '#cases/decrypted-case.ts';
import type { SealedCase } from '#cases/sealed-case.ts';
import { type PinFile, readPins, requirePinnedKey, savePin } from '#desk-program/keys/pin-file.ts';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import {
  computePinTags,
  createDeskTagger,
  createKeyPin,
  formatPinFingerprint,
  isGenuinePin,
  type KeyPin,
} from '#seal/key-pin.ts';
import { isGenuinePart } from '#seal/opened-part.ts';
import { CommandFailure } from './failure.ts';
import { getIo } from './io.ts';

export interface PinnedCase {
  readonly opened: DecryptedCase;
  readonly pin: KeyPin;
}

/** `carried` are the pins in a bundle: those of this key count as if they were in its file. */
export async function openPinnedCase(
  file: SealedCase,
  desk: PinFile,
  carried: readonly KeyPin[] = [],
): Promise<PinnedCase> {
  const kept = await readPins(desk);
  const opened = await openSealedCase(file, desk.identity);
  const pin = createKeyPin(desk.identity, opened.record.id, opened.key);
  const brought = carried.filter((other) => other.desk === pin.desk);
  if (!brought.every((other) => isGenuinePin(desk.identity, other)))
    throw new CommandFailure(
      'The pin in this bundle was changed after your key made it, so nothing was shown or written. Export the case again.',
      EXIT_CODES.dataError,
    );
  const tag = createDeskTagger(desk.identity);
  requirePinnedKey(
    [...kept, ...brought.map((other) => computePinTags(tag, other))],
    pin,
    computePinTags(tag, pin),
  );
  // Nothing shows yet that this key belongs to what the buyer has sent.
  if (!isGenuinePart(opened.inquiry)) return { opened, pin };
  const isFirst = (await savePin(desk, pin)) && !brought.some((known) => known.mac === pin.mac);
  if (isFirst) getIo().stderr.write(formatFirstOpening(pin, desk));
  return { opened, pin };
}

/** Whoever can write the records can seal a key of their own to the desk, but not the buyer's inquiry under it. */
export function requireGenuineInquiry(opened: DecryptedCase): void {
  if (isGenuinePart(opened.inquiry)) return;
  throw new CommandFailure(
    'The inquiry does not open under the key of this case, so nothing was written: what you write would be sealed to whoever made that key. See cases open.',
    EXIT_CODES.dataError,
  );
}

function formatFirstOpening(pin: KeyPin, { path }: PinFile): string {
  return `First opening of this case with your key: fingerprint ${formatPinFingerprint(pin)}, pinned in ${path}. The buyer's case page shows the same if nobody has put another key in its place.\n`;
}
