/** A backup that is not whole, genuine and fitting is refused, and nothing is left in place. */
import assert from 'node:assert/strict';
import { chown, copyFile, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { formatBackupName, writeBackupFile } from '#backup/backup-files.ts';
import { encodeBackup, type HeaderFacts, toHeaderIds } from '#backup/backup-stream.ts';
import type { ClockSkew } from '#backup/restore.ts';
import { systemClock } from '#platform/clock.ts';
import { DAY_MS, HOUR_MS } from '#platform/durations.ts';
import { holdFileLock } from '#platform/file-lock.ts';
import { generateAgeIdentity } from '#seal/core/age.ts';
import { createKeyring, generateMasterKey, type Keyring } from '#store/keys/keyring.ts';
import { readCaseKey } from '#store/keys/shred-keys.ts';
import { seedCase, seedCases } from '#test/cases/seeded-case.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { runCli } from '#test/cli/desk-cli.ts';
import { openPostgresEngine, TEST_MASTER_KEY, testKeyring } from '#test/store/engines.ts';
import {
  backupIdentity,
  backupRecipients,
  isUntouched,
  openSampleOffice,
  restoreSample,
  type SampleOffice,
  toFile,
} from './sample-backup.ts';

async function openBackedUpOffice(t: test.TestContext) {
  const office = await openSampleOffice(t);
  const seeded = await seedCases(office.store, 3);
  const folder = await createTemporaryFolder(t);
  const records = await office.writeRecords(folder);
  const keys = await office.writeKeys(folder);
  return { office, seeded, folder, records, keys };
}

async function assertRefused(
  t: test.TestContext,
  options: Omit<Parameters<typeof restoreSample>[0], 'dataDir'>,
  expected: { exitCode: number; message: RegExp },
): Promise<void> {
  const dataDir = await createTemporaryFolder(t);
  await assert.rejects(restoreSample({ ...options, dataDir }), expected);
  assert.ok(await isUntouched(dataDir), 'nothing is left');
}

test('a file that was cut or changed is refused, wherever it was', async (t) => {
  const { folder, records, keys } = await openBackedUpOffice(t);
  for (const { name } of [records, keys]) {
    const path = join(folder, name);
    const whole = await readFile(path);
    for (const length of [0, 10, 1_700, whole.length - 70_000, whole.length - 1]) {
      if (length < 0) continue;
      await writeFile(path, whole.subarray(0, length));
      await assertRefused(t, { folder }, { exitCode: 65, message: new RegExp(`^${name}: `) });
    }
    const changed = Buffer.from(whole);
    changed.writeUInt8(changed.readUInt8(whole.length - 100) ^ 1, whole.length - 100);
    await writeFile(path, changed);
    await assertRefused(t, { folder }, { exitCode: 65, message: new RegExp(`^${name}: `) });
    await writeFile(path, whole);
  }
});

test('a wrong private key and a wrong MASTER_KEY are told apart', async (t) => {
  const { folder } = await openBackedUpOffice(t);
  const key = await generateAgeIdentity();
  await assertRefused(t, { folder, key }, { exitCode: 77, message: /^keys-/ });
  const keyring = createKeyring(generateMasterKey());
  await assertRefused(t, { folder, keyring }, { exitCode: 65, message: /another MASTER_KEY/ });
});

test('the keys of another installation do not fit, and older keys of the same one do not either', async (t) => {
  const { office, folder, records } = await openBackedUpOffice(t);
  const other = await openBackedUpOffice(t);
  const keys = toFile(other.folder, other.keys);
  await assertRefused(t, { folder, keys }, { exitCode: 65, message: /belong to other records/ });

  const early = await createTemporaryFolder(t);
  await office.writeKeys(early);
  await seedCase(office.store);
  await office.writeRecords(early);
  await assertRefused(t, { folder: early }, { exitCode: 65, message: /older than the records/ });
  await assertRefused(
    t,
    { folder: early, records: toFile(folder, records), keys: toFile(folder, records) },
    { exitCode: 65, message: /a backup of the records, not of the keys/ },
  );
});

test('a forged file is refused, though any stranger can seal one to the public keys', async (t) => {
  const { folder, office } = await openBackedUpOffice(t);
  const installation = await office.store.transaction((locked) =>
    office.store.shredKeys.readInstallation(locked),
  );
  assert.ok(installation);
  // As if the forger knew the tag by which a file names its MASTER_KEY.
  const forger: Keyring = {
    ...createKeyring(generateMasterKey()),
    tag: (purpose, value) => (value === 'master key' ? testKeyring.tag(purpose, value) : 'A'.repeat(43)),
  };
  const writeForgery = async (keyring: Keyring, steps: string[]) => {
    const header = {
      part: 'records',
      engine: 'sqlite',
      steps,
      ...toHeaderIds(installation),
      cutAt: Date.now(),
    } satisfies HeaderFacts;
    const plain = encodeBackup(keyring, header, ReadableStream.from([]));
    const name = formatBackupName('records', Date.UTC(2099, 0, 1), installation);
    return await writeBackupFile({
      folder,
      name,
      recipients: backupRecipients,
      plain,
      check: async () => {},
    });
  };
  await writeForgery(forger, []);
  await assertRefused(t, { folder }, { exitCode: 65, message: /not written by this installation/ });
  await writeForgery(testKeyring, ['a step of the future']);
  await assertRefused(t, { folder }, { exitCode: 65, message: /newer than this program/ });
});

test('a place that is in use is left as it is', async (t) => {
  const { office, folder, seeded } = await openBackedUpOffice(t);
  const before = (await readdir(office.dataDir)).toSorted();
  await assert.rejects(restoreSample({ folder, dataDir: office.dataDir }), { exitCode: 73 });
  assert.deepEqual((await readdir(office.dataDir)).toSorted(), before);
  for (const { record } of seeded) assert.ok(await readCaseKey(office.store, record));
});

test('under a clock that is behind nothing is restored, and one that is ahead is asked about first', async (t) => {
  const { folder } = await openBackedUpOffice(t);
  const behind = { now: () => systemClock.now() - DAY_MS };
  await assertRefused(t, { folder, clock: behind }, { exitCode: 65, message: /clock .* is behind/ });
  const ahead = { now: () => systemClock.now() + 40 * DAY_MS };
  const dataDir = await createTemporaryFolder(t);
  await assert.rejects(restoreSample({ folder, clock: ahead, dataDir }), /asked about the clock/);
  assert.ok(await isUntouched(dataDir), 'nothing is left');

  const skews: ClockSkew[] = [];
  const approveClock = async (skew: ClockSkew) => void skews.push(skew);
  const report = await restoreSample({ folder, clock: ahead, dataDir, approveClock });
  assert.deepEqual([report.cases, report.purged], [0, { since: 0, due: 3 }]);
  assert.deepEqual(
    skews.map(({ due }) => due),
    [3],
  );
  assert.ok(report.clockAt >= (skews[0]?.now ?? Infinity));
});

test('without a terminal the command takes a time long after the backup only with --yes', async (t) => {
  const clock = { now: () => systemClock.now() - 2 * DAY_MS };
  const office = await openSampleOffice(t, { clock });
  const folder = await createTemporaryFolder(t);
  await office.writeRecords(folder);
  await office.writeKeys(folder);
  const key = join(folder, 'backup.key');
  await writeFile(key, `${backupIdentity}\n`);
  const env = { DATA_DIR: await createTemporaryFolder(t), MASTER_KEY: TEST_MASTER_KEY };
  const args = ['restore', '--from', folder, '--key', key];
  const refused = await runCli(env, args, 'restore\n');
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /this machine shows .* copied at .* 0 cases.* --yes/);
  assert.deepEqual(await readdir(env.DATA_DIR), ['restore.lock']);
  const taken = await runCli(env, [...args, '--yes', '--json']);
  assert.equal(taken.code, 0, taken.stderr);
  assert.ok(Math.abs(Date.parse(JSON.parse(taken.stdout).clock_at) - Date.now()) < HOUR_MS);
});

test('a restore while another one runs is refused at once, and the other keeps its lock', async (t) => {
  const folder = await createTemporaryFolder(t);
  const key = join(folder, 'backup.key');
  await writeFile(key, `${backupIdentity}\n`, { mode: 0o600 });
  const env = { DATA_DIR: await createTemporaryFolder(t), MASTER_KEY: TEST_MASTER_KEY };
  const lock = join(env.DATA_DIR, 'restore.lock');
  using running = holdFileLock(lock);
  assert.ok(running);
  const { code, stderr } = await runCli(env, ['restore', '--from', folder, '--key', key]);
  using third = holdFileLock(lock);
  assert.equal(third, null, 'a third one gets no lock either');
  assert.deepEqual([code, stderr], [1, `another restore into ${env.DATA_DIR} is running\n`]);
});

test('another user than that of the service is refused with a sentence, and leaves no file', async (t) => {
  const { folder } = await openBackedUpOffice(t);
  const key = join(folder, 'test.key');
  await writeFile(key, `${backupIdentity}\n`, { mode: 0o600 });
  const restore = async (env: Record<string, string>) =>
    await runCli({ MASTER_KEY: TEST_MASTER_KEY, ...env }, [
      'restore',
      '--from',
      folder,
      '--key',
      key,
      '--yes',
    ]);
  const { env } = await (await openPostgresEngine(t)).createDatabase(t);
  const url = new URL(env['DATABASE_URL'] ?? '');
  url.username = 'stranger';
  const unknown = await restore({ DATABASE_URL: url.href });
  assert.equal(unknown.code, 69, unknown.stderr);
  assert.match(
    unknown.stderr,
    /^PostgreSQL at \S+ refuses the user of DATABASE_URL: run this as the user of /,
  );
  // Only root can give a folder to another user.
  if (process.getuid?.() !== 0) return;
  const DATA_DIR = await createTemporaryFolder(t);
  await chown(DATA_DIR, 12_345, 12_345);
  const asRoot = await restore({ DATA_DIR });
  assert.equal(asRoot.code, 77, asRoot.stderr);
  assert.match(
    asRoot.stderr,
    /belongs to user 12345, but the restored files would not: run .*sudo -u '#12345' office restore/,
  );
  assert.deepEqual(await readdir(DATA_DIR), []);
});

test('a folder that is not there is not created, and two backups at once leave two whole copies of the keys', async (t) => {
  const { office, folder } = await openBackedUpOffice(t);
  const lost = join(folder, 'not-mounted');
  await assert.rejects(office.writeKeys(lost), { exitCode: 73, message: /is the disk mounted/ });
  await Promise.all(
    [1, 2, 3].map(async () => {
      await office.writeRecords(folder);
      await office.writeKeys(folder);
    }),
  );
  const names = await readdir(folder);
  assert.deepEqual([names.filter((name) => name.startsWith('keys-')).length, names.length], [2, 6]);
  assert.equal((await restoreSample({ folder, dataDir: await createTemporaryFolder(t) })).cases, 3);
});

test('an installation that began again does not push the keys of the previous one out of the folder', async (t) => {
  const { office, folder } = await openBackedUpOffice(t);
  await office.writeKeys(folder);
  const before = (await readdir(folder)).toSorted();
  const empty = await openSampleOffice(t);
  for (const write of [empty.writeKeys, empty.writeRecords])
    await assert.rejects(write(folder), { exitCode: 78, message: /keys of another installation/ });
  assert.deepEqual((await readdir(folder)).toSorted(), before);
});

test('the newest keys are known by what is in them, not by their name or time', async (t) => {
  const { office, folder, keys, seeded } = await openBackedUpOffice(t);
  await office.writeKeys(folder);
  await rename(toFile(folder, keys), join(folder, keys.name.replace(/\d{8}/, '20990101')));
  await purgeFirst(office, seeded[0]?.record.id ?? '');
  const newest = await office.writeKeys(folder);
  // The file dated 2099 has been removed; below, the newest keys win under the oldest name.
  assert.equal(newest.kept, 2);
  await copyFile(toFile(folder, newest), join(folder, newest.name.replace(/\d{8}/, '20000101')));
  await rm(toFile(folder, newest));
  const report = await restoreSample({ folder, dataDir: await createTemporaryFolder(t) });
  assert.deepEqual([report.cases, report.purged.since], [2, 1]);
});

test('what was restored is backed up again, and older records still belong to its keys', async (t) => {
  const { folder, records } = await openBackedUpOffice(t);
  const dataDir = await createTemporaryFolder(t);
  await restoreSample({ folder, dataDir });
  const again = await openSampleOffice(t, { dataDir });
  await seedCase(again.store);
  await again.writeRecords(folder);
  await again.writeKeys(folder);
  assert.equal((await restoreSample({ folder, dataDir: await createTemporaryFolder(t) })).cases, 4);
  const older = await restoreSample({
    folder,
    records: toFile(folder, records),
    dataDir: await createTemporaryFolder(t),
  });
  assert.deepEqual([older.cases, older.purged.since, older.missing], [3, 0, 1]);
});

/** Marks the case and then destroys its key, as a purge does. */
async function purgeFirst({ store }: SampleOffice, id: string): Promise<void> {
  await store.transaction(async (records) => {
    await records.updateTable('cases').set({ purging: 1, purge_at: 1 }).where('id', '=', id).execute();
    await store.shredKeys.destroy(records, [id]);
  });
}
