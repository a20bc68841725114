/** What went wrong, for the person: a sentence to show, and the field that it belongs to. Crosses from worker to page. */

export interface UserFacingErrorData {
  /** Stable; that of the sealing layer or of the service's answer. */
  readonly code: string;
  readonly sentence: string;
  /** The name of the field to go to; none where no field is to blame. */
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

/** The text of an error that nobody foresaw is for no reader. */
export function toUserFacingErrorData(error: unknown): UserFacingErrorData {
  if (error instanceof UserFacingError)
    return { code: error.code, sentence: error.message, field: error.field };
  return UNEXPECTED;
}
