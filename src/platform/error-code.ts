/** The code by which Node, PostgreSQL and others name a fault, such as ENOENT or 23505. */

/** Empty for an error that has none. */
export function readErrorCode(error: unknown): string {
  const { code, errors } = (error ?? {}) as { code?: unknown; errors?: readonly unknown[] };
  // A host with several addresses fails with one error for each.
  if (code === undefined && errors?.[0]) return readErrorCode(errors[0]);
  return typeof code === 'string' ? code : '';
}

/** Why a file could not be read or written, for the line that an operator reads. */
export function formatFileFault(error: unknown): string {
  const code = readErrorCode(error);
  return code === 'ENOSPC' ? 'the disk is full' : code || 'unknown reason';
}
