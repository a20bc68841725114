/** The version of this program, and its age: security.txt expires within a year, and the operator is told before. */
import { readFileSync } from 'node:fs';
import { DAY_MS } from '../durations.ts';

const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
const stated = JSON.parse(text) as { readonly version: string; readonly released: string };

export const VERSION = stated.version;
export const RELEASED_ON = stated.released;

/** Compares the parts as numbers: 1.10.0 is newer than 1.9.0. */
export function isNewerVersion(version: string, other: string): boolean {
  return version.localeCompare(other, 'en', { numeric: true }) > 0;
}

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
