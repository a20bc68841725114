/** Reads typed values from environment variables and collects every mistake instead of stopping at the first. */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { formatFileFault } from '../error-code.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export const PORTS = { min: 1, max: 65_535 };

/** Relative paths are resolved from here, wherever the program was started. */
export const PROJECT_FOLDER = fileURLToPath(new URL('../../..', import.meta.url));

export class EnvironmentReader {
  readonly mistakes: string[] = [];
  /** Every variable that has been read, whether it is set or not. */
  readonly names = new Set<string>();
  /** Files that hold a secret. */
  readonly secretFiles: string[] = [];
  readonly #environment: Environment;
  readonly #file: Environment;

  /** A variable of the environment overrides the same one in the file. */
  constructor(environment: Environment, file: Environment = {}) {
    this.#environment = environment;
    this.#file = file;
  }

  /** An empty variable counts as unset, so that `.env` files may keep unused lines. */
  readText(name: string): string | undefined {
    this.names.add(name);
    return (this.#environment[name] ?? this.#file[name])?.trim() || undefined;
  }

  readPath(name: string): string | undefined {
    const path = this.readText(name);
    return path && resolve(PROJECT_FOLDER, path);
  }

  /** Returns `X`, or the contents of the file that `X_FILE` names. */
  readSecret(name: string): string | undefined {
    const value = this.readText(name);
    const file = this.readPath(`${name}_FILE`);
    if (value && file) this.addMistake(name, `either ${name} or ${name}_FILE, not both`);
    if (value || !file) return value;
    this.secretFiles.push(file);
    try {
      const content = readFileSync(file, 'utf8').trim();
      if (content) return content;
      this.addMistake(`${name}_FILE`, `a file that is not empty (${file})`);
    } catch (error) {
      // If the path does not exist, it may be the secret itself.
      const place = existsSync(file) ? `${file}: ` : '';
      this.addMistake(`${name}_FILE`, `a readable file (${place}${formatFileFault(error)})`);
    }
    return undefined;
  }

  readMatching(name: string, fallback: string, pattern: RegExp, expected: string): string {
    const value = this.readText(name) ?? fallback;
    if (!pattern.test(value)) this.addMistake(name, expected);
    return value;
  }

  readOneOf<const Choice extends string>(
    name: string,
    fallback: NoInfer<Choice>,
    choices: readonly Choice[],
  ): Choice {
    const value = this.readText(name) ?? fallback;
    if (choices.includes(value as Choice)) return value as Choice;
    this.addMistake(name, choices.join(' or '));
    return fallback;
  }

  readInteger(name: string, fallback: number, range: IntegerRange): number {
    const number = parseInteger(this.readText(name), fallback, range);
    if (number !== undefined) return number;
    this.addMistake(name, formatRange(range));
    return fallback;
  }

  /** Null for `off`. */
  readIntegerOrOff(name: string, fallback: number | null, range: IntegerRange): number | null {
    const value = this.readText(name);
    if (value === 'off') return null;
    const number = parseInteger(value, fallback, range);
    if (number !== undefined) return number;
    this.addMistake(name, `${formatRange(range)}, or off`);
    return fallback;
  }

  readList(name: string): string[] {
    const value = this.readText(name) ?? '';
    return value
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean);
  }

  hasMistake(name: string): boolean {
    return this.mistakes.some((mistake) => mistake.startsWith(`${name}:`));
  }

  addUnknownName(name: string, nearest: string | undefined): void {
    this.mistakes.push(`${name}: no such variable${nearest ? `; did you mean ${nearest}?` : ''}`);
  }

  addReplacedName(name: string, replacement: string): void {
    this.mistakes.push(`${name}: no longer a variable; ${replacement}`);
  }

  /** Never quotes the value: a mistyped secret must not reach a terminal or a log. */
  addMistake(name: string, expected: string): void {
    this.mistakes.push(`${name}: expected ${expected}`);
  }
}

interface IntegerRange {
  readonly min: number;
  readonly max: number;
}

/** Undefined if the value is not a number in the range. */
function parseInteger<Fallback>(
  value: string | undefined,
  fallback: Fallback,
  { min, max }: IntegerRange,
): number | Fallback | undefined {
  if (value === undefined) return fallback;
  const number = Number(value);
  return /^\d+$/.test(value) && number >= min && number <= max ? number : undefined;
}

function formatRange({ min, max }: IntegerRange): string {
  return `a whole number from ${min} to ${max}`;
}
