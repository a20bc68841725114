/** The age of this release: its security.txt expires within a year, and the operator is notified before that. */
import { DAY_MS } from '../durations.ts';
import { RELEASED_ON } from './version.ts';

/** RFC 9116 §2.5.5 recommends less than a year. */
const VALID_DAYS = 360;
const NOTICE_DAYS = 60;

export const RELEASE_EXPIRES_AT = Date.parse(RELEASED_ON) + VALID_DAYS * DAY_MS;
const EXPIRES_ON = new Date(RELEASE_EXPIRES_AT).toISOString().slice(0, RELEASED_ON.length);

/** Returns null while the release is young enough. */
export function explainReleaseAge(now: number): string | null {
  if (now < RELEASE_EXPIRES_AT - NOTICE_DAYS * DAY_MS) return null;
  const what = `security.txt ${now < RELEASE_EXPIRES_AT ? 'expires' : 'expired'} on ${EXPIRES_ON}`;
  return `This release is dated ${RELEASED_ON}, and its ${what}: install a newer one.`;
}
