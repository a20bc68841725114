/** Exit codes of the programs, and the error that carries one. */

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

/** Why the program cannot start: one line for the operator, and an exit code. */
export class StartError extends Error {
  readonly exitCode: number;

  constructor(line: string, exitCode: number, cause?: unknown) {
    super(line, { cause });
    this.name = 'StartError';
    this.exitCode = exitCode;
  }
}
