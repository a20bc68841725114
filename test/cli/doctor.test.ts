/** The doctor sees what is wrong with a data folder or database, and changes nothing. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmod, open, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { purgeCaseNow } from '#cases/ending/purge.ts';
import { systemClock } from '#platform/clock.ts';
import { readConfig } from '#platform/config/config.ts';
import { DAY_MS } from '#platform/durations.ts';
import { loadCertificate } from '#platform/http/certificate.ts';
import { openRecordsReader } from '#store/engine/records-reader.ts';
import { explainMismatch, readRecordsInstallation } from '#store/keys/installation.ts';
import { generateMasterKey } from '#store/keys/keyring.ts';
import { noteMasterKey } from '#store/keys/master-keys.ts';
import { insertRecipientSet } from '#store/keys/recipient-set.ts';
import { recordBackup } from '#store/last-backup.ts';
import { updateLastSeenTime } from '#store/last-seen-time.ts';
import { seedCase, seedCases } from '#test/cases/seeded-case.ts';
import { createTemporaryFolder, withReverseCleanup } from '#test/cleanup.ts';
import { production } from '#test/config-mistakes.ts';
import {
  openPostgresEngine,
  openTestStore,
  silentLog,
  sqliteUnderTest,
  testKeyring,
} from '#test/store/engines.ts';
import { fillReleasedDatabase } from '#test/store/released-database.ts';
import { runCli } from './desk-cli.ts';

const cleanUp = withReverseCleanup({ after });
const HEADER_BYTES = 4096;
const SLOT_BYTES = 64;

interface DoctorReport {
  readonly version: string;
  readonly observations: readonly { readonly level: 'fine' | 'look' | 'act'; readonly text: string }[];
}

async function runDoctor(env: Record<string, string>) {
  const { code, stdout } = await runCli(env, ['doctor', '--json']);
  const { observations } = JSON.parse(stdout) as DoctorReport;
  const listTexts = (asked: 'fine' | 'look' | 'act') =>
    observations.filter(({ level }) => level === asked).map(({ text }) => text);
  return { code, wrong: listTexts('act'), looks: listTexts('look'), notes: listTexts('fine').join('\n') };
}

async function createFolder(t: TestContext) {
  const folder = await createTemporaryFolder(t);
  const env = { DATA_DIR: folder };
  const store = await openTestStore(t, { env });
  const seeded = await seedCases(store, 3);
  await store.tryWrite();
  const setPrivateModes = async () => {
    for (const name of await readdir(folder)) await chmod(join(folder, name), 0o600);
  };
  await setPrivateModes();
  return { folder, env, store, seeded, setPrivateModes };
}

async function hashFiles(folder: string): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {};
  for (const name of (await readdir(folder)).toSorted())
    hashes[name] = createHash('sha256')
      .update(await readFile(join(folder, name)))
      .digest('hex');
  return hashes;
}

test('a sound data folder is well, in use or not, and no byte of it is changed', async (t) => {
  const { folder, env, store } = await createFolder(t);
  const inUse = await runCli(env, ['doctor']);
  assert.deepEqual([inUse.code, inUse.stderr], [0, ''], inUse.stdout);
  assert.match(
    inUse.stdout,
    /^This is version .*\n(.*\n)*Records and shred keys belong together\.\nAll is well\.\n$/,
  );
  await store.close();
  const before = await hashFiles(folder);
  assert.deepEqual((await runDoctor(env)).wrong, []);
  assert.deepEqual(await hashFiles(folder), before);
});

test('what the service writes after it has emptied its log is seen', async (t) => {
  const { env, store } = await createFolder(t);
  await store.erase();
  const reader = await openRecordsReader({ config: readConfig(env), clock: systemClock, log: silentLog });
  t.after(reader.close);
  await readRecordsInstallation(reader.db);
  for (let sweep = 0; sweep < 3; sweep += 1) await store.tryWrite();
  const keys = (await reader.shredKeys?.readInstallation(reader.db)) ?? null;
  assert.equal(explainMismatch({ keys, records: await readRecordsInstallation(reader.db) }), null);
});

test('everything that is wrong is told at once, and nothing is changed', async (t) => {
  const { folder, env, store, seeded, setPrivateModes } = await createFolder(t);
  const [freed, torn, lost] = seeded.map(({ record }) => record);
  await purgeCaseNow({ clock: systemClock, keyring: testKeyring, store }, freed!.id);
  await store.records.insertInto('cases').values(freed!).execute();
  await seedCase(store, { purge_at: Date.now() - 3 * DAY_MS });
  await store.records.updateTable('records_installation').set({ generation: 99 }).execute();
  await sql`drop index orders_on_hold`.execute(store.records);
  await sql`alter table orders drop column on_hold`.execute(store.records);
  await store.close();
  await using file = await open(join(folder, 'shred.keys'), 'r+');
  await file.write('torn', HEADER_BYTES + (torn!.key_slot ?? 0) * SLOT_BYTES + 30);
  await file.write(
    Buffer.alloc(SLOT_BYTES),
    0,
    SLOT_BYTES,
    HEADER_BYTES + (lost!.key_slot ?? 0) * SLOT_BYTES,
  );
  await writeFile(join(folder, 'shred.keys.0a1b.draft'), '');
  await setPrivateModes();
  await chmod(join(folder, 'shred.keys'), 0o644);
  const before = await hashFiles(folder);
  const { code, wrong, notes } = await runDoctor(env);
  assert.equal(code, 2);
  const expected = [
    /^Other users of this machine may use .*shred\.keys \(644\)/,
    /lack what their steps make: orders\.on_hold\./,
    /do not belong together: the shred keys are an older copy/,
    new RegExp(`^Cases whose shred key was destroyed.* \\(1\\): ${freed!.id}`),
    new RegExp(`^Cases that have no shred key.* \\(1\\): ${lost!.id}`),
    new RegExp(`^Cases whose key is damaged.* \\(1\\): ${torn!.id}`),
    /^Cases past their purge date \(1\), the first by 3 days/,
  ];
  for (const [index, pattern] of expected.entries()) assert.match(wrong[index] ?? '', pattern);
  assert.equal(wrong.length, expected.length, wrong.join('\n'));
  assert.match(notes, /shred\.keys\.0a1b\.draft was left/);
  assert.deepEqual(await hashFiles(folder), before);
  assert.match((await runCli(env, ['doctor'])).stderr, /^7 things need you\.\n$/);
});

test('steps that are unknown or were changed, missing records and damaged ones are named', async (t) => {
  const { folder, env, store } = await createFolder(t);
  await sql`insert into schema_steps (name, timestamp) values ('of the future', '1')`.execute(store.records);
  await sql`update schema_hashes set hash = 'another'`.execute(store.records);
  await store.close();
  const { wrong } = await runDoctor(env);
  assert.match(wrong[0] ?? '', /another schema step "001 first release"/);
  assert.match(wrong[1] ?? '', /step "of the future", which this version does not know/);
  const database = join(folder, 'inquiry-office.db');
  await rename(database, join(folder, 'aside'));
  assert.match((await runDoctor(env)).wrong.join('\n'), /inquiry-office\.db is missing, but its shred keys/);
  await writeFile(database, 'x'.repeat(8192), { mode: 0o600 });
  assert.match((await runDoctor(env)).wrong.join('\n'), /The records cannot be read \(SQLITE_NOTADB\)/);
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true });
  assert.match((await runDoctor(env)).wrong.join('\n'), /inquiry-office\.db is not there; check DATA_DIR/);
  assert.deepEqual(await readdir(folder), []);
});

test('records that cannot be reached are not taken for missing, by no command', async (t) => {
  const folder = join(await createTemporaryFolder(t), 'loop');
  await symlink(folder, folder);
  const env = { DATA_DIR: folder };
  assert.match((await runDoctor(env)).wrong.join('\n'), /^This user cannot read and write .*loop \(ELOOP\)/);
  const { code, stderr } = await runCli(env, ['cases', 'due']);
  assert.deepEqual([code, /cannot read and write .* \(ELOOP\)/.test(stderr)], [77, true], stderr);
});

test('a database of 0.1.0 is looked at and left as it is', async (t) => {
  const folder = await createTemporaryFolder(t);
  const env = { DATA_DIR: folder };
  await fillReleasedDatabase(sqliteUnderTest, { env }, '0.1.0');
  for (const name of await readdir(folder)) await chmod(join(folder, name), 0o600);
  const before = await hashFiles(folder);
  const { code, wrong, notes } = await runDoctor(env);
  assert.deepEqual([code, wrong], [0, []]);
  assert.match(notes, /have 0 of 1 schema steps\.\nThe next start of the service brings them up to date/);
  assert.deepEqual(await hashFiles(folder), before);
});

test('on PostgreSQL a sound database is well, and one without its shred keys is not', async (t) => {
  const { env } = await (await openPostgresEngine(cleanUp)).createDatabase(cleanUp);
  const store = await openTestStore(t, { env });
  const [{ record } = {}] = await seedCases(store, 2);
  await store.tryWrite();
  assert.deepEqual((await runDoctor(env)).wrong, []);
  await sql`delete from shred_keys where case_id = ${record?.id}`.execute(store.records);
  assert.match(
    (await runDoctor(env)).wrong.join('\n'),
    new RegExp(`^Cases that have no shred key.* \\(1\\): ${record?.id}`),
  );
  await sql`drop table shred_keys, shred_installation`.execute(store.records);
  const { wrong } = await runDoctor(env);
  assert.match(wrong[0] ?? '', /lack what their steps make: table shred_installation, table shred_keys/);
  assert.match(wrong[1] ?? '', /the shred keys are missing, or are older ones/);
  await sql`drop table schema_steps`.execute(store.records);
  assert.equal((await runDoctor(env)).code, 0);
});

test('damaged pages are named by the doctor, and end a command with a sentence', async (t) => {
  const { folder, env, store } = await createFolder(t);
  const { rows } = await sql<{ page: number; size: number }>`
    select rootpage as page, page_size as size from sqlite_schema, pragma_page_size where name = 'cases'
  `.execute(store.records);
  await store.close();
  {
    const [{ page, size } = { page: 0, size: 0 }] = rows;
    await using file = await open(join(folder, 'inquiry-office.db'), 'r+');
    await file.write('damaged', (page - 1) * size);
  }
  const { code, wrong } = await runDoctor(env);
  assert.equal(code, 2);
  assert.match(wrong.join('\n'), /inquiry-office\.db is damaged: .*restore/);
  const failed = await runCli(env, ['backup', '--to', await createTemporaryFolder(t)]);
  assert.equal(failed.code, 74, failed.stderr);
  assert.match(failed.stderr, /^The records are damaged \(SQLITE_/);
});

test('a certificate that ended, a mail server that is away and another master key are wrong', async (t) => {
  const { env, store } = await createFolder(t);
  await store.transaction((records) => noteMasterKey(records, testKeyring, Date.now()));
  const old = await createTemporaryFolder(t);
  await loadCertificate(readConfig({ DATA_DIR: old }), {
    ...systemClock,
    now: () => Date.parse('2024-01-01'),
  });
  const [pem = ''] = (await readdir(join(old, 'tls'))).filter((name) => name.endsWith('.pem'));
  const file = join(old, 'tls', pem);
  const { code, wrong } = await runDoctor({
    ...env,
    TLS_CERT_FILE: file,
    TLS_KEY_FILE: file,
    SMTP_URL: 'smtp://127.0.0.1:9',
    MAIL_FROM: 'desk@example.org',
    MASTER_KEY: generateMasterKey(),
  });
  assert.equal(code, 2);
  assert.deepEqual(
    wrong.map((text) => text.replace(file, '…').replace(/: .*/, '')),
    [
      'The certificate … expired on 2024-12-31',
      'E-mails wait, and are given up after days',
      'The service does not start',
    ],
  );
});

test('in production a missing backup needs a look, and an old one anywhere', async (t) => {
  const { env, store } = await createFolder(t);
  await recordBackup(store.records, 'records', Date.now() - 5 * DAY_MS);
  const { code, looks } = await runDoctor(env);
  assert.deepEqual([code, looks.length], [1, 1]);
  assert.match(looks[0] ?? '', /^The last backup is 5 days old/);
  await store.records.deleteFrom('last_backup').execute();
  assert.deepEqual((await runDoctor(env)).looks, []);
  const inProduction = await runDoctor({ ...production, ...env, SMTP_URL: 'smtp://127.0.0.1:9' });
  assert.match(inProduction.looks.join('\n'), /^No backup was ever made/);
});

test('networks of the desk that are far too wide, or were meant as networks, need a look', async (t) => {
  const { env } = await createFolder(t);
  const look = async (networks: string) => (await runDoctor({ ...env, DESK_NETWORKS: networks })).looks;
  assert.match((await look('10.8.0.0/24, ::/0')).join('\n'), /^DESK_NETWORKS lets half .* \(::\/0\): name/);
  assert.match((await look('10.8.0.0')).join('\n'), /the one address 10\.8\.0\.0: .* 10\.8\.0\.0\/24\.$/);
  assert.deepEqual(await look('10.8.0.0/24'), []);
});

test('an empty database beside the records of a folder is taken for a slip', async (t) => {
  const { env } = await createFolder(t);
  const empty = await (await openPostgresEngine(cleanUp)).createDatabase(cleanUp);
  const { code, wrong } = await runDoctor({ ...env, ...empty.env, DATA_DIR: env.DATA_DIR });
  assert.equal(code, 2);
  assert.match(wrong.join('\n'), /^DATABASE_URL names an empty database, while there are records in/);
});

test('public keys that are missing and clock skew are told', async (t) => {
  const { folder, env, store } = await createFolder(t);
  await insertRecipientSet(store.records, { tag: 'keys of this team', members: '[]' });
  await updateLastSeenTime(store.records, Date.now() - 3 * DAY_MS, 0);
  const { code, wrong } = await runDoctor(env);
  assert.equal(code, 2);
  assert.deepEqual(
    wrong.map((text) => text.replace(folder, '…').replace(/:.*this machine shows.*/, '')),
    [
      '…/keys/desk.pub: missing, and these records are sealed to such a key. Put the file back, or set DESK_RECIPIENTS',
      'Clock skew',
    ],
  );
});
