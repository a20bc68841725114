/** When periodic tasks first run, and that stopping does not wait for those that have not run yet. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openLog } from './log.ts';
import { startSchedule } from './schedule.ts';

test('tasks begin one after the other, and none that has not begun runs after a stop', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const began: string[] = [];
  const names = ['first', 'second', 'third'];
  const tasks = names.map((name) => ({ name, seconds: 60, run: async () => void began.push(name) }));
  const schedule = startSchedule(tasks, openLog({ write: () => {} }));
  await nextTurn();
  assert.deepEqual(began, []);
  for (const count of [1, 2]) {
    t.mock.timers.tick(20);
    await nextTurn();
    assert.deepEqual(began, names.slice(0, count));
  }
  await schedule.stop();
  t.mock.timers.tick(1_000);
  assert.deepEqual(began, ['first', 'second']);
});

test('one look starts the tasks of a group that are due, none twice at a time, and a stop waits for them', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const began: string[] = [];
  const ends: (() => void)[] = [];
  const run = (name: string) => async () => {
    began.push(name);
    await new Promise<void>((resolve) => ends.push(resolve));
  };
  let due = ['slow'];
  const tasks = { slow: run('slow'), other: run('other'), never: run('never') };
  const group = { name: 'group', seconds: 1, look: async () => due, tasks };
  const schedule = startSchedule([group], openLog({ write: () => {} }));
  const tick = async (ms: number) => {
    t.mock.timers.tick(ms);
    await nextTurn();
  };
  await tick(20);
  due = ['slow', 'other'];
  await tick(1_200);
  assert.deepEqual(began, ['slow', 'other']);
  ends[0]?.();
  await nextTurn();
  await tick(1_200);
  assert.deepEqual(began, ['slow', 'other', 'slow']);
  let isStopped = false;
  const stopping = schedule.stop().then(() => (isStopped = true));
  await nextTurn();
  assert.equal(isStopped, false);
  for (const end of ends) end();
  await stopping;
});

test('tasks of one name in two groups run beside each other', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const began: string[] = [];
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const groups = ['one', 'two'].map((name) => ({
    name,
    seconds: 60,
    look: async () => ['same'],
    tasks: {
      same: async () => {
        began.push(name);
        await ended;
      },
    },
  }));
  const schedule = startSchedule(groups, openLog({ write: () => {} }));
  for (const _ of groups) {
    t.mock.timers.tick(20);
    await nextTurn();
  }
  assert.deepEqual(began, ['one', 'two']);
  end();
  await schedule.stop();
});

test('a look that ends after the stop starts nothing', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const began: string[] = [];
  const looked = Promise.withResolvers<string[]>();
  const tasks = { due: async () => void began.push('due') };
  const group = { name: 'group', seconds: 60, look: () => looked.promise, tasks };
  const schedule = startSchedule([group], openLog({ write: () => {} }));
  t.mock.timers.tick(20);
  await nextTurn();
  const stopping = schedule.stop();
  looked.resolve(['due']);
  await stopping;
  assert.deepEqual(began, []);
});
