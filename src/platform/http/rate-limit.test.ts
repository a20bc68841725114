import assert from 'node:assert/strict';
import test from 'node:test';
import { createAddressHasher } from './rate-limit.ts';

const DAY_MS = 86_400_000;

test('an address keeps its name for a day and gets another the next', () => {
  let now = 1_000 * DAY_MS;
  const blind = createAddressHasher({ now: () => now });
  const first = blind('192.0.2.1');
  now += DAY_MS - 1;
  assert.equal(blind('192.0.2.1'), first);
  assert.notEqual(blind('192.0.2.2'), first);
  now += 1;
  assert.notEqual(blind('192.0.2.1'), first);
});

test('two processes name the same address differently, and no name shows it', () => {
  const clock = { now: () => 0 };
  const [one, other] = [createAddressHasher(clock)('192.0.2.1'), createAddressHasher(clock)('192.0.2.1')];
  assert.notEqual(one, other);
  assert.ok(!one.includes('192'));
});

test('addresses of one IPv6 network share a name, since one machine can hold them all', () => {
  const blind = createAddressHasher({ now: () => 0 });
  assert.equal(blind('2001:db8::1'), blind('2001:db8::ffff'));
  assert.notEqual(blind('2001:db8::1'), blind('2001:db8:0:1::1'));
  assert.equal(blind('::ffff:192.0.2.1'), blind('192.0.2.1'));
});
