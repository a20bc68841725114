/** JSON from strangers: parsed only if it is about as deep and as wide as what we write, so that its cost stays in proportion. */

/** For request bodies as well. */
export const MAX_JSON_DEPTH = 32;
/** The widest of our forms, a finding with fifty files, has some 300. */
const MAX_JSON_VALUES = 2_000;

/** Returns undefined, which no JSON text means, for text that is not JSON or exceeds the bounds. */
export function parseBoundedJson(text: string): unknown {
  if (!isBoundedJson(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the text.
    return undefined;
  }
}

/** Counts before anything is built; text that is no JSON is left to the parser. */
function isBoundedJson(text: string): boolean {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '"') at = findStringEnd(text, at);
    else if (sign === '[' || sign === '{') {
      depth += 1;
      values += 1;
    } else if (sign === ']' || sign === '}') depth -= 1;
    else if (sign === ',') values += 1;
    if (depth > MAX_JSON_DEPTH || values > MAX_JSON_VALUES) return false;
  }
  return true;
}

/** The end of the text if the string has none. */
function findStringEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}
