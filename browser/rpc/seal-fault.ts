/** Converts errors of sealing and opening to errors for the user. */
import { SealError } from '#seal/seal-error.ts';
import { UserFacingError } from './fault.ts';

/** Returns other errors unchanged. */
export function toUserFacingError(error: unknown, field?: string): unknown {
  return error instanceof SealError
    ? new UserFacingError({ code: error.code, sentence: error.message, field })
    : error;
}

/** Names the file, since there may be ten of them. */
export function toAttachedFileError(error: unknown, name: string): unknown {
  const field = 'files';
  if (error instanceof SealError)
    return new UserFacingError({ code: error.code, sentence: `${name}: ${error.message}`, field });
  // Browsers stop reading a file that was moved or changed after it was chosen.
  if (error instanceof DOMException && /^Not(?:Readable|Found)Error$/.test(error.name))
    return new UserFacingError({
      code: 'file_gone',
      sentence: `${name}: The file was changed or moved. Choose the files again.`,
      field,
    });
  return error;
}
