import assert from 'node:assert/strict';
import test from 'node:test';
import { formatFileFault, readErrorCode } from './error-code.ts';

test('a code is read from the error, or from the first of several', () => {
  const refused = Object.assign(new Error('no'), { code: 'ECONNREFUSED' });
  assert.equal(readErrorCode(refused), 'ECONNREFUSED');
  assert.equal(readErrorCode(new AggregateError([refused, new Error('other')])), 'ECONNREFUSED');
});

test('what has no code has an empty one', () => {
  for (const error of [new Error('no'), { code: 7 }, 'text', null, undefined, new AggregateError([])])
    assert.equal(readErrorCode(error), '');
});

test('the fault of a file is told in words where its code says little', () => {
  assert.equal(formatFileFault({ code: 'ENOSPC' }), 'the disk is full');
  assert.equal(formatFileFault({ code: 'EACCES' }), 'EACCES');
  assert.equal(formatFileFault(new Error('no')), 'unknown reason');
});
