import assert from 'node:assert/strict';
import test from 'node:test';
import { createAddressHasher } from './address-hash.ts';

const DAY_MS = 86_400_000;

test('the hash of an address stays the same for a day and changes with the next', () => {
  let now = 1_000 * DAY_MS;
  const hashAddress = createAddressHasher({ now: () => now });
  const first = hashAddress('192.0.2.1');
  now += DAY_MS - 1;
  assert.equal(hashAddress('192.0.2.1'), first);
  assert.notEqual(hashAddress('192.0.2.2'), first);
  now += 1;
  assert.notEqual(hashAddress('192.0.2.1'), first);
});

test('two processes hash the same address differently, and a hash does not reveal it', () => {
  const clock = { now: () => 0 };
  const [first, second] = [createAddressHasher(clock)('192.0.2.1'), createAddressHasher(clock)('192.0.2.1')];
  assert.notEqual(first, second);
  assert.ok(!first.includes('192.0.2.1'));
});

test('addresses of one IPv6 network have the same hash, since one machine can use them all', () => {
  const hashAddress = createAddressHasher({ now: () => 0 });
  assert.equal(hashAddress('2001:db8::1'), hashAddress('2001:db8::ffff'));
  assert.notEqual(hashAddress('2001:db8::1'), hashAddress('2001:db8:0:1::1'));
  assert.equal(hashAddress('::ffff:192.0.2.1'), hashAddress('192.0.2.1'));
});

test('the hash of a connection is that of its address, on every day, and a proxy has those of its callers', () => {
  let now = 1_000 * DAY_MS;
  const hashAddress = createAddressHasher({ now: () => now });
  const connection = { remoteAddress: '192.0.2.1' };
  for (const start of [now, now + DAY_MS]) {
    now = start;
    const hash = hashAddress('192.0.2.1');
    assert.equal(hashAddress('192.0.2.1', connection), hash);
    assert.equal(hashAddress('192.0.2.1', connection), hash);
    assert.equal(hashAddress('192.0.2.2', connection), hashAddress('192.0.2.2'));
    assert.notEqual(hashAddress('192.0.2.2', connection), hash);
  }
});
