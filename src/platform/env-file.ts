/** Reads the file of variables, `.env` in the project's folder unless OFFICE_ENV_FILE names another. */
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { Environment } from './environment.ts';
import { formatFileFault } from './error-code.ts';

/** Set by `bin/office.js`, so that programs started by tests read no file. */
export const ENV_FILE_VARIABLE = 'OFFICE_ENV_FILE';

interface EnvFile {
  readonly variables: Environment;
  /** What was expected, if the file could not be read. */
  readonly fault?: string;
}

export function readEnvFile(path: string | undefined): EnvFile {
  if (!path) return { variables: {} };
  try {
    return { variables: parseEnv(readFileSync(path, 'utf8')) };
  } catch (error) {
    return { variables: {}, fault: `a file that this user may read (${path}: ${formatFileFault(error)})` };
  }
}
