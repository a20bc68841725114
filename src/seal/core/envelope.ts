/** Envelopes: JSON sealed to the case key, bound to its place in the case and authenticated. */
import { computeSealedSize, openSealedBytes, sealBytes } from './age.ts';
import { hasEqualBytes } from './bytes.ts';
import { CASE_MAC_BYTES, type CaseKey, createCaseMac } from './case-key.ts';
import { checkFrame, decodeFrameBody, encodeFrame, type FrameBody } from './frame.ts';
import type { SealedHeader } from './header.ts';
import { PADDING_SIZE_CLASSES } from './padding.ts';
import { SealError } from './seal-error.ts';

/** The only possible lengths of an envelope; the service can reject any other without a key. */
export const ENVELOPE_SIZES: readonly number[] = PADDING_SIZE_CLASSES.map((size) => computeSealedSize(size));

/** Identifies a sealed object within its case. */
export type SealedPlace = Pick<SealedHeader, 'kind' | 'seq'>;

export function formatPlace({ kind, seq }: SealedPlace): string {
  return `${kind} ${seq}`;
}

export async function sealEnvelope(key: CaseKey, place: SealedPlace, body: unknown): Promise<Uint8Array> {
  const frame = encodeFrame({ ...place, case: key.case }, body, CASE_MAC_BYTES);
  frame.set(computeEnvelopeMac(key, frame), frame.length - CASE_MAC_BYTES);
  return await sealBytes(frame, [key.recipient]);
}

/** Returns the body as it was sealed; the caller must validate its shape. */
export async function openEnvelope(key: CaseKey, place: SealedPlace, sealed: Uint8Array): Promise<unknown> {
  const { value } = await openEnvelopeBody(key, place, sealed);
  if (value === undefined) throw new SealError('tampered');
  return value;
}

/** Returns the body as sealed by the author, who must hold the case key; its form is not checked. */
export async function openEnvelopeBody(
  key: CaseKey,
  place: SealedPlace,
  sealed: Uint8Array,
): Promise<FrameBody> {
  if (!ENVELOPE_SIZES.includes(sealed.length)) throw new SealError('truncated');
  const frame = await openSealedBytes(sealed, key.identity);
  // Check the header first: a newer version may authenticate differently.
  checkFrame(frame, { ...place, case: key.case });
  if (!hasEqualBytes(frame.subarray(-CASE_MAC_BYTES), computeEnvelopeMac(key, frame)))
    throw new SealError('forged');
  return decodeFrameBody(frame, CASE_MAC_BYTES);
}

function computeEnvelopeMac(key: CaseKey, frame: Uint8Array): Uint8Array {
  return createCaseMac(key).update(frame.subarray(0, -CASE_MAC_BYTES)).digest();
}
