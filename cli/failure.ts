/** Why a command failed: one line for people, and an exit code from sysexits.h for scripts. */
import { KeyFault } from '#desk-program/keys/key-fault.ts';
import { OfficeFault, type OfficeFaultCode } from '#desk-program/office/office.ts';
import { ConfigError } from '#platform/config.ts';
import { formatEngineCode } from '#platform/engine-codes.ts';
import { readErrorCode } from '#platform/error-code.ts';
import { ServiceError } from '#platform/errors.ts';
import { EXIT_CODES, StartError } from '#platform/exit-codes.ts';
import { toErrorTrace } from '#platform/log.ts';
import type { ProblemCode } from '#platform/problems.ts';
import { SealError } from '#seal/seal-error.ts';

export class CommandFailure extends Error {
  readonly exitCode: number;

  constructor(line: string, exitCode: number, cause?: unknown) {
    super(line, { cause });
    this.name = 'Failure';
    this.exitCode = exitCode;
  }
}

/** Replace general messages that are written for a browser. */
const sentences: Partial<Record<ProblemCode, string>> = {
  case_unknown: 'There is no such case; it may have been purged.',
  not_found: 'There is no such message; it may have been purged.',
  storage_unavailable: 'The database is not responding at the moment; try again.',
};

const officeExitCodes: Partial<Record<OfficeFaultCode, number>> = {
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

export function toCommandFailure(error: unknown): CommandFailure {
  if (error instanceof CommandFailure) return error;
  if (error instanceof ConfigError)
    return new CommandFailure(
      `The configuration has mistakes: ${error.mistakes.join('; ')}`,
      EXIT_CODES.config,
    );
  if (error instanceof StartError || error instanceof KeyFault)
    return new CommandFailure(error.message, error.exitCode);
  if (error instanceof OfficeFault)
    return new CommandFailure(
      error.text,
      findLocalExitCode(error) ?? officeExitCodes[error.code] ?? EXIT_CODES.failure,
    );
  if (error instanceof ServiceError)
    return new CommandFailure(
      formatServiceError(error),
      error.status === 503 ? EXIT_CODES.unavailable : EXIT_CODES.failure,
    );
  if (error instanceof SealError)
    return new CommandFailure(
      error.message,
      error.code === 'wrong_key' ? EXIT_CODES.noPermission : EXIT_CODES.dataError,
    );
  // Omit the message, which may quote decrypted content.
  const { error: kind, error_code: code = '', at = '' } = toErrorTrace(error);
  return new CommandFailure(`Unexpected ${kind} ${code} at ${at}`, EXIT_CODES.software);
}

/** A file beside the key tells more about what is wrong with it than the office's client does. */
function findLocalExitCode({ cause }: OfficeFault): number | undefined {
  return cause instanceof KeyFault || cause instanceof StartError ? cause.exitCode : undefined;
}

/** Trying again does not help before there is room. */
const FULL = 'The disk of the database is full, so nothing was written; make room and try again.';
const DISK_FULL = new Set(['SQLITE_FULL', 'disk_full']);

function formatServiceError({ code, publicMessage, cause }: ServiceError): string {
  const reason = code === 'storage_unavailable' ? formatEngineCode(cause) : null;
  const isFull = DISK_FULL.has(reason ?? '') || readErrorCode(cause) === 'ENOSPC';
  const isGeneral = new ServiceError(code).publicMessage === publicMessage;
  const sentence = isFull ? FULL : ((isGeneral ? sentences[code] : undefined) ?? publicMessage);
  return reason === null ? sentence : `${sentence} (${reason})`;
}
