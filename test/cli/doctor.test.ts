/** The doctor sees what is wrong with a data folder or database, and changes nothing. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmod,
  chown,
  cp,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test, { after, type TestContext } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { sql } from 'kysely';
import { purgeCaseNow } from '#cases/ending/purge.ts';
import { systemClock } from '#platform/clock.ts';
import { readConfig } from '#platform/config/config.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '#platform/durations.ts';
import { loadCertificate } from '#platform/http/certificate.ts';
import { deriveRecipient, generateAgeIdentity } from '#seal/core/age.ts';
import { updateLastSeenTime } from '#store/clock-guard.ts';
import { openRecordsReader } from '#store/engine/records-reader.ts';
import { explainMismatch, readInstallation } from '#store/keys/installation.ts';
import { generateMasterKey } from '#store/keys/keyring.ts';
import { noteMasterKey } from '#store/keys/master-keys.ts';
import { insertRecipientSet } from '#store/keys/recipient-set.ts';
import { recordBackup } from '#store/last-backup.ts';
import { enqueueOutboxEntry } from '#store/outbox.ts';
import { seedCase, seedCases } from '#test/cases/seeded-case.ts';
import { createTemporaryFolder, withReverseCleanup } from '#test/cleanup.ts';
import { production } from '#test/config-mistakes.ts';
import { generateTestCertificate } from '#test/desk/test-certificate.ts';
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

async function runDoctor(env: Record<string, string>, ...args: string[]) {
  const { code, stdout } = await runCli(env, ['doctor', '--json', ...args]);
  const { observations } = JSON.parse(stdout) as DoctorReport;
  const listTexts = (asked: 'fine' | 'look' | 'act') =>
    observations.filter(({ level }) => level === asked).map(({ text }) => text);
  return { code, wrong: listTexts('act'), looks: listTexts('look'), notes: listTexts('fine').join('\n') };
}

async function readWrong(env: Record<string, string>, ...args: string[]): Promise<string> {
  return (await runDoctor(env, ...args)).wrong.join('\n');
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
    /^This is version .*\n(.*\n)*Records and shred keys belong together\.\nNo problems found\.\n$/,
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
  await readInstallation(reader.db, 'records_installation');
  for (let sweep = 0; sweep < 3; sweep += 1) await store.tryWrite();
  const keys = (await reader.shredKeys?.readInstallation(reader.db)) ?? null;
  assert.equal(
    explainMismatch({ keys, records: await readInstallation(reader.db, 'records_installation') }),
    null,
  );
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
    /^Other users of this machine can use .*shred\.keys \(644\)/,
    /lack tables or columns that their schema steps create: orders\.on_hold\./,
    /do not belong together: the shred keys are an older copy/,
    new RegExp(`^Cases whose shred key was destroyed.* \\(1\\): ${freed!.id}`),
    new RegExp(`^Cases that have no shred key.* \\(1\\): ${lost!.id}`),
    new RegExp(`^Cases whose key is damaged.* \\(1\\): ${torn!.id}\\. Restore the last backup`),
    /^Some cases are past their purge date \(1\), the longest by 3 days/,
  ];
  for (const [index, pattern] of expected.entries()) assert.match(wrong[index] ?? '', pattern);
  assert.equal(wrong.length, expected.length, wrong.join('\n'));
  assert.match(notes, /shred\.keys\.0a1b\.draft was left/);
  assert.deepEqual(await hashFiles(folder), before);
  assert.match((await runCli(env, ['doctor'])).stderr, /^7 things need attention\.\n$/);
});

test('steps that are unknown or were changed, missing records and damaged ones are named', async (t) => {
  const { folder, env, store } = await createFolder(t);
  await sql`insert into schema_steps (name, timestamp) values ('of the future', '1')`.execute(store.records);
  await sql`update schema_hashes set hash = 'another'`.execute(store.records);
  await store.close();
  const { wrong } = await runDoctor(env);
  assert.match(wrong[0] ?? '', /a schema step "001 first release" that differs/);
  assert.match(wrong[1] ?? '', /step "of the future", which this version does not know/);
  const database = join(folder, 'inquiry-office.db');
  await rename(database, join(folder, 'aside'));
  assert.match(await readWrong(env), /inquiry-office\.db is missing, but its shred keys/);
  await writeFile(database, 'x'.repeat(8192), { mode: 0o600 });
  assert.match(await readWrong(env), /The records are damaged \(SQLITE_NOTADB\): stop .* restore/);
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true });
  assert.match(await readWrong(env), /inquiry-office\.db does not exist; check DATA_DIR/);
  assert.deepEqual(await readdir(folder), []);
});

test('records that cannot be reached are not taken for missing, by no command', async (t) => {
  const folder = join(await createTemporaryFolder(t), 'loop');
  await symlink(folder, folder);
  const env = { DATA_DIR: folder };
  assert.match(await readWrong(env), /^This user lacks read or write access to .*loop \(ELOOP\)/);
  const { code, stderr } = await runCli(env, ['cases', 'due']);
  assert.deepEqual([code, /lacks read or write access to .* \(ELOOP\)/.test(stderr)], [77, true], stderr);
});

test('a database of 0.1.0 is looked at and left as it is', async (t) => {
  const folder = await createTemporaryFolder(t);
  const env = { DATA_DIR: folder };
  await fillReleasedDatabase(sqliteUnderTest, { env }, '0.1.0');
  for (const name of await readdir(folder)) await chmod(join(folder, name), 0o600);
  const before = await hashFiles(folder);
  const { code, wrong, notes } = await runDoctor(env);
  assert.deepEqual([code, wrong], [0, []]);
  assert.match(
    notes,
    /have 0 of 1 schema steps\.\nThe next start of the service brings the records up to date/,
  );
  assert.deepEqual(await hashFiles(folder), before);
});

test('on PostgreSQL a sound database is well, and one without its shred keys is not', async (t) => {
  const { env } = await (await openPostgresEngine(cleanUp)).createDatabase(cleanUp);
  const store = await openTestStore(t, { env });
  const [{ record } = {}] = await seedCases(store, 2);
  await store.tryWrite();
  assert.deepEqual((await runDoctor(env)).wrong, []);
  // A clock that is off by less than an hour changes nothing, but is reported.
  const now = Date.now.bind(Date);
  const ahead = t.mock.method(Date, 'now', () => now() + 90 * SECOND_MS);
  assert.match(
    (await runDoctor(env)).looks.join(),
    /^The clock of this machine is \d+ seconds ahead of Postgre/,
  );
  ahead.mock.restore();
  await sql`delete from shred_keys where case_id = ${record?.id}`.execute(store.records);
  assert.match(await readWrong(env), new RegExp(`^Cases that have no shred key.* \\(1\\): ${record?.id}`));
  await sql`drop table shred_keys, shred_installation`.execute(store.records);
  const { wrong } = await runDoctor(env);
  assert.match(
    wrong[0] ?? '',
    /lack tables or columns that their schema steps create: table shred_installation, table shred_keys/,
  );
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
  assert.match(wrong.at(-1) ?? '', /this database was written with; put back your copy of that key/);
  assert.deepEqual(
    wrong.map((text) => text.replace(file, '…').replace(/: .*/, '')),
    [
      'The certificate … expired on 2024-12-31',
      'E-mails are queued, and dropped after some days',
      'The service does not start',
    ],
  );
});

test('a backup that is old needs a look, one that was never made does not outside production', async (t) => {
  const { env, store } = await createFolder(t);
  await recordBackup(store.records, 'records', Date.now() - 5 * DAY_MS);
  const { code, looks } = await runDoctor(env);
  assert.deepEqual([code, looks.length], [1, 1]);
  assert.match(looks[0] ?? '', /^The last backup is 5 days old/);
  await store.records.deleteFrom('last_backup').execute();
  assert.deepEqual((await runDoctor(env)).looks, []);
});

test('an office in production is held to more, each thing with what to do', async (t) => {
  const { folder, env, store } = await createFolder(t);
  await updateLastSeenTime(store.records, Date.now() - 3 * HOUR_MS, 0);
  const entry = { topic: 'mail', dedupe: 'x', payload: {}, dueAt: 1 };
  await enqueueOutboxEntry(store.records, entry);
  await store.records.updateTable('outbox').set({ dead: 1 }).execute();
  await mkdir(join(folder, 'keys'));
  await writeFile(join(folder, 'keys/desk.key'), 'x', { mode: 0o600 });
  const secret = join(folder, 'master-key');
  await writeFile(secret, generateMasterKey(), { mode: 0o644 });
  const content = join(folder, 'content');
  await cp('content', content, { recursive: true });
  await rm(join(content, 'refunds.md'));
  const { code, wrong, looks } = await runDoctor({
    ...production,
    ...env,
    SITE_URL: 'https://inquiry.invalid',
    SMTP_URL: 'smtp://127.0.0.1:9',
    MASTER_KEY_FILE: secret,
    CONTENT_DIR: content,
  });
  assert.equal(code, 2);
  const shorten = (text: string) => text.replaceAll(folder, '…').replace(/(?<=: )[^:]*(?:ENO|EAI).*/, '');
  assert.deepEqual(looks.map(shorten), [
    'Every user of this machine can use the secret in …/master-key (644); protect it with chmod o=.',
    'Nothing can be bought yet: run office setup --stripe FILE (or set STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET), then restart.',
    '…/keys/desk.key is a private key: move it off this machine.',
    'No backup has been made yet, or none since a restore: run office backup once a day (docs/operating.md). Without a backup, a disk failure destroys every case.',
    'Some e-mails were given up on (1): office outbox list shows why.',
  ]);
  // The data folders of a test run may be in memory.
  const found = wrong.filter((text) => !text.includes('is in memory'));
  for (const pattern of [
    /^E-mails are queued, and dropped after some days/,
    /^The service does not start: .*refunds\.md/,
    /^https:\/\/inquiry\.invalid\/api\/health cannot be reached \(\w+\): start the service/,
    /^The service has not run for 3 hours: start it, or check its log\.$/,
  ])
    assert.match(found.shift() ?? '', pattern);
  assert.deepEqual(found, []);
});

test('a folder in memory, a file of another user and a lost master key are wrong', async (t) => {
  const { folder, env, store } = await createFolder(t);
  await store.transaction((records) => noteMasterKey(records, testKeyring, Date.now()));
  assert.match(await readWrong(env), /keys\/master\.key is missing, .* Put it back, or set/);
  const memory = '/dev/shm';
  const inMemory = await runDoctor({ ...production, SITE_URL: 'https://x.invalid', DATA_DIR: memory });
  assert.ok(
    inMemory.wrong.includes(`${memory} is in memory, and will be lost at the next boot: use a disk.`),
  );
  // Only root can give a file to another user.
  if (process.getuid?.() !== 0) return;
  await chown(join(folder, 'shred.keys'), 12_345, 12_345);
  assert.match(await readWrong(env), /shred\.keys belongs to user 12345, but its folder belongs to/);
});

test('behind a proxy the site is asked as a visitor does: away, with a wrong certificate, without its header, another site', async (t) => {
  const { env } = await createFolder(t);
  const { key, cert } = await generateTestCertificate();
  let answer = { status: 403, body: '{"code":"https_required"}' };
  const proxy = createServer({ key, cert }, (_request, response) => {
    response.writeHead(answer.status).end(answer.body);
  });
  t.after(() => proxy.close());
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port } = proxy.address() as AddressInfo;
  const SITE_URL = `https://localhost:${port}`;
  const look = async () => await readWrong({ ...env, TLS: 'proxy', TRUSTED_PROXIES: '127.0.0.1', SITE_URL });
  assert.match(
    await look(),
    /cannot be reached \(DEPTH_ZERO_SELF_SIGNED_CERT\): renew the certificate or, .* NODE_EXTRA_CA_CERTS=FILE office doctor/,
  );
  const trusted = getCACertificates();
  t.after(() => setDefaultCACertificates(trusted));
  setDefaultCACertificates([cert]);
  assert.match(await look(), /answered with 403: the proxy is not in TRUSTED_PROXIES, or does not send X-F/);
  answer = { status: 200, body: '<h1>It works!</h1>' };
  assert.match(await look(), /answered with 200: not by the service; check/);
  answer = { status: 200, body: '{"status":"ok"}' };
  assert.doesNotMatch(await look(), /answered/);
  proxy.close();
  await once(proxy, 'close');
  assert.match(await look(), /cannot be reached \(ECONNREFUSED\): start the service/);
});

test('the certificate that visitors get is looked at, also if a proxy has it', async (t) => {
  const { env } = await createFolder(t);
  const trusted = getCACertificates();
  t.after(() => setDefaultCACertificates(trusted));
  const look = async (days: number) => {
    const { key, cert } = await generateTestCertificate(
      'localhost',
      Date.now() + days * DAY_MS - HOUR_MS,
      90,
    );
    setDefaultCACertificates([cert]);
    const proxy = createServer({ key, cert }, (_request, response) => response.end('{"status":"ok"}'));
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const SITE_URL = `https://localhost:${(proxy.address() as AddressInfo).port}`;
    const seen = await runDoctor({ ...env, TLS: 'proxy', TRUSTED_PROXIES: '127.0.0.1', SITE_URL });
    proxy.close();
    return seen;
  };
  assert.match(
    (await look(6)).wrong.join('\n'),
    /^The certificate of https:\S+ expires on \d{4}-\S+: find out/,
  );
  assert.match(
    (await look(13)).looks.join('\n'),
    /^The certificate of https:\S+ expires on \d{4}-\S+: find out/,
  );
  assert.equal((await look(20)).code, 0);
});

test('mistakes in the settings are wrong like anything else, in JSON too', async (t) => {
  const empty = join(await createTemporaryFolder(t), 'master.key');
  await writeFile(empty, '\n');
  const env = { PORT: 'x', MASTER_KEY_FILE: empty, DATABASE_URL_FILE: `${empty}.lost` };
  const { code, wrong } = await runDoctor(env);
  assert.equal(code, 2);
  assert.deepEqual(
    wrong.map((text) => text.replaceAll(empty, '…')),
    [
      'PORT: expected a whole number from 1 to 65535',
      'DATABASE_URL_FILE: expected a readable file (ENOENT)',
      'MASTER_KEY_FILE: expected a file that is not empty (…)',
    ].map((mistake) => `The service does not start: ${mistake}.`),
  );
  const { stdout, stderr } = await runCli(env, ['doctor']);
  assert.match(stdout, /^This is version .*\nError: The service does not start: PORT/);
  assert.equal(stderr, '3 things need attention.\n');
});

test('the last backup opens with a key of its recipients, and otherwise is of no use', async (t) => {
  const { folder, env, store } = await createFolder(t);
  const to = await createTemporaryFolder(t);
  const withKey = { ...env, MASTER_KEY: generateMasterKey() };
  const look = async (...args: string[]) => await runDoctor(withKey, '--backup', to, ...args);
  assert.deepEqual((await look()).wrong, [`${to} has no backup of the records.`]);
  const lost = await runDoctor(withKey, '--backup', `${to}/lost`);
  assert.deepEqual(lost.wrong, [
    `The backups cannot be checked: ${to}/lost: does not exist; is the disk mounted?`,
  ]);
  await store.close();
  const [own, other] = await Promise.all([generateAgeIdentity(), generateAgeIdentity()]);
  const [ownFile, otherFile] = [join(folder, 'own.key'), join(folder, 'other.key')];
  await writeFile(ownFile, `${own}\n`, { mode: 0o600 });
  await writeFile(otherFile, `${other}\n`, { mode: 0o600 });
  const recipient = await deriveRecipient(own);
  const backup = async (key: string) => await runCli(withKey, ['backup', '--to', to, '--recipient', key]);
  assert.equal((await backup('age1other')).code, 64);
  assert.deepEqual((await backup(recipient)).stderr, '');
  const { code, notes } = await look('--key', ownFile);
  assert.equal(code, 0, notes);
  assert.match(notes, /^The last backup, records-\S+\.age of .* UTC opens, with 3 keys\.$/m);
  assert.match((await look()).notes, /records-\S+ was not opened: add --key FILE to open it\.$/m);
  assert.match(
    (await look('--key', otherFile)).wrong.join(),
    /failed its check: .*this key does not open it/,
  );
  for (const name of await readdir(to))
    await rename(join(to, name), join(to, name.replace(/-\d{4}/, '-2001')));
  assert.deepEqual(
    (await look()).looks,
    ['records', 'keys'].map(
      (part) => `${to} has no recent backup of the ${part}: check the output of office backup.`,
    ),
  );
  assert.deepEqual((await look('--key', ownFile)).looks, [], 'what is in a file counts more than its name');
  const [name = ''] = (await readdir(to)).filter((each) => each.startsWith('records-'));
  await truncate(join(to, name), 6_000);
  assert.match(
    (await look('--key', ownFile)).wrong.join(),
    /^The last backup failed its check: records-.* make a new backup\.$/,
  );
});

test('networks of the desk that are far too wide, or were meant as networks, need a look', async (t) => {
  const { env } = await createFolder(t);
  const look = async (networks: string) => (await runDoctor({ ...env, DESK_NETWORKS: networks })).looks;
  assert.match((await look('10.8.0.0/24, ::/0')).join('\n'), /^DESK_NETWORKS lets half .* \(::\/0\): name/);
  assert.match((await look('10.8.0.0')).join('\n'), /the single address 10\.8\.0\.0: .* 10\.8\.0\.0\/24\.$/);
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
    wrong.map((text) => text.replace(folder, '…').replace(/:.*this machine shows.* UTC/, '')),
    [
      '…/keys/desk.pub: missing, but these records are sealed to its key. Put the file back, or set DESK_RECIPIENTS',
      'Clock skew. Set the clock; if it is right: office clock accept.',
    ],
  );
});
