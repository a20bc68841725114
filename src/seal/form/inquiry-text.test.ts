import assert from 'node:assert/strict';
import test from 'node:test';
import { formatFileSize } from './inquiry-text.ts';

test('a size is said in the unit of the limits, and one byte is no bytes', () => {
  assert.deepEqual([0, 1, 2, 1_023, 1_024, 1_048_064, 26_214_400].map(formatFileSize), [
    '0 bytes',
    '1 byte',
    '2 bytes',
    '1023 bytes',
    '1 KB',
    '1.0 MB',
    '25.0 MB',
  ]);
});
