import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import { formatEngineCode } from './database-codes.ts';
import { toErrorTrace } from './log.ts';

function captureError(statement: string): unknown {
  using database = new DatabaseSync(':memory:');
  database.exec('create table notes (text text unique); pragma max_page_count = 3');
  database.exec("insert into notes values ('canary')");
  try {
    database.exec(statement);
    return null;
  } catch (error) {
    return error;
  }
}

test('an error of SQLite is logged by the name of its code', () => {
  const filler = "insert into notes values (hex(zeroblob(10000)) || 'canary')";
  for (const [statement, code] of [
    ['select canary from nowhere', 'SQLITE_ERROR'],
    [filler, 'SQLITE_FULL'],
    ["insert into notes values ('canary')", 'SQLITE_CONSTRAINT:2067'],
  ] as const) {
    const trace = toErrorTrace(captureError(statement));
    assert.equal(trace.error_code, code);
    assert.ok(!JSON.stringify(trace).includes('canary'));
  }
});

test('an error of PostgreSQL is logged by the name of its code', () => {
  const error = Object.assign(new Error('role "canary" is not permitted to log in'), { code: '28000' });
  assert.equal(toErrorTrace(error).error_code, 'invalid_authorization_specification');
  // Also if the code is all that is reported, as by a readiness check.
  assert.equal(formatEngineCode({ code: '08006', severity: 'FATAL' }), '08006');
});

test('other errors, and codes without a name, have no name', () => {
  const codes = ['ENOENT', 'EPERM', '99999', 'constructor', 'ERR_SQLITE_ERROR'].map((code) => ({ code }));
  for (const error of [null, 'text', new Error('no'), ...codes, { ...codes.at(-1), errcode: 250 }])
    assert.equal(formatEngineCode(error), null);
});
