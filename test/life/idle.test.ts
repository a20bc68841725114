/** What an instance without visitors sends to its database in one minute of its periodic tasks. */
import assert from 'node:assert/strict';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import test from 'node:test';
import { Client } from 'pg';
import { MINUTE_SECONDS, SECOND_MS } from '#platform/durations.ts';
import type { PeriodicTask, TaskGroup } from '#platform/schedule.ts';
import { createClockGuard } from '#store/clock-guard.ts';
import type { Store } from '#store/store.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { createTasks } from '#test/periodic-runs.ts';
import { openPostgresEngine, openTestStore, silentLog, sqliteUnderTest } from '#test/store/engines.ts';

const MAX_STATEMENTS = 60;

for (const [name, openEngine] of [
  ['SQLite', async () => sqliteUnderTest],
  ['PostgreSQL', openPostgresEngine],
] as const)
  test(`an instance that no one visits sends at most ${MAX_STATEMENTS} statements a minute to ${name}`, async (t) => {
    const listStatements = watchStatements(t);
    const { env } = await (await openEngine(t)).createDatabase(t);
    const runMinute = createInstance(await openTestStore(t, { env }), {
      ...env,
      DATA_DIR: env['DATA_DIR'] ?? (await createTemporaryFolder(t)),
    });
    // The first minute includes what is done once after a start.
    await runMinute();
    listStatements();
    await runMinute();
    const statements = listStatements();
    const counts = Map.groupBy(statements, (statement) => statement.slice(0, 60));
    const table = [...counts].map(([text, { length }]) => `${length} ${text}`).join('\n');
    assert.ok(statements.length <= MAX_STATEMENTS, `${statements.length}:\n${table}`);
  });

type Call = (this: object, ...values: unknown[]) => unknown;

/** Includes the statements that begin and end transactions, but no pragmas, which concern the file. */
function watchStatements(t: test.TestContext): () => string[] {
  let statements: string[] = [];
  const watch = (prototype: object, name: string, read: (by: object, asked: unknown) => string) => {
    const calls = prototype as Record<string, Call>;
    const call = calls[name]!;
    t.mock.method(calls, name, function watched(this: object, ...values: unknown[]) {
      statements.push(read(this, values[0]));
      return call.apply(this, values);
    });
  };
  watch(Client.prototype, 'query', (_, asked) =>
    typeof asked === 'string' ? asked : (asked as { text: string }).text,
  );
  for (const name of ['all', 'run'])
    watch(StatementSync.prototype, name, (by) => (by as StatementSync).sourceSQL);
  watch(DatabaseSync.prototype, 'exec', (_, text) => String(text));
  return () => {
    const taken = statements.filter((text) => !text.startsWith('pragma'));
    statements = [];
    return taken;
  };
}

/** Returns a function that runs each task as often as in one minute; its clocks advance one second for each turn. */
function createInstance(store: Store, env: Record<string, string>): () => Promise<void> {
  const start = Date.now();
  let second = 0;
  const clock = { now: () => start + second * SECOND_MS };
  const readDatabaseTime = async () => ((await store.readDatabaseTime()) === null ? null : clock.now());
  const clockGuard = createClockGuard({
    clock,
    store: { ...store, readDatabaseTime },
    log: silentLog,
    readMonotonic: () => second * SECOND_MS,
  });
  const tasks = createTasks(env, { clock: clockGuard.sharedClock, clockGuard, store });
  return async () => {
    for (const end = second + MINUTE_SECONDS; second < end; second += 1)
      for (const task of tasks) if (second % task.seconds === 0) await runWhole(task);
  };
}

async function runWhole(task: PeriodicTask | TaskGroup): Promise<void> {
  if ('run' in task) return await task.run();
  for (const name of await task.look()) await task.tasks[name]?.();
}
