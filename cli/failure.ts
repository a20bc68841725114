/** Why a command failed: one line for people, and an exit code from sysexits.h for scripts. */
import { explainDamage, formatEngineCode } from '#platform/database-codes.ts';
import { readErrorCode } from '#platform/error-code.ts';
import { ServiceError } from '#platform/errors.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { toErrorTrace } from '#platform/log.ts';
import type { ProblemCode } from '#platform/problems.ts';
import { SealError } from '#seal/core/seal-error.ts';

/** Messages that replace the general ones, which are written for a browser. */
const sentences: Partial<Record<ProblemCode, string>> = {
  case_unknown: 'There is no such case; it may have been purged.',
  not_found: 'There is no such message; it may have been purged.',
  storage_unavailable: 'The database is not responding at the moment; try again.',
};

export function toProgramError(error: unknown): ProgramError {
  if (error instanceof ProgramError) return error;
  if (error instanceof ServiceError)
    return new ProgramError(
      formatServiceError(error),
      error.status === 503 ? EXIT_CODES.unavailable : EXIT_CODES.failure,
    );
  if (error instanceof SealError)
    return new ProgramError(
      error.message,
      error.code === 'wrong_key' ? EXIT_CODES.noPermission : EXIT_CODES.dataError,
    );
  const damage = explainDamage(error);
  if (damage) return new ProgramError(`The records ${damage}.`, EXIT_CODES.inputOutput);
  // Omit the message, which may quote decrypted content.
  const { error: kind, error_code: code = '', at = '' } = toErrorTrace(error);
  return new ProgramError(`Unexpected ${kind} ${code} at ${at}`, EXIT_CODES.software);
}

/** A separate message, because retrying does not help until there is space. */
const FULL = 'The disk of the database is full, so nothing was written; make room and try again.';
const DISK_FULL = new Set(['SQLITE_FULL', 'disk_full']);

function formatServiceError({ code, publicMessage, cause }: ServiceError): string {
  const reason = code === 'storage_unavailable' ? formatEngineCode(cause) : null;
  const isFull = DISK_FULL.has(reason ?? '') || readErrorCode(cause) === 'ENOSPC';
  const isGeneral = new ServiceError(code).publicMessage === publicMessage;
  const sentence = isFull ? FULL : ((isGeneral ? sentences[code] : undefined) ?? publicMessage);
  return reason === null ? sentence : `${sentence} (${reason})`;
}
