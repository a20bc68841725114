import assert from 'node:assert/strict';
import test from 'node:test';
import { hashSecret, matchesSecretHash } from './clients.ts';

test('only the secret itself matches its hash, however long the other value is', () => {
  const secret = 'a'.repeat(43);
  const storedHash = hashSecret(secret);
  assert.equal(matchesSecretHash(secret, storedHash), true);
  for (const presented of [
    '',
    'a',
    storedHash,
    `${secret}a`,
    secret.slice(1),
    'é'.repeat(43),
    'x'.repeat(10_000),
  ])
    assert.equal(matchesSecretHash(presented, storedHash), false);
});
