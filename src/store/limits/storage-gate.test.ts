import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { createDiskWatch } from './storage-gate.ts';

const MIB = 1024 ** 2;
const TOTAL = 100_000 * MIB;

function watchDisk(t: TestContext, free: number) {
  const clock = { now: 1_000 };
  t.mock.method(performance, 'now', () => clock.now);
  const disk = { free, probes: 0 };
  const watch = createDiskWatch(async () => {
    disk.probes += 1;
    return { total: TOTAL, free: disk.free, reusable: 0 };
  });
  return { clock, disk, watch };
}

test('a disk with plenty of space is measured once for all writers of a moment', async (t) => {
  const { clock, disk, watch } = watchDisk(t, 10_000 * MIB);
  const views = await Promise.all(Array.from({ length: 50 }, () => watch.look(MIB)));
  for (const view of [...views, await watch.look(MIB)]) assert.equal(view.isLow(1), false);
  assert.equal(disk.probes, 1);
  clock.now += 100;
  assert.equal((await watch.look(0)).total, TOTAL);
  assert.equal(disk.probes, 2);
});

test('a disk that is nearly full is measured for every writer', async (t) => {
  // The floor is 256 MiB, and a write takes twice its size.
  const { disk, watch } = watchDisk(t, 300 * MIB);
  assert.equal((await watch.look(MIB)).isLow(1), false);
  disk.free = 256 * MIB;
  assert.equal((await watch.look(MIB)).isLow(1), true);
  assert.equal(disk.probes, 2);
});

test('what was announced counts until a later measurement has seen it', async (t) => {
  const { clock, disk, watch } = watchDisk(t, 1_000 * MIB);
  assert.equal((await watch.look(300 * MIB)).isLow(1), false);
  watch.announce(300 * MIB);
  watch.settle(300 * MIB);
  await watch.look(MIB);
  assert.equal(disk.probes, 1, 'there is still plenty');
  assert.equal((await watch.look(80 * MIB)).isLow(1), false);
  assert.equal(disk.probes, 2, 'not for so much, so it was measured again');
  watch.announce(300 * MIB);
  clock.now += 100;
  assert.equal((await watch.look(80 * MIB)).isLow(1), true, 'still being written');
  watch.settle(300 * MIB);
  assert.equal((await watch.look(80 * MIB)).isLow(1), false, 'on the disk before it was measured');
});

test('a disk of unknown size is never low', async () => {
  for (const probe of [null, async () => null]) {
    const view = await createDiskWatch(probe).look(TOTAL);
    assert.deepEqual([view.total, view.isLow(1)], [null, false]);
  }
});
