/** JSON in which the order of an object's names says nothing (RFC 8259 §4): the same text for whatever order they came in. */

export function serializeCanonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) => (isObject(part) ? sortNames(part) : part));
}

function isObject(part: unknown): part is object {
  return typeof part === 'object' && part !== null && !Array.isArray(part);
}

function sortNames(part: object): object {
  return Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
