/** A name for a case that people can say: two words, which follow from the first two bytes of its id. */
import { CASE_ADJECTIVES, CASE_NOUNS } from './case-name-words.ts';

/** RFC 4648 §5. */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const BITS = 6;
/** Two bytes take two characters and four bits of a third one. */
const SPARE_BITS = 2;

/** How many characters of an id its name follows from; the last one only in part. */
export const NAMED_LENGTH = 3;

/** For example `amber lantern`. Several cases may share a name: it is no id. */
export function nameCase(id: string): string {
  let bits = 0;
  for (const character of id.slice(0, NAMED_LENGTH)) bits = (bits << BITS) | ALPHABET.indexOf(character);
  const number = bits >> SPARE_BITS;
  return `${CASE_ADJECTIVES[number >> 8]} ${CASE_NOUNS[number & 0xff]}`;
}

/** The first characters of all ids with this name, `amber lantern` or `amber-lantern`; none if it is no name. */
export function listNamedBeginnings(name: string): string[] {
  const [adjective, noun, ...rest] = name
    .trim()
    .toLowerCase()
    .split(/[\s-]+/);
  const high = CASE_ADJECTIVES.indexOf(adjective ?? '');
  const low = CASE_NOUNS.indexOf(noun ?? '');
  if (high < 0 || low < 0 || rest.length > 0) return [];
  const number = ((high << 8) | low) << SPARE_BITS;
  return Array.from({ length: 1 << SPARE_BITS }, (_, spare) => encodeNumber(number | spare));
}

function encodeNumber(number: number): string {
  const places = [2 * BITS, BITS, 0];
  return places.map((shift) => ALPHABET[(number >> shift) & (ALPHABET.length - 1)]).join('');
}
