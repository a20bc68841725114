/** A backup or restore killed at any step can be repeated, and leaves nothing that could be mistaken for complete. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir, utimes } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import test, { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { systemClock } from '#platform/clock.ts';
import { readConfig } from '#platform/config/config.ts';
import { readCaseKey } from '#store/keys/shred-keys.ts';
import { openStore } from '#store/store.ts';
import { type SeededCase, seedCases } from '#test/cases/seeded-case.ts';
import { type CleanupScope, createTemporaryFolder } from '#test/cleanup.ts';
import { runCli } from '#test/cli/desk-cli.ts';
import { createDataFolder, readRecipientSettings } from '#test/data-folder.ts';
import { isLongRun, scale } from '#test/scale.ts';
import { startOffice } from '#test/service-process.ts';
import { openPostgresEngine, openTestStore, silentLog, TEST_MASTER_KEY } from '#test/store/engines.ts';

const PRELOAD = `--import=${resolve('test/faults/kill-at-step.ts')}`;
const UNFINISHED = /a restore was begun here/;
const CASES = 3;

type Variables = Record<string, string> & { readonly DATA_DIR: string };

interface Seeded {
  readonly env: Variables;
  readonly seeded: readonly SeededCase[];
}

async function createSeededPlace(t: CleanupScope, database: Record<string, string> = {}): Promise<Seeded> {
  const dataDir = await createDataFolder(t);
  const env = { MASTER_KEY: TEST_MASTER_KEY, ...database, DATA_DIR: dataDir };
  const store = await openTestStore(t, { env });
  const seeded = await seedCases(store, CASES);
  await store.close();
  return { env, seeded };
}

/** Returns the number of steps; 0 if the run was killed. */
async function runKilled(
  t: CleanupScope,
  env: Variables,
  args: readonly string[],
  killAt: number,
): Promise<number> {
  const killing = { NODE_OPTIONS: PRELOAD, KILL_AT: String(killAt) };
  const program = startOffice(t, args, { ...env, ...killing });
  assert.equal(await program.ended, killAt === 0 ? 0 : 'SIGKILL', program.readOutput());
  const steps = /"steps":(\d+)/.exec(program.readOutput())?.[1];
  return Number(steps ?? 0);
}

/** Runs the same command in this process, without killing it. */
async function runWhole(env: Variables, args: readonly string[]): Promise<void> {
  const { code, stderr } = await runCli(env, args);
  assert.equal(code, 0, stderr);
}

function listKills(steps: number): number[] {
  assert.ok(steps > 10, `${steps} steps`);
  const kills = Math.min(steps, scale.backupKills);
  return Array.from({ length: kills }, (_, index) => Math.ceil(((index + Math.random()) * steps) / kills));
}

async function assertRestored(env: Variables, { seeded }: Seeded): Promise<void> {
  const store = await openStore({ config: readConfig(env), clock: systemClock, log: silentLog });
  try {
    const rows = await store.records.selectFrom('cases').selectAll().execute();
    assert.equal(rows.length, seeded.length);
    for (const row of rows) assert.ok(await readCaseKey(store, row));
  } finally {
    await store.close();
  }
}

test('a backup that is killed leaves whole files only, and the next one clears up', async (t) => {
  const place = await createSeededPlace(t);
  const folder = await createTemporaryFolder(t);
  const backup = ['backup', '--to', folder];
  const steps = await runKilled(t, place.env, backup, 0);
  for (const step of listKills(steps)) await runKilled(t, place.env, backup, step);
  const long = new Date(Date.now() - 7_200_000);
  for (const name of await readdir(folder))
    if (name.endsWith('.draft')) await utimes(join(folder, name), long, long);
  await runWhole(place.env, backup);
  const names = await readdir(folder);
  assert.deepEqual(
    names.filter((name) => !/^(?:records|keys)-[\dTZ.]+-[\da-f]{12}\.age$/.test(name)),
    [],
    'no drafts',
  );
  assert.equal(names.filter((name) => name.startsWith('keys-')).length, 2);
  // Every records file with its final name is whole, even if its backup was killed before the keys.
  for (const name of names.filter((each) => each.startsWith('records-'))) {
    const env = { ...place.env, DATA_DIR: await createDataFolder(t) };
    const key = join(env.DATA_DIR, 'keys', 'desk.key');
    await runWhole(env, ['restore', '--from', folder, '--key', key, '--records', join(folder, name)]);
    await assertRestored(env, place);
  }
});

test('a restore that is killed at any step starts no service, and is finished by the next', async (t) => {
  const place = await createSeededPlace(t);
  const folder = await createTemporaryFolder(t);
  await runWhole(place.env, ['backup', '--to', folder]);
  const restoreInto = async (killAt: number) => {
    const env = { ...place.env, DATA_DIR: await createDataFolder(t) };
    const args = ['restore', '--from', folder, '--key', join(env.DATA_DIR, 'keys', 'desk.key')];
    return { env, args, steps: await runKilled(t, env, args, killAt) };
  };
  const { steps } = await restoreInto(0);
  // The last steps move the files into place.
  const kills = isLongRun ? [...listKills(steps), steps, steps - 1, steps - 2] : [steps - 1];
  for (const step of kills) {
    const { env, args } = await restoreInto(step);
    const isBegun = existsSync(join(env.DATA_DIR, 'restoring'));
    const opening = openStore({ config: readConfig(env), clock: systemClock, log: silentLog });
    if (isBegun) await assert.rejects(opening, { exitCode: 78, message: UNFINISHED });
    else await (await opening).close();
    if (!isBegun) continue;
    await runWhole(env, args);
    await assertRestored(env, place);
    assert.deepEqual((await readdir(env.DATA_DIR)).toSorted(), [
      'inquiry-office.db',
      'keys',
      'restore.lock',
      'shred.keys',
      'tls',
    ]);
  }
});

test('commands and the doctor say that a restore was not finished', async (t) => {
  const env = { DATA_DIR: await createDataFolder(t) };
  await mkdir(join(env.DATA_DIR, 'restoring'));
  const [due, doctor] = await Promise.all([runCli(env, ['cases', 'due']), runCli(env, ['doctor'])]);
  assert.equal(due.code, 78);
  assert.match(due.stderr, UNFINISHED);
  assert.match(doctor.stdout, UNFINISHED);
});

if (isLongRun)
  test('on PostgreSQL a restore that is killed starts no service, and is finished by the next', async (t) => {
    const postgres = await openPostgresEngine({ after });
    const createDatabase = async () => {
      const { env } = await postgres.createDatabase(t);
      return { ...env, ...(await readRecipientSettings(await createDataFolder(t))) };
    };
    const place = await createSeededPlace(t, await createDatabase());
    const folder = await createTemporaryFolder(t);
    await runWhole(place.env, ['backup', '--to', folder]);
    const database = await createDatabase();
    const env: Variables = { ...place.env, ...database, DATA_DIR: await createDataFolder(t) };
    const args = ['restore', '--from', folder, '--key', join(env.DATA_DIR, 'keys', 'desk.key')];
    const program = startOffice(t, args, env);
    await waitForTable(env['DATABASE_URL'] ?? '', 'cases');
    program.process.kill('SIGSTOP');
    const second = startOffice(t, args, env);
    assert.equal(await second.ended, 1, second.readOutput());
    assert.match(second.readOutput(), /another restore into this database is running/);
    program.process.kill('SIGKILL');
    await program.ended;
    const opening = openStore({ config: readConfig(env), clock: systemClock, log: silentLog });
    await assert.rejects(opening, { exitCode: 78, message: UNFINISHED });
    await runWhole(env, args);
    await assertRestored(env, place);
  });

async function waitForTable(url: string, table: string): Promise<void> {
  const client = new Client(url);
  await client.connect();
  try {
    for (;;) {
      const { rows } = await client.query('select to_regclass($1) is not null as there', [table]);
      if (rows[0]?.there) return;
      await sleep(10);
    }
  } finally {
    await client.end();
  }
}
