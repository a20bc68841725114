/** How the programs end when they cannot do their work: an exit code, and the error that carries it. */

/** Of sysexits.h, but for the first. */
export const EXIT_CODES = {
  failure: 1,
  usage: 64,
  noInput: 66,
  unavailable: 69,
  software: 70,
  cannotCreate: 73,
  inputOutput: 74,
  noPermission: 77,
  config: 78,
} as const;

/** Why the program cannot start: one line for the operator and the exit code of sysexits.h. */
export class StartError extends Error {
  readonly exitCode: number;

  constructor(line: string, exitCode: number, cause?: unknown) {
    super(line, { cause });
    this.name = 'StartError';
    this.exitCode = exitCode;
  }
}
