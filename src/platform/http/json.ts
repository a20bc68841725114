/** A JSON parser stricter than JSON.parse: no bad UTF-8, repeated names, deep nesting or prototype pollution. */
import { isUtf8 } from 'node:buffer';
import { ServiceError } from '#platform/errors.ts';
import { MAX_JSON_DEPTH } from '#seal/core/bounded-json.ts';

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
const RESERVED_NAMES = new Set(['__proto__', 'constructor', 'prototype']);

/** RFC 8259 §8.1 requires UTF-8; text in another encoding would be misread. */
export function requireUtf8(type: string | undefined): void {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(type ?? '') ?? [];
  if (charset.toLowerCase() !== 'utf-8') throw new ServiceError('unsupported_media_type');
}

export function parseJson(body: Uint8Array): unknown {
  if (body.byteLength === 0) throw createJsonError('The body is empty; a JSON document is expected.');
  if (!isUtf8(body)) throw createJsonError('The body is not valid UTF-8.');
  const text = utf8.decode(body);
  const value = parseText(text);
  checkTokens(text);
  return value;
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw createJsonError('The body is not valid JSON.');
  }
}

interface Frame {
  /** The names seen so far; null for an array. */
  readonly names: Set<string> | null;
  expectsName: boolean;
}

/** Checks a document already known to be valid JSON. Jumps to the end of each string, since sealed text is long. */
function checkTokens(text: string): void {
  const stack: Frame[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const token = text[at];
    const frame = stack.at(-1);
    if (token === '"') {
      const end = findStringEnd(text, at);
      checkString(text.slice(at + 1, end), frame);
      at = end;
    } else if (token === '{') pushFrame(stack, { names: new Set(), expectsName: true });
    else if (token === '[') pushFrame(stack, { names: null, expectsName: false });
    else if (token === '}' || token === ']') stack.pop();
    else if (token === ',') frame!.expectsName = frame!.names !== null;
    else if (token === ':') frame!.expectsName = false;
  }
}

function findStringEnd(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

/** True after an odd number of backslashes. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === '\\') first -= 1;
  return (at - first) % 2 === 1;
}

function pushFrame(stack: Frame[], frame: Frame): void {
  if (stack.length === MAX_JSON_DEPTH)
    throw createJsonError(`The body nests deeper than ${MAX_JSON_DEPTH} levels.`);
  stack.push(frame);
}

function checkString(encoded: string, frame: Frame | undefined): void {
  const text = encoded.includes('\\') ? (JSON.parse(`"${encoded}"`) as string) : encoded;
  if (!text.isWellFormed() || text.includes('\0'))
    throw createJsonError('A string in the body is not valid Unicode, or has the character U+0000.');
  if (!frame?.names || !frame.expectsName) return;
  if (RESERVED_NAMES.has(text)) throw createJsonError('The body uses a name that is reserved.');
  if (frame.names.has(text)) throw createJsonError('The body repeats a name within an object.');
  frame.names.add(text);
}

function createJsonError(detail: string): ServiceError {
  return new ServiceError('malformed_json', { detail });
}
