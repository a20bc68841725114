/** The names of the error codes of SQLite and PostgreSQL: an operator can look them up, and they quote no data. */

/** In the order of their numbers, which begin at 1 (sqlite.org/rescode.html). */
const SQLITE_NAMES =
  'ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND FULL CANTOPEN PROTOCOL EMPTY SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT RANGE NOTADB'.split(
    ' ',
  );

/** The codes of PostgreSQL (appendix A) that an operator can act on; any other is shown as its five characters. */
const SQLSTATE_NAMES: Readonly<Record<string, string>> = {
  '25006': 'read_only_sql_transaction',
  '28000': 'invalid_authorization_specification',
  '28P01': 'invalid_password',
  '3D000': 'invalid_catalog_name',
  '42501': 'insufficient_privilege',
  '53100': 'disk_full',
  '53200': 'out_of_memory',
  '53300': 'too_many_connections',
  '57014': 'query_canceled',
  '57P01': 'admin_shutdown',
  '57P02': 'crash_shutdown',
  '57P03': 'cannot_connect_now',
  '58030': 'io_error',
  XX001: 'data_corrupted',
  XX002: 'index_corrupted',
};

/** Returns null if the error is from neither engine. An extended code of SQLite follows the name: SQLITE_IOERR:1034. */
export function formatEngineCode(error: unknown): string | null {
  const { code, errcode, severity } = (error ?? {}) as Readonly<Record<string, unknown>>;
  if (code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number') {
    const name = SQLITE_NAMES[(errcode & 0xff) - 1];
    if (name === undefined) return null;
    return errcode > 0xff ? `SQLITE_${name}:${errcode}` : `SQLITE_${name}`;
  }
  if (typeof code !== 'string' || !/^\w{5}$/.test(code)) return null;
  if (Object.hasOwn(SQLSTATE_NAMES, code)) return SQLSTATE_NAMES[code]!;
  // Only the server says how severe it is: a code of Node, such as EPERM, may have five characters too.
  return typeof severity === 'string' ? code : null;
}

const DAMAGED = /^(?:SQLITE_CORRUPT|SQLITE_NOTADB|data_corrupted|index_corrupted)/;
export const DAMAGE_ADVICE =
  'stop the service, copy the records as they are, and restore the last backup into an empty place (docs/operating.md)';

/** Ends a sentence about the records if they are damaged, which no retry can repair; null for any other error. */
export function explainDamage(error: unknown): string | null {
  const code = formatEngineCode(error) ?? formatEngineCode((error as { cause?: unknown } | null)?.cause);
  return code && DAMAGED.test(code) ? `are damaged (${code}): ${DAMAGE_ADVICE}` : null;
}
