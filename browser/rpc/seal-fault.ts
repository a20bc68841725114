/** Converts sealing and opening errors into errors for the user. */
import { SealError } from '#seal/core/seal-error.ts';
import { UserFacingError } from './fault.ts';

/** Returns other errors unchanged. */
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
