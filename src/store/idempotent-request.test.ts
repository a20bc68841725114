import assert from 'node:assert/strict';
import test from 'node:test';
import { toIdempotentRequest } from './idempotent-request.ts';
import type { Keyring } from './keys/keyring.ts';

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

test('a body is the same in whatever order its names are written, and another with its lists in another order', () => {
  const tagBody = (json: string) =>
    toIdempotentRequest(keyring, { scope: 'x', key: 'k', body: JSON.parse(json) as unknown })?.bodyTag;
  const first = tagBody('{"tier":"Trace","plain":{"b":[{"y":1,"x":null},2],"a":"é"}}');
  assert.equal(
    tagBody('{ "plain": {"a": "\\u00e9", "b": [{"x":null,"y":1.0}, 2]},\n "tier": "Trace" }'),
    first,
  );
  for (const other of [
    '{"tier":"Trace","plain":{"b":[2,{"y":1,"x":null}],"a":"é"}}',
    '{"tier":"Trace","plain":{"b":[{"y":1},2],"a":"é"}}',
    '{"tier":"Trace","plain":{"b":[{"y":"1","x":null},2],"a":"é"}}',
    '{"tier":"Trace","plain":{"b":{"0":{"y":1,"x":null},"1":2},"a":"é"}}',
    '{"tier":"Trace","b":[{"y":1,"x":null},2],"plain":{"a":"é"}}',
  ])
    assert.notEqual(tagBody(other), first, other);
});

test('a request without a key is not one that may come again', () => {
  assert.equal(toIdempotentRequest(keyring, { scope: 'checkout', key: null, body: 'Trace' }), null);
});
