/** Reads the code of an error from Node, PostgreSQL or a library, such as ENOENT or 23505. */

/** Returns an empty text if the error has no code. */
export function readErrorCode(error: unknown): string {
  const { code, errors } = (error ?? {}) as { code?: unknown; errors?: readonly unknown[] };
  // A connection to a host with several addresses fails with one error for each address.
  if (code === undefined && errors?.[0]) return readErrorCode(errors[0]);
  return typeof code === 'string' ? code : '';
}

/** Explains to the operator why a file could not be read or written. */
export function formatFileFault(error: unknown): string {
  const code = readErrorCode(error);
  return code === 'ENOSPC' ? 'the disk is full' : code || 'unknown reason';
}
