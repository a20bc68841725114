/** Reports invalid fields of a request to programs, with the sentences that pages show, in English. */
import { ENGLISH } from '#language/languages.ts';
import { type ProblemFieldError, ServiceError } from '#platform/errors.ts';
import { SealError } from '#seal/core/seal-error.ts';
import type { FieldError } from '#seal/form/field-rules.ts';
import { sayText } from '#wire/said-text.ts';

/** `pointer` leads to the one field of the request body that is wrong. */
export function createFieldError(pointer: string, detail: string): ServiceError {
  return new ServiceError('validation_failed', { errors: [{ pointer, detail }] });
}

/** `place` is the pointer to the fields in the request body. */
export function createFieldProblem(errors: readonly FieldError[], place = ''): ServiceError {
  return new ServiceError('validation_failed', {
    errors: errors.map((error) => toProblemError(error, place)),
  });
}

function toProblemError({ pointer, said, choices }: FieldError, place: string): ProblemFieldError {
  const sentence = sayText(ENGLISH, said);
  return { pointer: place + pointer, detail: choices ? `${sentence}: ${choices.join(', ')}` : sentence };
}

/** Explains refused words by their positions, never by the words themselves. Returns any other error unchanged. */
export function toWordsError(error: unknown, pointer: string): unknown {
  if (!(error instanceof SealError)) return error;
  return createFieldError(pointer, error.message);
}
