/** Envelopes: JSON of a case, sealed to the case alone, bound to its place and authenticated by the case key. */
import { open, seal, sealedSize } from './age.ts';
import { equalBytes } from './bytes.ts';
import { type CaseKey, caseMac, MAC_BYTES } from './case-key.ts';
import { checkFrame, frameBody, writeFrame } from './frame.ts';
import type { Header } from './header.ts';
import { SIZE_CLASSES } from './padding.ts';
import { SealError } from './seal-error.ts';

/** The only lengths an envelope can have; the service may refuse any other without a key. */
export const ENVELOPE_SIZES: readonly number[] = SIZE_CLASSES.map((size) => sealedSize(size));

/** What an envelope is within its case. */
export type Place = Pick<Header, 'kind' | 'seq'>;

export async function sealEnvelope(key: CaseKey, place: Place, body: unknown): Promise<Uint8Array> {
  const frame = writeFrame({ ...place, case: key.case }, body, MAC_BYTES);
  frame.set(macOf(key, frame), frame.length - MAC_BYTES);
  return await seal(frame, [key.recipient]);
}

/** The body as it was sealed; its shape is for the caller to check. */
export async function openEnvelope(key: CaseKey, place: Place, sealed: Uint8Array): Promise<unknown> {
  if (!ENVELOPE_SIZES.includes(sealed.length)) throw new SealError('truncated');
  const frame = await open(sealed, key.identity);
  // The header first: a newer version may authenticate in another way.
  checkFrame(frame, { ...place, case: key.case });
  if (!equalBytes(frame.subarray(-MAC_BYTES), macOf(key, frame))) throw new SealError('forged');
  return frameBody(frame, MAC_BYTES);
}

function macOf(key: CaseKey, frame: Uint8Array): Uint8Array {
  return caseMac(key).update(frame.subarray(0, -MAC_BYTES)).digest();
}
