import assert from 'node:assert/strict';
import test from 'node:test';
import { isEqualInConstantTime } from './constant-time.ts';

test('only identical texts are equal, even if other texts have as many characters but more bytes', () => {
  assert.equal(isEqualInConstantTime('secret', 'secret'), true);
  for (const presented of ['', 'secre', 'secrets', 'Secret', 'sécret', 'secrét', '\0\0\0\0\0\0'])
    assert.equal(isEqualInConstantTime(presented, 'secret'), false, presented);
});
