/** Reads the settings file: its variables, and the lines that would otherwise be ignored silently. */
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { formatFileFault } from '../error-code.ts';
import type { Environment, EnvironmentReader } from './environment.ts';

/** Set by `bin/office.js`, so that programs started by tests read no file. */
export const ENV_FILE_VARIABLE = 'OFFICE_ENV_FILE';
const IDLE_LINE = /^\s*(?:#|$)/;
const NAME = /^[A-Za-z_]\w*$/;
const VARIABLE_LINE = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*)$/;
/** A quote that is not closed: the following lines would become part of the value, up to the next quote. */
const OPEN_QUOTE = /^(["'`])(?!.*\1)/;
/** A file of another kind would have a mistake in every line. */
const MAX_FAULTS = 3;

interface EnvFile {
  readonly variables: Environment;
  /** Adds the mistakes in the file itself. */
  readonly report: (reader: EnvironmentReader) => void;
}

export function readEnvFile(path: string | undefined): EnvFile {
  if (!path) return { variables: {}, report: () => {} };
  try {
    const text = readFileSync(path, 'utf8');
    return { variables: parseSettings(text), report: (reader) => reportLines(reader, path, text) };
  } catch (error) {
    const expected = `a file that this user may read (${path}: ${formatFileFault(error)})`;
    return { variables: {}, report: (reader) => reader.addMistake(ENV_FILE_VARIABLE, expected) };
  }
}

/** `parseEnv` alone reads the next line as the value if only a blank follows `=`, and any text before `=` as a name. */
export function parseSettings(text: string): Environment {
  const variables = Object.entries(parseEnv(text.replace(/[ \t\r]+$/gm, '')));
  return Object.fromEntries(variables.filter(([name]) => NAME.test(name)));
}

/** Never shows a line: it may be a secret. */
export function reportLines(reader: EnvironmentReader, path: string, text: string): void {
  const linesByName = new Map<string, number>();
  const faults = text.split('\n').flatMap((line, index) => {
    const fault = explainLine(line.trimEnd(), index + 1, linesByName);
    return fault === null ? [] : [{ place: `${path}, line ${index + 1}`, fault }];
  });
  for (const { place, fault } of faults.slice(0, MAX_FAULTS)) reader.addMistake(place, fault);
}

/** Returns null for a line that is read as intended. */
function explainLine(line: string, number: number, linesByName: Map<string, number>): string | null {
  if (IDLE_LINE.test(line)) return null;
  const [, name, value = ''] = VARIABLE_LINE.exec(line) ?? [];
  if (!name) return 'NAME=VALUE';
  const earlier = linesByName.get(name);
  if (earlier) return `${name} only once, and it is already in line ${earlier}`;
  linesByName.set(name, number);
  return OPEN_QUOTE.test(value) ? 'a closing quote on the same line' : null;
}
