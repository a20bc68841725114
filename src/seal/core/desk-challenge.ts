/** The challenge `desk-challenge` of a sign-in: sealed to one investigator's key, so that only they can answer it. */
import { type AgeRecipient, sealBytes } from './age.ts';
import { encodeUtf8 } from './bytes.ts';
import { SealError } from './seal-error.ts';

/** The text is padded with spaces to this length, however long the origin is. */
export const DESK_CHALLENGE_BYTES = 512;

export interface DeskChallengeContent {
  /** The origin of the service; the challenge is valid for no other origin. */
  readonly origin: string;
  readonly nonce: string;
  /** Epoch milliseconds. */
  readonly expires: number;
}

export async function sealDeskChallenge(
  { origin, nonce, expires }: DeskChallengeContent,
  recipient: AgeRecipient,
): Promise<Uint8Array> {
  const text = encodeUtf8(JSON.stringify({ v: 1, kind: 'desk-challenge', origin, nonce, expires }));
  if (text.length > DESK_CHALLENGE_BYTES) throw new SealError('too_large');
  const padded = new Uint8Array(DESK_CHALLENGE_BYTES).fill(SPACE);
  padded.set(text);
  return await sealBytes(padded, [recipient]);
}

const SPACE = 0x20;
