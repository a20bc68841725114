import assert from 'node:assert/strict';
import test from 'node:test';
import type { Keyring } from '../keys/keyring.ts';
import { toIdempotentRequest } from './idempotent-request.ts';

const key = { tag: (purpose: string, value: string) => `${purpose}: ${value}` };
const keyring = { ...key, keys: [key] } as unknown as Keyring;

test('the tags of a request never change: a key of the day before an upgrade still counts after it', () => {
  assert.deepEqual(toIdempotentRequest(keyring, { scope: 'checkout', key: 'k', body: 'Trace' }), {
    keyTag: 'idempotency: checkout\nk',
    bodyTag: 'idempotency: Trace',
  });
  assert.deepEqual(toIdempotentRequest(keyring, { scope: 'contact of x', key: 'k', body: { a: 1 } }), {
    keyTag: 'idempotency: contact of x\nk',
    bodyTag: 'idempotency: {"a":1}',
  });
});

test('a request without a key is not one that may come again', () => {
  assert.equal(toIdempotentRequest(keyring, { scope: 'checkout', key: null, body: 'Trace' }), null);
});
