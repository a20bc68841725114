/** Why a command did not do its work: one line for the person, and the exit code of sysexits.h for the script. */
import { ConfigError } from '#platform/config.ts';
import { EXIT, type ProblemCode, ServiceError, StartError } from '#platform/errors.ts';
import { traceOf } from '#platform/log.ts';
import { SealError } from '#seal/seal-error.ts';

export class Failure extends Error {
  readonly exitCode: number;

  constructor(line: string, exitCode: number, cause?: unknown) {
    super(line, { cause });
    this.name = 'Failure';
    this.exitCode = exitCode;
  }
}

/** Where the sentence of the table speaks to a browser. */
const sentences: Partial<Record<ProblemCode, string>> = {
  case_unknown: 'There is no such case: it was purged, or never was.',
  not_found: 'There is no such message: it was purged, or never was.',
  storage_unavailable: 'The database does not answer at the moment; try again.',
};

export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof ConfigError)
    return new Failure(`The configuration has mistakes: ${error.mistakes.join('; ')}`, EXIT.config);
  if (error instanceof StartError) return new Failure(error.message, error.exitCode);
  if (error instanceof ServiceError)
    return new Failure(sentenceOf(error), error.status === 503 ? EXIT.unavailable : EXIT.failure);
  if (error instanceof SealError)
    return new Failure(error.message, error.code === 'wrong_key' ? EXIT.noPermission : EXIT.failure);
  // Without its message, which may quote what was opened.
  const { error: kind, error_code: code = '', at = '' } = traceOf(error);
  return new Failure(`Unexpected ${kind} ${code} at ${at}`, EXIT.software);
}

export function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown reason';
}

function sentenceOf({ code, publicMessage }: ServiceError): string {
  const general = new ServiceError(code).publicMessage === publicMessage;
  return (general ? sentences[code] : undefined) ?? publicMessage;
}
