/** Errors for the user, passed from the worker to the page: a code for a sentence, and the field to correct. */
import { SealError } from '#seal/core/seal-error.ts';
import type { UnsaidText } from '#seal/core/unsaid-text.ts';

export interface UserFacingErrorData {
  /** Stable; from `SealError`, from the response of the service, or from our own scripts. */
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

/** For an error of sealing or opening; returns other errors unchanged. */
export function toUserFacingError(error: unknown, field?: string): unknown {
  return error instanceof SealError ? new UserFacingError({ code: error.code, field }) : error;
}

/** Names the file, because there may be ten of them. */
export function toAttachedFileError(error: unknown, name: string): unknown {
  const code = findFileFault(error);
  if (code === null) return error;
  const said = { key: 'fault.files.named', values: { name, fault: { key: `problem.${code}` } } };
  return new UserFacingError({ code, said, field: 'files' });
}

function findFileFault(error: unknown): string | null {
  if (error instanceof SealError) return error.code;
  // Browsers stop reading a file that was moved or changed after it was chosen.
  const isGone = error instanceof DOMException && /^Not(?:Readable|Found)Error$/.test(error.name);
  return isGone ? 'file_gone' : null;
}
