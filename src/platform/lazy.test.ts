import assert from 'node:assert/strict';
import test from 'node:test';
import { createLazy } from './lazy.ts';

test('the value is loaded at the first call, and once for all callers', async () => {
  let loads = 0;
  const value = createLazy(async () => {
    loads += 1;
    return { loads };
  });
  assert.equal(loads, 0);
  const [first, second] = await Promise.all([value(), value()]);
  assert.equal(first, second);
  assert.equal(await value(), first);
  assert.equal(loads, 1);
});

test('a failure reaches every waiting caller, and the next call tries again', async () => {
  let loads = 0;
  const value = createLazy(async () => {
    loads += 1;
    if (loads === 1) throw new Error('away');
    return loads;
  });
  const waiting = [value(), value()];
  for (const { status } of await Promise.allSettled(waiting)) assert.equal(status, 'rejected');
  assert.equal(loads, 1);
  assert.equal(await value(), 2);
  assert.equal(await value(), 2);
});
