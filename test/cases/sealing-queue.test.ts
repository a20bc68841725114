/** The queue of the sealing thread: which jobs it accepts and refuses, and which fail when the thread ends. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { type QueuedCall, SealingQueue } from '#cases/sealing-thread/queue.ts';
import { openLog } from '#platform/log.ts';
import type { ThreadOrder } from './obedient-thread.ts';

function openQueue(t: TestContext) {
  const lines: string[] = [];
  const queue = new SealingQueue({
    entry: new URL('./obedient-thread.ts', import.meta.url),
    log: openLog({ write: (line) => void lines.push(line) }),
    isInUse: () => false,
  });
  t.after(() => queue.close());
  const usual = { transfer: [], admitted: false, caller: '', isUrgent: false };
  const sendOrder = (message: ThreadOrder, changes: Partial<QueuedCall> = {}) =>
    queue.run({ ...usual, message, ...changes });
  return { queue, sendOrder, readLog: () => lines.join('') };
}

const sealingUnavailable = { code: 'sealing_unavailable', status: 503, headers: { 'retry-after': '5' } };
const overloaded = { code: 'overloaded', status: 503, headers: { 'retry-after': '5' } };

test('callers take turns, however many calls one of them has, and the desk goes first', async (t) => {
  const { sendOrder } = openQueue(t);
  const done: string[] = [];
  const send = async (caller: string, isUrgent = false) => {
    await sendOrder('answer', { caller, isUrgent });
    done.push(caller);
  };
  await Promise.all([
    ...['many', 'many', 'many', 'many', 'one', 'two', 'two'].map((caller) => send(caller)),
    send('desk', true),
  ]);
  assert.deepEqual(done, ['many', 'desk', 'many', 'one', 'two', 'many', 'two', 'many']);
});

test('a queue that others have filled does not refuse the desk', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { sendOrder } = openQueue(t);
  const waiting = Array.from({ length: 65 }, () => sendOrder('answer', { caller: 'many' }));
  await assert.rejects(sendOrder('answer', { caller: 'one' }), overloaded);
  assert.equal(await sendOrder('answer', { isUrgent: true }), 'done');
  await Promise.all(waiting);
});

test('a thread that ends fails the call in progress alone, and the next one starts another thread', async (t) => {
  const { sendOrder, readLog } = openQueue(t);
  const outcomes = await Promise.allSettled([sendOrder('answer'), sendOrder('exit'), sendOrder('answer')]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  await assert.rejects(sendOrder('throw'), sealingUnavailable);
  assert.equal(await sendOrder('answer'), 'done');
  assert.equal(readLog().match(/sealing_thread_ended/g)?.length, 2);
  assert.match(readLog(), /TypeError/);
  assert.doesNotMatch(readLog(), /secret/);
});

test('a message that cannot be sent fails alone', async (t) => {
  const { sendOrder } = openQueue(t);
  await assert.rejects(sendOrder('answer', { message: () => {} }), /could not be cloned/);
  assert.equal(await sendOrder('answer'), 'done');
});

test('a job that waits longer than a second is refused, but not one that was admitted before', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { sendOrder } = openQueue(t);
  await sendOrder('answer');
  const working = sendOrder({ work: 300 });
  const late = assert.rejects(sendOrder('answer'), overloaded);
  const letIn = sendOrder('answer', { admitted: true });
  t.mock.timers.tick(1_000);
  await late;
  assert.equal(await letIn, 'done');
  await working;
});

test('a full queue refuses at once, but not what was admitted before', async (t) => {
  // No job waits too long, however slow the machine is.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { sendOrder } = openQueue(t);
  await sendOrder('answer');
  const working = sendOrder({ work: 300 });
  const waiting = Array.from({ length: 64 }, () => sendOrder('answer'));
  await assert.rejects(sendOrder('answer'), overloaded);
  assert.equal(await sendOrder('answer', { admitted: true }), 'done');
  assert.equal((await Promise.all(waiting)).length, 64);
  await working;
});

test('for jobs that wait for a thread to start, the second begins with its first answer', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { sendOrder } = openQueue(t);
  const first = sendOrder('answer');
  const others = [sendOrder({ work: 300 }), sendOrder('answer')];
  t.mock.timers.tick(999);
  await first;
  t.mock.timers.tick(999);
  assert.deepEqual(await Promise.all(others), ['done', 'done']);
});

test('closing fails what is not answered, and what comes later', async (t) => {
  const { queue, sendOrder } = openQueue(t);
  await sendOrder('answer');
  const unanswered = [sendOrder({ work: 60_000 }), sendOrder('answer')];
  const refused = Promise.all(unanswered.map((call) => assert.rejects(call, sealingUnavailable)));
  await queue.close();
  await refused;
  await assert.rejects(sendOrder('answer'), sealingUnavailable);
});

test('an idle thread ends, and the next call starts another one', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { sendOrder, readLog } = openQueue(t);
  await sendOrder('answer');
  t.mock.timers.tick(2 * 60_000);
  assert.equal(await sendOrder('answer'), 'done');
  assert.equal(readLog(), '');
});

test('the thread has nothing of the environment but where compiled code is kept', async (t) => {
  const { sendOrder } = openQueue(t);
  const names = (await sendOrder('environment')) as string[];
  assert.deepEqual(
    names.filter((name) => name !== 'NODE_COMPILE_CACHE'),
    [],
  );
});
