/** Values that are wrong as often as their length allows: a validator that reports each mistake says too much. */
import { scale } from '#test/scale.ts';

type ElementWriter = (length: number) => string;

/** JSON of about the requested length. */
const writers: Readonly<Record<string, ElementWriter>> = {
  zeros: (length) => `[${repeatItem('0', length)}]`,
  'empty objects': (length) => `[${repeatItem('{}', length)}]`,
  'empty texts': (length) => `[${repeatItem('""', length)}]`,
  'lists of lists': (length) => `[${repeatItem('[[0]]', length)}]`,
  'numbers beyond all numbers': (length) => `[${repeatItem('1e400', length)}]`,
  names: (length) => `{${listNames(length, '0')}}`,
  'names of objects': (length) => `{${listNames(length, '{"a":[]}')}}`,
  'one long name': (length) => `{"${'a'.repeat(length)}":0}`,
  'a long text': (length) => JSON.stringify('a'.repeat(length)),
  'a text of signs that are escaped': (length) => `"${'\\"'.repeat(length / 2)}"`,
  'a long number': (length) => '9'.repeat(Math.max(1, length)),
  'a deep list': (length) => '['.repeat(length / 2) + ']'.repeat(length / 2),
};

/** All of them in the long run; in the short one, the one whose turn it is at this place. */
export function listWrongElements(place: number): readonly (readonly [name: string, write: ElementWriter])[] {
  const step = scale.fragmentStep === 1 ? 1 : Object.keys(writers).length;
  return Object.entries(writers).filter((_writer, at) => at % step === place % step);
}

function repeatItem(item: string, length: number): string {
  return Array<string>(Math.ceil(length / (item.length + 1)))
    .fill(item)
    .join(',');
}

function listNames(length: number, value: string): string {
  const count = Math.ceil(length / (value.length + 7));
  return Array.from({ length: count }, (_none, place) => `"${place.toString(36)}":${value}`).join(',');
}
