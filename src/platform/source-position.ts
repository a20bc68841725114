/** Finds where in the source a line of the program's bundle comes from, so that the log names files that people know. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const BUNDLED = /^(file:.*\/node_modules\/\.cache\/office\/.*):(\d+):(\d+)$/;
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const digitValues = new Map(Array.from(DIGITS, (digit, value) => [digit.charCodeAt(0), value]));
const [COMMA, SEMICOLON] = [','.charCodeAt(0), ';'.charCodeAt(0)];

interface SourceMapFile {
  readonly sources: readonly string[];
  readonly mappings: string;
}

export interface SourcePosition {
  /** Its name without folders. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Errors come from few places, again and again; reading a map takes some milliseconds. */
const positions = new Map<string, string>();
const MAX_POSITIONS = 500;

/** Takes `file:///folder/name.mjs:12:5`, as in a stack; anything but a file of the bundle stays as it is. */
export function toSourcePosition(text: string): string {
  const known = positions.get(text);
  if (known !== undefined) return known;
  const [, address, line, column] = BUNDLED.exec(text) ?? [];
  if (address === undefined) return text;
  const position = findInMap(address, Number(line), Number(column)) ?? text;
  if (positions.size < MAX_POSITIONS) positions.set(text, position);
  return position;
}

function findInMap(address: string, line: number, column: number): string | null {
  try {
    const map = JSON.parse(readFileSync(fileURLToPath(`${address}.map`), 'utf8')) as SourceMapFile;
    const found = findSourcePosition(map, line, column);
    return found && `${found.file}:${found.line}:${found.column}`;
  } catch {
    return null;
  }
}

/**
 * ECMA-426: lines end with a semicolon, segments with a comma; a segment has a column, a source, its line and column,
 * each as the difference to the one before. The class of Node that reads maps needs a hundred times the memory.
 */
export function findSourcePosition(
  { sources, mappings }: SourceMapFile,
  line: number,
  column: number,
): SourcePosition | null {
  const fields = [0, 0, 0, 0, 0];
  let found: SourcePosition | null = null;
  let [currentLine, field, value, shift] = [1, 0, 0, 0];
  for (let index = 0; index <= mappings.length; index += 1) {
    const code = mappings.charCodeAt(index);
    const digit = digitValues.get(code);
    if (digit !== undefined) {
      value += (digit & 31) << shift;
      shift += 5;
      if (digit & 32) continue;
      fields[field]! += value & 1 ? -(value >> 1) : value >> 1;
      [field, value, shift] = [field + 1, 0, 0];
      continue;
    }
    if (currentLine === line && field > 1) {
      if (fields[0]! >= column) return found;
      const file = sources[fields[1]!]?.split('/').at(-1) ?? '';
      found = { file, line: fields[2]! + 1, column: fields[3]! + 1 };
    }
    field = 0;
    if (code === COMMA) continue;
    if (code !== SEMICOLON || currentLine === line) return found;
    currentLine += 1;
    fields[0] = 0;
  }
  return found;
}
