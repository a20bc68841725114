import assert from 'node:assert/strict';
import test from 'node:test';
import { formatFileFault, readErrorCode } from './error-code.ts';

test('the code is read from the error, or from the first error of several', () => {
  const refused = Object.assign(new Error('no'), { code: 'ECONNREFUSED' });
  assert.equal(readErrorCode(refused), 'ECONNREFUSED');
  assert.equal(readErrorCode(new AggregateError([refused, new Error('other')])), 'ECONNREFUSED');
});

test('the code is empty if the error has none', () => {
  for (const error of [new Error('no'), { code: 7 }, 'text', null, undefined, new AggregateError([])])
    assert.equal(readErrorCode(error), '');
});

test('a full disk is described in words, any other file error by its code', () => {
  assert.equal(formatFileFault({ code: 'ENOSPC' }), 'the disk is full');
  assert.equal(formatFileFault({ code: 'EACCES' }), 'EACCES');
  assert.equal(formatFileFault(new Error('no')), 'unknown reason');
});
