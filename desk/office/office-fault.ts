/** Why the office, or a file beside the investigator's key, could not be used. The message is fit for investigators. */
import { PinFault } from '#desk/keys/pin-file.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';

/** The codes of all faults, with the exit codes of commands. */
const exitCodes = {
  // No answer, no trusted connection, or an answer that no honest office gives.
  unreachable: EXIT_CODES.unavailable,
  untrusted: EXIT_CODES.dataError,
  hostile: EXIT_CODES.dataError,
  // There is no session.
  challenge_refused: EXIT_CODES.dataError,
  sign_in_refused: EXIT_CODES.noPermission,
  not_for_desk: EXIT_CODES.noPermission,
  // The case is not what it was, or does not open.
  key_changed: EXIT_CODES.dataError,
  altered: EXIT_CODES.dataError,
  not_genuine: EXIT_CODES.dataError,
  unreadable: EXIT_CODES.noPermission,
  // Notes wait until the change is confirmed.
  people_changed: EXIT_CODES.failure,
  // The buyer or a colleague wrote meanwhile: read it, then send again.
  case_changed: EXIT_CODES.failure,
  // The office refuses.
  case_held: EXIT_CODES.failure,
  case_state: EXIT_CODES.failure,
  case_unknown: EXIT_CODES.failure,
  owner_only: EXIT_CODES.noPermission,
  order_waits: EXIT_CODES.failure,
  refused: EXIT_CODES.failure,
  // The written text breaks a rule.
  invalid: EXIT_CODES.failure,
  // A file of the desk cannot be read or written.
  local_file: EXIT_CODES.noInput,
} as const;

export type OfficeFaultCode = keyof typeof exitCodes;

/** Its code determines what pages of the desk show beside the text. */
export class OfficeFault extends ProgramError {
  override readonly name = 'OfficeFault';
  readonly code: OfficeFaultCode;

  constructor(code: OfficeFaultCode, text: string, cause?: unknown) {
    // The exit code of a local file's fault is more specific.
    const exitCode = cause instanceof ProgramError ? cause.exitCode : exitCodes[code];
    super(text, exitCode, cause);
    this.code = code;
  }
}

/** Faults of files beside the investigator's key, as pages can show them. */
export async function withLocalFaults<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PinFault) throw new OfficeFault('key_changed', error.message, error);
    if (error instanceof ProgramError && !(error instanceof OfficeFault))
      throw new OfficeFault('local_file', error.message, error);
    throw error;
  }
}

/** The fault that ended the work; null if it succeeded. Any other error is a bug. */
export async function findFault(work: () => Promise<unknown>): Promise<OfficeFault | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof OfficeFault) return error;
    throw error;
  }
}
