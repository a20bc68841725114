import assert from 'node:assert/strict';
import test from 'node:test';
import { hashSecret, matchesSecretHash } from './clients.ts';

test('a secret is known by its hash, whatever is shown in its place, however long', () => {
  const secret = 'a'.repeat(43);
  const kept = hashSecret(secret);
  assert.equal(matchesSecretHash(secret, kept), true);
  for (const shown of ['', 'a', kept, `${secret}a`, secret.slice(1), 'é'.repeat(43), 'x'.repeat(10_000)])
    assert.equal(matchesSecretHash(shown, kept), false);
});

test('hashes of secrets are of one length, so that comparing them takes one time', () => {
  assert.equal(new Set(['', 'a', 'a'.repeat(10_000)].map((secret) => hashSecret(secret).length)).size, 1);
});
