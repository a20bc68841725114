/** Tells a program why its words are refused, by their positions and never by a word. */
import { ServiceError } from '#platform/errors.ts';
import { SealError } from '#seal/core/seal-error.ts';

/** Returns any other error unchanged. */
export function toWordsError(error: unknown, pointer: string): unknown {
  if (!(error instanceof SealError)) return error;
  return new ServiceError('validation_failed', { errors: [{ pointer, detail: error.message }] });
}
