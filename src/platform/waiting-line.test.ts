import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { WaitingLine } from './waiting-line.ts';

function createMember(name: string) {
  const refusals: unknown[] = [];
  return { name, refusals, reject: (error: unknown) => void refusals.push(error) };
}

test('members are taken in the order of their coming, a part at a time', () => {
  const line = new WaitingLine<ReturnType<typeof createMember>>();
  for (const name of ['a', 'b', 'c']) line.join(createMember(name), Infinity);
  assert.deepEqual(
    line.take(2).map(({ name }) => name),
    ['a', 'b'],
  );
  assert.deepEqual(
    line.take(2).map(({ name }) => name),
    ['c'],
  );
  assert.ok(line.isEmpty);
  assert.equal(line.waitMs, 0);
});

test('a member that waits too long is refused without being taken, and a patient one stays', async () => {
  const line = new WaitingLine<ReturnType<typeof createMember>>();
  const hurried = createMember('hurried');
  const patient = createMember('patient');
  line.join(patient, Infinity);
  line.join(hurried, 1);
  assert.ok(line.waitMs > 0);
  await sleep(300);
  assert.equal((hurried.refusals[0] as { code?: string }).code, 'overloaded');
  assert.equal(line.waitMs, 0, 'a patient member is no sign of too much work');
  assert.deepEqual(line.take(5), [patient]);
  assert.deepEqual(patient.refusals, []);
});

test('a full line refuses hurried members at once', () => {
  const line = new WaitingLine<ReturnType<typeof createMember>>();
  const members = Array.from({ length: 2_000 }, () => createMember('one'));
  for (const member of members) line.join(member, 60_000);
  const [late, task] = [createMember('late'), createMember('task')];
  line.join(late, 60_000);
  line.join(task, Infinity);
  assert.equal(late.refusals.length, 1);
  assert.equal(task.refusals.length, 0);
  assert.equal(line.take(5_000).length, 2_001);
});
