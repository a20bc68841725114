/** Errors for the user: a sentence to show and the field it belongs to. The data is passed from worker to page. */

export interface UserFacingErrorData {
  /** Stable; from `SealError` or from the response of the service. */
  readonly code: string;
  readonly sentence: string;
  /** The name of the field to correct, if any. */
  readonly field?: string | undefined;
}

export class UserFacingError extends Error {
  readonly code: string;
  readonly field: string | undefined;

  constructor({ code, sentence, field }: UserFacingErrorData) {
    super(sentence);
    this.name = 'Fault';
    this.code = code;
    this.field = field;
  }
}

const UNEXPECTED: UserFacingErrorData = {
  code: 'unexpected',
  sentence: 'Something went wrong in this browser. What you wrote is still here: try again.',
};

/** Hides the message of an unexpected error: it is not meant for users. */
export function toUserFacingErrorData(error: unknown): UserFacingErrorData {
  if (error instanceof UserFacingError)
    return { code: error.code, sentence: error.message, field: error.field };
  return UNEXPECTED;
}
