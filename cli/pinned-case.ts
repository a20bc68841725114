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
  type KeyPin,
} from '#seal/key-pin.ts';
import { isGenuinePart } from '#seal/opened-part.ts';
import { CommandFailure } from './failure.ts';
import { getIo } from './io.ts';

export async function openPinnedCase(file: SealedCase, desk: PinFile): Promise<DecryptedCase> {
  const kept = await readPins(desk);
  const opened = await openSealedCase(file, desk.identity);
  const pin = createKeyPin(opened.record.id, opened.key);
  requirePinnedKey(kept, pin, computePinTags(createDeskTagger(desk.identity), pin));
  // Nothing shows yet that this key belongs to what the buyer has sent.
  if (!isGenuinePart(opened.inquiry)) return opened;
  if (await savePin(desk, pin)) getIo().stderr.write(formatFirstOpening(pin, desk));
  return opened;
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
