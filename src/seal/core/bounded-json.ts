/** Parses untrusted JSON only if it is about as deep and as large as ours at most, which bounds the cost. */

/** Also used for request bodies. */
export const MAX_JSON_DEPTH = 32;
/** Our largest document, a finding with fifty files, has about 300. */
const MAX_JSON_VALUES = 2_000;

/** Returns undefined, which no JSON text parses to, for text that is not JSON or exceeds the bounds. */
export function parseBoundedJson(text: string): unknown {
  if (!isBoundedJson(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // Not rethrown: the parser's message quotes the text.
    return undefined;
  }
}

/** Counts before anything is built; text that is not JSON is left for the parser to reject. */
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

/** Returns the end of the text if the string is not closed. */
function findStringEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}
