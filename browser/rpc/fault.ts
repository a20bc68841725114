/** Errors for the user, passed from the worker to the page: a code for a sentence, and the field to correct. */
import type { UnsaidText } from '#seal/core/unsaid-text.ts';

export interface UserFacingErrorData {
  /** Stable; from `SealError` or from the response of the service. */
  readonly code: string;
  /** The sentence to show, if the code does not determine it. */
  readonly said?: UnsaidText | undefined;
  /** Which side caused the error, for a code without a sentence in the page. */
  readonly blame?: 'client' | 'server' | undefined;
  /** The day on which a case was deleted. */
  readonly purgedOn?: string | undefined;
  /** The name of the field to correct, if any. */
  readonly field?: string | undefined;
}

export class UserFacingError extends Error {
  readonly data: UserFacingErrorData;

  constructor(data: UserFacingErrorData) {
    super(data.code);
    this.name = 'Fault';
    this.data = data;
  }

  get code(): string {
    return this.data.code;
  }
}

/** Hides the message of an unexpected error: it is not meant for users. */
export function toUserFacingErrorData(error: unknown): UserFacingErrorData {
  return error instanceof UserFacingError ? error.data : { code: 'unexpected' };
}

export function isErrorWithCode(error: unknown, code: string): error is UserFacingError {
  return error instanceof UserFacingError && error.code === code;
}
