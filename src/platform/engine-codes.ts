/** The names of the error codes of SQLite and PostgreSQL: an operator can look them up, and they quote no data. */

/** In the order of their numbers, which begin at 1 (sqlite.org/rescode.html). */
const SQLITE_NAMES =
  'ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND FULL CANTOPEN PROTOCOL EMPTY SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT RANGE NOTADB'.split(
    ' ',
  );

/** PostgreSQL, appendix A: those that a service can meet. */
const SQLSTATE_NAMES: Readonly<Record<string, string>> = {
  '08000': 'connection_exception',
  '08003': 'connection_does_not_exist',
  '08006': 'connection_failure',
  '08P01': 'protocol_violation',
  '22001': 'string_data_right_truncation',
  '22003': 'numeric_value_out_of_range',
  '22P02': 'invalid_text_representation',
  '23502': 'not_null_violation',
  '23503': 'foreign_key_violation',
  '23505': 'unique_violation',
  '23514': 'check_violation',
  '25006': 'read_only_sql_transaction',
  '25P02': 'in_failed_sql_transaction',
  '25P03': 'idle_in_transaction_session_timeout',
  '28000': 'invalid_authorization_specification',
  '28P01': 'invalid_password',
  '3D000': 'invalid_catalog_name',
  '3F000': 'invalid_schema_name',
  '40001': 'serialization_failure',
  '40P01': 'deadlock_detected',
  '42501': 'insufficient_privilege',
  '42601': 'syntax_error',
  '42703': 'undefined_column',
  '42883': 'undefined_function',
  '42P01': 'undefined_table',
  '42P07': 'duplicate_table',
  '53100': 'disk_full',
  '53200': 'out_of_memory',
  '53300': 'too_many_connections',
  '55000': 'object_not_in_prerequisite_state',
  '55P03': 'lock_not_available',
  '57014': 'query_canceled',
  '57P01': 'admin_shutdown',
  '57P02': 'crash_shutdown',
  '57P03': 'cannot_connect_now',
  '58030': 'io_error',
  XX000: 'internal_error',
  XX001: 'data_corrupted',
  XX002: 'index_corrupted',
};

/** Returns null if the error is from neither engine. An extended code of SQLite follows the name: SQLITE_IOERR:1034. */
export function formatEngineCode(error: unknown): string | null {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  if (code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number') {
    const name = SQLITE_NAMES[(errcode & 0xff) - 1];
    if (name === undefined) return null;
    return errcode > 0xff ? `SQLITE_${name}:${errcode}` : `SQLITE_${name}`;
  }
  return typeof code === 'string' && Object.hasOwn(SQLSTATE_NAMES, code) ? SQLSTATE_NAMES[code]! : null;
}

const DAMAGED = /^(?:SQLITE_CORRUPT|SQLITE_NOTADB|data_corrupted|index_corrupted)/;
export const DAMAGE_ADVICE =
  'stop the service, copy the records as they are, and restore the last backup into an empty place (docs/operating.md)';

/** For records that no second try mends: ends a sentence that begins with them. Null for another error. */
export function explainDamage(error: unknown): string | null {
  const code = formatEngineCode(error) ?? formatEngineCode((error as { cause?: unknown } | null)?.cause);
  return code && DAMAGED.test(code) ? `are damaged (${code}): ${DAMAGE_ADVICE}` : null;
}
