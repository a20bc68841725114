import assert from 'node:assert/strict';
import test from 'node:test';
import { isEqualInConstantTime } from './constant-time.ts';

test('only the same text is the same, also where as many letters have more bytes', () => {
  assert.equal(isEqualInConstantTime('secret', 'secret'), true);
  for (const shown of ['', 'secre', 'secrets', 'Secret', 'sécret', 'secrét', '\0\0\0\0\0\0'])
    assert.equal(isEqualInConstantTime(shown, 'secret'), false, shown);
});
