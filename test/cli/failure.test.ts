/** What a command says about a failing database: the name of the engine's error code, and nothing that it quotes. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { toProgramError } from '#cli/failure.ts';
import { ServiceError } from '#platform/errors.ts';

test('a failing database is named by its code, without the text of the error', () => {
  const full = Object.assign(new Error('canary'), { code: 'ERR_SQLITE_ERROR', errcode: 13 });
  const refused = toProgramError(new ServiceError('storage_unavailable', { cause: full }));
  assert.deepEqual([refused.exitCode, refused.message.endsWith('(SQLITE_FULL)')], [69, true]);
  assert.match(refused.message, /^The disk of the database is full/);
  const slots = new ServiceError('storage_unavailable', { cause: { code: 'ENOSPC' } });
  assert.match(toProgramError(slots).message, /^The disk of the database is full/);
  const busy = Object.assign(new Error('canary'), { code: 'ERR_SQLITE_ERROR', errcode: 5 });
  const waiting = toProgramError(new ServiceError('storage_unavailable', { cause: busy }));
  assert.match(waiting.message, /^The database is not responding at the moment; try again\. \(SQLITE_BUSY\)/);
  const missing = Object.assign(new Error('canary'), { code: '42P01' });
  const unexpected = toProgramError(missing);
  assert.deepEqual([unexpected.exitCode, / 42P01 at /.test(unexpected.message)], [70, true]);
  assert.ok(!(refused.message + unexpected.message).includes('canary'));
});
