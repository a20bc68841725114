/** An error to be read by whoever started the agent, without a stack. */

/** sysexits.h: EX_USAGE. */
export const EXIT_USAGE = 64;

export class AgentFailure extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.name = 'AgentFailure';
    this.exitCode = exitCode;
  }
}
