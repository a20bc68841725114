import assert from 'node:assert/strict';
import test from 'node:test';
import { formatFileSize } from './inquiry-text.ts';

test('a size is said as file managers say it, and one byte is no bytes', () => {
  assert.deepEqual([0, 1, 2, 999, 1_000, 999_500, 26_214_400].map(formatFileSize), [
    '0 bytes',
    '1 byte',
    '2 bytes',
    '999 bytes',
    '1 KB',
    '1.0 MB',
    '26.2 MB',
  ]);
});
