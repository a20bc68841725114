/** Why the office, or a file beside the investigator's key, could not be used. The message is fit for investigators. */
import { PinFault } from '#desk/keys/pin-file.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';

/**
 * - `unreachable`, `untrusted`, `hostile`: no answer, no trusted connection, or an answer that no honest office gives.
 * - `challenge_refused`, `sign_in_refused`, `not_for_desk`: there is no session.
 * - `key_changed`, `altered`, `not_genuine`, `unreadable`: the case is not what it was, or does not open.
 * - `people_changed`: notes wait until the change is confirmed.
 * - `case_changed`: the buyer or a colleague wrote meanwhile; read it, then send again.
 * - `case_held`, `case_state`, `case_unknown`, `owner_only`, `order_waits`, `refused`: the office refuses.
 * - `invalid`: the written text breaks a rule.
 * - `local_file`: a file of the desk cannot be read or written.
 */
export type OfficeFaultCode =
  | 'unreachable'
  | 'untrusted'
  | 'hostile'
  | 'challenge_refused'
  | 'sign_in_refused'
  | 'not_for_desk'
  | 'key_changed'
  | 'altered'
  | 'not_genuine'
  | 'unreadable'
  | 'people_changed'
  | 'case_changed'
  | 'case_held'
  | 'case_state'
  | 'case_unknown'
  | 'owner_only'
  | 'order_waits'
  | 'refused'
  | 'invalid'
  | 'local_file';

const exitCodes: Partial<Record<OfficeFaultCode, number>> = {
  unreachable: EXIT_CODES.unavailable,
  untrusted: EXIT_CODES.dataError,
  hostile: EXIT_CODES.dataError,
  challenge_refused: EXIT_CODES.dataError,
  key_changed: EXIT_CODES.dataError,
  altered: EXIT_CODES.dataError,
  not_genuine: EXIT_CODES.dataError,
  sign_in_refused: EXIT_CODES.noPermission,
  not_for_desk: EXIT_CODES.noPermission,
  owner_only: EXIT_CODES.noPermission,
  unreadable: EXIT_CODES.noPermission,
  local_file: EXIT_CODES.noInput,
};

/** Its code determines what pages of the desk show beside the text. */
export class OfficeFault extends ProgramError {
  override readonly name = 'OfficeFault';
  readonly code: OfficeFaultCode;

  constructor(code: OfficeFaultCode, text: string, cause?: unknown) {
    // The exit code of a local file's fault is more specific.
    const exitCode = cause instanceof ProgramError ? cause.exitCode : exitCodes[code];
    super(text, exitCode ?? EXIT_CODES.failure, cause);
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
