/** A change of the master key, killed at any point: run again, it loses nothing. */
import assert from 'node:assert/strict';
import { cp, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import test, { after, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '#platform/clock.ts';
import { findCaseByLookup } from '#store/cases/cases.ts';
import { createKeyring, generateMasterKey } from '#store/keys/keyring.ts';
import { adoptMasterKey, requireMasterKey } from '#store/keys/master-keys.ts';
import type { Store } from '#store/store.ts';
import { createTemporaryFolder, withReverseCleanup } from '#test/cleanup.ts';
import { runCli } from '#test/cli/desk-cli.ts';
import { isLongRun, scale } from '#test/scale.ts';
import { startProgram } from '#test/service-process.ts';
import { openPostgresEngine, openTestStore, type TestDatabase } from '#test/store/engines.ts';
import { assertEverythingFound, type KeyedRecords, seedKeyedRecords } from '#test/store/keyed-records.ts';

const PRELOAD = `--import=${resolve('test/faults/kill-at-step.ts')}`;
const cleanUp = withReverseCleanup({ after });
const [PREVIOUS, NEXT] = [generateMasterKey(), generateMasterKey()];
const previous = createKeyring(PREVIOUS);
const next = createKeyring(NEXT);
const newFile = join(await createTemporaryFolder(cleanUp), 'new.key');
await writeFile(newFile, NEXT);

interface KilledChange {
  readonly words: readonly string[];
  readonly masterKey: string;
  /** Runs after the change has been run again. */
  readonly check: (store: Store, seeded: KeyedRecords) => Promise<unknown>;
}

const changes: Readonly<Record<string, KilledChange>> = {
  'to a new key': {
    words: ['keys', 'master', 'change', '--new', newFile],
    masterKey: PREVIOUS,
    check: (store, seeded) => assertEverythingFound(store, next, seeded),
  },
  'after a loss': {
    words: ['keys', 'master', 'change', '--lost', '--yes'],
    masterKey: NEXT,
    check: async (store, { lookupHash }) => {
      assert.ok(await findCaseByLookup(store.records, lookupHash, Date.now()));
      assert.deepEqual(await store.records.selectFrom('users').selectAll().execute(), []);
    },
  },
};

const buildEnv = ({ env }: TestDatabase, { masterKey }: KilledChange) => ({
  ...env,
  MASTER_KEY: masterKey,
  SWEEP_SECONDS: '60',
});

async function finishKilled(
  t: TestContext,
  place: TestDatabase,
  seeded: KeyedRecords,
  change: KilledChange,
): Promise<void> {
  const again = await runCli(buildEnv(place, change), change.words);
  assert.equal(again.code, 0, again.stderr);
  const store = await openTestStore(t, place);
  await adoptMasterKey({ store, keyring: next, clock: systemClock });
  await change.check(store, seeded);
}

for (const [name, change] of Object.entries(changes))
  test(`on SQLite, a change ${name} is killed at each of its steps`, async (t) => {
    const folder = await createTemporaryFolder(t);
    const store = await openTestStore(t, { env: { DATA_DIR: folder } });
    const seeded = await seedKeyedRecords(store, previous, 3);
    await store.close();
    const run = async (killAt: number): Promise<string> => {
      const copy = { env: { DATA_DIR: await createTemporaryFolder(t) } };
      await cp(folder, copy.env.DATA_DIR, { recursive: true });
      const env = { ...buildEnv(copy, change), KILL_AT: String(killAt), NODE_OPTIONS: PRELOAD };
      const program = startProgram(t, 'cli/main.ts', env, change.words);
      assert.equal(await program.ended, killAt === 0 ? 0 : 'SIGKILL', program.readOutput());
      await finishKilled(t, copy, seeded, change);
      return program.readOutput();
    };
    // Each thread of the program counts its own steps.
    const counts = (await run(0)).matchAll(/"steps":(\d+)/g);
    const steps = Math.max(...[...counts].map(([, count]) => Number(count)));
    assert.ok(steps > 10, `${steps} steps`);
    const first = 1 + Math.floor(Math.random() * Math.min(scale.killStride, steps));
    for (let step = first; step <= steps; step += scale.killStride) await run(step);
  });

if (isLongRun)
  for (const [name, change] of Object.entries(changes))
    test(`on PostgreSQL, a change ${name} is killed in the middle`, async (t) => {
      const place = await (await openPostgresEngine(cleanUp)).createDatabase(cleanUp);
      const store = await openTestStore(t, place);
      const seeded = await seedKeyedRecords(store, previous, 950);
      const readTags = async () =>
        (await store.records.selectFrom('orders').select('session_tag').orderBy('id').limit(2).execute())
          .map(({ session_tag: tag }) => tag)
          .join();
      const before = await readTags();
      const program = startProgram(t, 'cli/main.ts', buildEnv(place, change), change.words);
      while (program.process.exitCode === null && (await readTags()) === before) await sleep(5);
      program.process.kill('SIGKILL');
      assert.equal(await program.ended, 'SIGKILL', program.readOutput());
      await assert.rejects(requireMasterKey({ store, keyring: next }), /unfinished/);
      await finishKilled(t, place, seeded, change);
    });
