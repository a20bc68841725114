import assert from 'node:assert/strict';
import test from 'node:test';
import { createGroupCommit, type TransactionRunner } from './group-commit.ts';

const shredKeys = { countCreated: () => 0, discardCreated: () => {} };

function openGroup(commit: TransactionRunner): TransactionRunner {
  const limits = { maxMembers: 64, maxCommits: 1, countBytes: () => 0 };
  return createGroupCommit({ commit, shredKeys, ...limits }).createRunner(Infinity);
}

test('a commit that the database refuses is not tried a second time', async () => {
  let commits = 0;
  const run = openGroup(async () => {
    commits += 1;
    throw new Error('database is locked');
  });
  const results = await Promise.allSettled([run(async () => 1), run(async () => 2)]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.equal(commits, 1);
});

test('members run once if all succeed, and again within savepoints if one fails', async () => {
  const statements: string[] = [];
  const records = { executeQuery: async ({ sql }: { sql: string }) => void statements.push(sql) };
  const run = openGroup(async (work) => await work(records as never));
  let runs = 0;
  const count = async () => {
    runs += 1;
    return runs;
  };
  assert.deepEqual(await Promise.all([run(count), run(count)]), [1, 2]);
  assert.deepEqual(statements, []);
  const refuse = async () => await Promise.reject(new Error('refused'));
  const [counted, refused] = await Promise.allSettled([run(count), run(refuse)]);
  assert.deepEqual([counted.status, refused.status], ['fulfilled', 'rejected']);
  assert.equal(runs, 4);
  assert.deepEqual(statements, [
    'savepoint member',
    'release member',
    'savepoint member',
    'rollback to member',
    'release member',
  ]);
});

test('a group that has taken long is committed, and the event loop turns before the others run', async () => {
  let commits = 0;
  const run = openGroup(async (work) => {
    commits += 1;
    return await work({} as never);
  });
  const steps: string[] = [];
  const takeLong = (name: string) =>
    run(async () => {
      const until = performance.now() + 20;
      while (performance.now() < until);
      steps.push(name);
    });
  const members = [takeLong('first'), takeLong('second')];
  // Runs after the first group, which was queued before it for the same phase of the loop.
  setImmediate(() => steps.push('turn'));
  await Promise.all(members);
  assert.deepEqual(steps, ['first', 'turn', 'second']);
  assert.equal(commits, 2);
});
