/** JSON with sorted names: the same text for any order of the names, which has no meaning (RFC 8259 §4). */

export function serializeCanonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) => (isObject(part) ? sortNames(part) : part));
}

function isObject(part: unknown): part is object {
  return typeof part === 'object' && part !== null && !Array.isArray(part);
}

function sortNames(part: object): object {
  return Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
