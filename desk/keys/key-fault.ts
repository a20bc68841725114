/** Why a file beside a desk key is not used: a sentence for people, and an exit code from sysexits.h for scripts. */
import type { EXIT_CODES } from '#platform/exit-codes.ts';

export class KeyFault extends Error {
  readonly exitCode: (typeof EXIT_CODES)[keyof typeof EXIT_CODES];

  constructor(line: string, exitCode: KeyFault['exitCode'], cause?: unknown) {
    super(line, { cause });
    this.name = 'KeyFault';
    this.exitCode = exitCode;
  }
}

/** A case has another key than the pinned one. */
export class PinFault extends KeyFault {}
