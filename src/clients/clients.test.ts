import assert from 'node:assert/strict';
import test from 'node:test';
import { isSecret, secretHash } from './clients.ts';

test('a secret is known by its hash, whatever is shown in its place, however long', () => {
  const secret = 'a'.repeat(43);
  const kept = secretHash(secret);
  assert.equal(isSecret(secret, kept), true);
  for (const shown of ['', 'a', kept, `${secret}a`, secret.slice(1), 'é'.repeat(43), 'x'.repeat(10_000)])
    assert.equal(isSecret(shown, kept), false);
});

test('hashes of secrets are of one length, so that comparing them takes one time', () => {
  assert.equal(new Set(['', 'a', 'a'.repeat(10_000)].map((secret) => secretHash(secret).length)).size, 1);
});
