/** Exit codes of the programs, and the error that carries one. */
import { formatFileFault } from './error-code.ts';

/** All but `failure` are from sysexits.h. */
export const EXIT_CODES = {
  ok: 0,
  failure: 1,
  usage: 64,
  dataError: 65,
  noInput: 66,
  unavailable: 69,
  software: 70,
  cannotCreate: 73,
  inputOutput: 74,
  noPermission: 77,
  config: 78,
} as const;

/** Why a program ends or does not do what was requested: a line for its user, and an exit code for scripts. */
export class ProgramError extends Error {
  override readonly name: string = 'ProgramError';
  readonly exitCode: number;

  constructor(line: string, exitCode: number = EXIT_CODES.failure, cause?: unknown) {
    super(line, { cause });
    this.exitCode = exitCode;
  }
}

/** For a file that the user has named. */
export function createReadError(path: string, cause: unknown): ProgramError {
  return new ProgramError(`${path}: cannot be read (${formatFileFault(cause)})`, EXIT_CODES.noInput, cause);
}
