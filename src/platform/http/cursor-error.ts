/** The refusal of a cursor that no page has given. */
import { ServiceError } from '#platform/errors.ts';

export function createCursorError(): ServiceError {
  return new ServiceError('validation_failed', {
    errors: [{ parameter: 'after', detail: 'must be a cursor from an earlier page' }],
  });
}
