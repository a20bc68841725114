/** The sealed challenge of a sign-in, opened with the own key; it is answered only if it is this office's, and new. */
import { SECOND_MS } from '#platform/durations.ts';
import { type AgeIdentity, computeSealedSize, openSealedBytes } from '#seal/age.ts';
import { parseBoundedJson } from '#seal/bounded-json.ts';
import { DESK_CHALLENGE_BYTES } from '#seal/desk-challenge.ts';
import { matchesSchema } from '#wire/checked-value.ts';
import { type DeskChallengeText, DeskChallengeTextSchema } from '#wire/desk-session.ts';
import { OfficeFault } from './office-fault.ts';

const LIFETIME_MS = 60 * SECOND_MS;
/** How far the clocks of office and desk may be apart. */
const SKEW_MS = 120 * SECOND_MS;

/**
 * Opens nothing but challenges: whatever has another size stays sealed, and of what it opens only a nonce in its place
 * is ever sent, so that the desk decrypts nothing for others.
 */
export async function openDeskChallenge(
  sealed: Uint8Array,
  {
    identity,
    origin,
    now,
  }: { readonly identity: AgeIdentity; readonly origin: string; readonly now: number },
): Promise<DeskChallengeText> {
  if (sealed.length !== computeSealedSize(DESK_CHALLENGE_BYTES))
    throw createChallengeFault('it does not have the size of a challenge');
  const challenge = parseChallenge(await openChallengeBytes(sealed, identity));
  // Otherwise another site could pass on the challenge of your office, and sign in there as you.
  if (challenge.origin !== origin)
    throw createChallengeFault('it was made for another address than the one that you started the desk with');
  if (challenge.expires < now - SKEW_MS)
    throw createChallengeFault('it is old. Is the clock of this machine right?');
  if (challenge.expires > now + LIFETIME_MS + SKEW_MS)
    throw createChallengeFault('it is valid for too long. Is the clock of this machine right?');
  return challenge;
}

async function openChallengeBytes(sealed: Uint8Array, identity: AgeIdentity): Promise<Uint8Array> {
  try {
    return await openSealedBytes(sealed, identity);
  } catch (error) {
    throw createChallengeFault('your key does not open it', error);
  }
}

/** Accepts one spelling only, filled up with spaces. */
function parseChallenge(bytes: Uint8Array): DeskChallengeText {
  const text = Buffer.from(bytes).toString('latin1').replace(/ +$/, '');
  const value = parseBoundedJson(text);
  if (bytes.length !== DESK_CHALLENGE_BYTES || !matchesSchema(DeskChallengeTextSchema, value))
    throw createChallengeFault('it is not a challenge of this kind');
  const { v, kind, origin, nonce, expires } = value;
  if (JSON.stringify({ v, kind, origin, nonce, expires }) !== text)
    throw createChallengeFault('it is not a challenge of this kind');
  return value;
}

export function createChallengeFault(reason: string, cause?: unknown): OfficeFault {
  return new OfficeFault(
    'challenge_refused',
    `The desk did not sign in, because the challenge was not answered: ${reason}.`,
    cause,
  );
}
