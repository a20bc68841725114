/** A hidden value in the forms of a permissions page that proves who has just signed in; no cookie or row has it. */
import { MINUTE_MS } from '#platform/durations.ts';
import type { Services } from '#services.ts';

export const PASS_MINUTES = 10;
const CONTEXT = 'permissions page';

export function createPermissionsPass(
  { clock, keyring }: Pick<Services, 'clock' | 'keyring'>,
  userId: string,
): string {
  const until = clock.now() + PASS_MINUTES * MINUTE_MS;
  const ciphertext = keyring.seal('permissions pass', `${until} ${userId}`, CONTEXT);
  return Buffer.from(ciphertext).toString('base64url');
}

/** Returns the user, or null if the pass is forged or too old. */
export function verifyPermissionsPass(
  { clock, keyring }: Pick<Services, 'clock' | 'keyring'>,
  pass: string,
): string | null {
  try {
    const text = keyring.open('permissions pass', Buffer.from(pass, 'base64url'), CONTEXT);
    const [until, userId = null] = text.split(' ');
    return Number(until) > clock.now() ? userId : null;
  } catch {
    return null;
  }
}
