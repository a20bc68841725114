/** The version of this program and the day of its release, as package.json has them. */
import { readFileSync } from 'node:fs';

const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
const stated = JSON.parse(text) as { readonly version: string; readonly released: string };

export const VERSION = stated.version;
export const RELEASED_ON = stated.released;

/** Compares the parts as numbers: 1.10.0 is newer than 1.9.0. */
export function isNewerVersion(version: string, other: string): boolean {
  return version.localeCompare(other, 'en', { numeric: true }) > 0;
}
