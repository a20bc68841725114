/** The setup of a server: what it writes, what it refuses, and what it leaves unchanged when it runs again. */
import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { readConfig } from '#platform/config/config.ts';
import { deriveRecipient, generateAgeIdentity } from '#seal/core/age.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { createDataFolder, readRecipientSettings } from '#test/data-folder.ts';
import { TEST_MASTER_KEY } from '#test/store/engines.ts';
import { runCli } from './desk-cli.ts';

const PASSWORD = 'secret-of-mail';
const STRIPE = 'rk_live_secret-of-stripe\nwhsec_secret-of-webhook\n';
const OPERATOR = 'Example Inquiries Ltd; 1 Example Street, "Exampletown" #2; Ireland; desk@office.example';

/** Creates a machine below a folder, with the user of the test as its system user. */
async function createMachine(t: TestContext) {
  const root = await createTemporaryFolder(t);
  await mkdir(join(root, 'etc/haproxy'), { recursive: true });
  await mkdir(join(root, 'var/backups'), { recursive: true });
  await writeFile(
    join(root, 'etc/passwd'),
    `office:x:${process.getuid?.()}:${process.getgid?.()}::/:/bin/sh\n`,
  );
  await writeFile(join(root, 'etc/group'), `office:x:${process.getgid?.()}:\n`);
  await writeFile(join(root, 'etc/haproxy/haproxy.cfg'), '# as Debian ships it\n');
  const keys = Object.entries(await readRecipientSettings(await createDataFolder(t)));
  const inputs = await createTemporaryFolder(t);
  const put = async (name: string, text: string) => {
    await writeFile(join(inputs, name), text);
    return join(inputs, name);
  };
  const files = {
    people: await put('keys.txt', keys.map(([name, key]) => `${name}=${key}\n`).join('')),
    mail: await put('mail', `smtp://desk:${PASSWORD}@mail.example:587; sender@office.example\n`),
    stripe: await put('stripe', STRIPE),
  };
  const setUp = async (args: readonly string[], input?: string) => {
    const result = await runCli({}, ['setup', '--root', root, ...args], input);
    assert.doesNotMatch(`${result.stdout}${result.stderr}`, /secret-of/, 'a secret is shown');
    return result;
  };
  const read = (path: string) => readFile(join(root, path), 'utf8');
  const answers = ['--site', 'office.example', '--operator', OPERATOR, '--mail', files.mail];
  const all = [...answers, '--stripe', files.stripe, '--people', files.people, '--offline', '--yes'];
  return { root, files, put, setUp, read, answers: all };
}

/** Lists every file with what shows whether it was written anew. */
async function listFiles(root: string): Promise<string[]> {
  const names = await readdir(root, { recursive: true, withFileTypes: true });
  const files = names
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
  const describe = async (file: string) => `${file} ${(await stat(file).catch(() => null))?.ino}`;
  return (await Promise.all(files.map(describe))).toSorted();
}

async function readSettings(root: string) {
  const text = await readFile(join(root, 'etc/inquiry-office/office.env'), 'utf8');
  const file = join(root, 'moved.env');
  await writeFile(file, text.replaceAll('=/etc/', `=${root}/etc/`));
  return readConfig({}, file);
}

test('a first setup writes what a production start needs, with the rights that each file needs', async (t) => {
  const { root, setUp, read, answers } = await createMachine(t);
  const elsewhere = await createTemporaryFolder(t);
  await chmod(elsewhere, 0o755);
  await symlink(elsewhere, join(root, 'var/backups/inquiry-office'));
  const linked = await setUp(answers);
  assert.deepEqual([linked.code, (await stat(elsewhere)).mode & 0o777], [73, 0o755]);
  assert.match(linked.stderr, /\/var\/backups\/inquiry-office should be a folder itself: move it away/);
  await rm(join(root, 'var/backups/inquiry-office'));
  const { code, stdout, stderr } = await setUp(answers);
  assert.equal(code, 0, stderr);
  const { production, site, mail, payments, store, seal, tls } = await readSettings(root);
  assert.deepEqual([production, tls.mode, site.url], [true, 'proxy', 'https://office.example']);
  assert.equal(site.operator.address, '1 Example Street, "Exampletown" #2');
  assert.deepEqual(
    [mail.from, mail.smtpUrl],
    ['sender@office.example', `smtp://desk:${PASSWORD}@mail.example:587`],
  );
  assert.deepEqual(
    [payments.key, payments.webhookSecrets],
    ['rk_live_secret-of-stripe', ['whsec_secret-of-webhook']],
  );
  assert.equal(Buffer.from(store.masterKey ?? '', 'base64').length, 32);
  assert.deepEqual(
    seal.people.map(({ name, role }) => `${name} ${role}`),
    ['owner owner'],
  );
  const folder = join(root, 'etc/inquiry-office');
  for (const name of await readdir(folder))
    assert.equal((await stat(join(folder, name))).mode & 0o777, 0o640, name);
  assert.equal((await stat(folder)).mode & 0o777, 0o750);
  assert.equal((await stat(join(root, 'var/backups/inquiry-office'))).mode & 0o777, 0o700);
  const project = process.cwd();
  assert.match(
    await read('etc/systemd/system/inquiry-office.service'),
    new RegExp(`^ExecStart=${project}/node_modules`, 'm'),
  );
  assert.match(
    await read('etc/systemd/system/inquiry-office-backup.service'),
    / --to \/var\/backups\/inquiry-office /,
  );
  assert.match(await read('etc/haproxy/haproxy.cfg'), /^frontend office$/m);
  assert.equal(await read('etc/haproxy/haproxy.cfg.before'), '# as Debian ships it\n');
  assert.equal(await readlink(join(root, project, '.env')), '/etc/inquiry-office/office.env');
  assert.match(
    stdout,
    /Still to do:[\s\S]+systemctl enable --now[\s\S]+certbot .*--domain office\.example[\s\S]+office doctor/,
  );
});

test('run again it changes nothing, and with an option only what differs, after it has shown that', async (t) => {
  const { root, files, put, setUp, read, answers } = await createMachine(t);
  await setUp(answers);
  const env = 'etc/inquiry-office/office.env';
  await writeFile(join(root, env), `${await read(env)}CONTACT_WAYS=signal\n`);
  await chmod(join(root, 'etc/inquiry-office/master.key'), 0o644);
  const before = await listFiles(root);
  const refused = await setUp(['--site', 'https://other.example', '--offline'], 'no\n');
  assert.deepEqual([refused.code, await listFiles(root)], [1, before], refused.stderr);
  const changed = await setUp(['--site', 'https://other.example', '--offline'], 'yes\n');
  assert.equal(changed.code, 0, changed.stderr);
  assert.match(
    changed.stderr,
    /- SITE_URL=https:\/\/office\.example\n {2}\+ SITE_URL=https:\/\/other\.example\n/,
  );
  assert.equal(
    await read('etc/haproxy/haproxy.cfg.before'),
    '# as Debian ships it\n',
    'the first one is kept',
  );
  assert.match(changed.stderr, /master\.key\n {2}mode 644, will be 640\n/);
  assert.match(changed.stdout, /^Wrote 3 files[\s\S]+restart inquiry-office\n[\s\S]+restart haproxy\n/);
  const { contactWays, site } = await readSettings(root);
  assert.deepEqual([contactWays, site.url], [['signal'], 'https://other.example']);
  const after = await listFiles(root);
  const again = await setUp(['--yes']);
  assert.deepEqual([again.code, again.stdout.split('\n')[0]], [0, 'Nothing has changed.'], again.stderr);
  assert.deepEqual(
    (await setUp(['--offline'], '\n'.repeat(8))).stdout,
    again.stdout,
    'Enter keeps each answer',
  );
  assert.deepEqual(await listFiles(root), after);
  const rehearsal = await setUp(['--stripe', 'sandbox', '--user', 'office', '--yes']);
  assert.match(rehearsal.stderr, /- STRIPE_SECRET_KEY_FILE=/);
  assert.match(await read('etc/systemd/system/inquiry-office.service'), /bin\/office serve --with-sandbox$/m);
  const key = await put('test-key', 'sk_test_secret-of-stripe whsec_secret-of-webhook');
  assert.equal((await setUp(['--stripe', key, '--mail', files.mail, '--offline', '--yes'])).code, 0);
  assert.equal((await readSettings(root)).production, false);
  const [uid = 0, gid] = [process.getuid?.(), process.getgid?.()];
  await writeFile(join(root, 'etc/passwd'), `office:x:${uid + 1}:${gid}::/:/bin/sh\n`);
  const moved = await setUp(['--user', 'office', '--offline'], 'no\n');
  assert.ok(
    moved.stderr.includes(`/backups/inquiry-office\n  owner ${uid}:${gid}, will be ${uid + 1}:${gid}\n`),
    moved.stderr,
  );
});

test('without a person every bad answer is named at once with 64, and nothing is written', async (t) => {
  const { root, put, setUp } = await createMachine(t);
  const before = await listFiles(root);
  const bad = {
    site: 'http://office.example/x',
    operator: 'Example Ltd',
    user: 'root',
    mail: 'smtp://desk:secret-of-mail@mail.example',
    stripe: 'rk_live_secret-of-stripe',
    database: await put('database', 'postgres://office@127.0.0.1:1/office'),
    people: await put('bad-people', 'Ada boss age1pq1x\n'),
    backup: '/no/such',
  };
  const options = Object.entries(bad).flatMap(([flag, answer]) => [`--${flag}`, answer]);
  const { code, stdout, stderr } = await setUp([...options, '--yes']);
  assert.deepEqual([code, stdout, await listFiles(root)], [64, '', before]);
  assert.deepEqual(
    [...stderr.matchAll(/^--(\w+): .+\.$/gm)].map(([, flag]) => flag),
    Object.keys(bad),
  );
  assert.match(stderr, /--database: PostgreSQL at 127\.0\.0\.1:1\/office cannot be reached \(ECONNREFUSED\)/);
  assert.match(stderr, /Nothing was written/);
});

test('a person is asked again after a bad answer, may keep a doubtful one, and leaves nothing by going away', async (t) => {
  const { root, files, setUp, read } = await createMachine(t);
  const before = await listFiles(root);
  const site = ['ftp://x', 'localhost', 'site.invalid', ''];
  const others = [
    OPERATOR,
    '',
    'smpt://desk:secret-of-mail@x',
    'smtp://127.0.0.1:1',
    '',
    '',
    '',
    files.people,
    '',
  ];
  const gone = await setUp([], [...site, ...others].join('\n'));
  assert.deepEqual([gone.code, await listFiles(root)], [1, before]);
  assert.match(
    gone.stderr,
    /SITE_URL: expected an https[\s\S]+not localhost[\s\S]+site\.invalid does not resolve yet/,
  );
  assert.match(gone.stderr, /press Enter to keep site\.invalid\.\n\n1 of 8\. [^\n[]+\n/);
  assert.match(gone.stderr, /press Enter to keep the one just entered\.\n\n4 of 8\. [^\n[]+\n/);
  const done = await setUp([], [...site, ...others, 'yes', ''].join('\n'));
  assert.equal(done.code, 0, done.stderr);
  assert.match(
    done.stdout,
    /Still to do:\n {2}1\. The name site\.invalid[^\n]+\n {2}2\. The mail server 127\.0\.0\.1:1 refuses/,
  );
  assert.equal((await readSettings(root)).site.url, 'https://site.invalid');
  assert.match(await read('etc/inquiry-office/people'), /^owner owner age1pq1/);
});

test('of a wrong file of people three mistakes are named', async (t) => {
  const { put, setUp, answers } = await createMachine(t);
  const { code, stderr } = await setUp([
    ...answers,
    '--people',
    await put('novel', 'not people at all\n'.repeat(9)),
  ]);
  assert.deepEqual([code, stderr.match(/line \d+/g)?.length], [64, 3], stderr);
  assert.match(stderr, /; and 6 more\.\n/);
});

test('beside a unit that is there already, new settings need a restart', async (t) => {
  const { root, setUp, answers } = await createMachine(t);
  await setUp(answers);
  await rm(join(root, 'etc/inquiry-office/office.env'));
  assert.match((await setUp(answers)).stdout, /^ {2}\d\. systemctl restart inquiry-office$/m);
});

test('another person or another recovery key needs a resealing, with a key of those before', async (t) => {
  const { files, put, setUp, answers } = await createMachine(t);
  await setUp(answers);
  const other = await deriveRecipient(await generateAgeIdentity());
  const keys = await readFile(files.people, 'utf8');
  const advice = / sudo -u office office keys reseal --key FILE$/m;
  for (const name of ['RECOVERY_RECIPIENT', 'DESK_RECIPIENTS'] as const) {
    const changed = keys.replace(new RegExp(`^${name}=.*`, 'm'), `${name}=${other}`);
    const { stdout } = await setUp(['--people', await put(name, changed), '--offline', '--yes']);
    assert.match(stdout, advice, name);
    await setUp(['--people', files.people, '--offline', '--yes']);
  }
  assert.doesNotMatch((await setUp(['--site', 'other.example', '--offline', '--yes'])).stdout, advice);
});

test('a line of the settings that the service refuses is named, and a secret moves to its file, neither of them shown', async (t) => {
  const { root, setUp, read, answers } = await createMachine(t);
  await setUp(answers);
  const env = 'etc/inquiry-office/office.env';
  const own = (await read(env)).replace(/^(?:STRIPE_SECRET_KEY|SMTP_URL)_FILE=.*\n/gm, '');
  const lines = `\texport STRIPE_SECRET_KEY=rk_live_secret-of-line\nSMTP_URL = smtp://desk:secret-of-line@x\n`;
  await writeFile(join(root, env), `DESK_NETWORKS secret-of-line\n${own}${lines}`);
  const { code, stdout, stderr } = await setUp(['--offline', '--yes']);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^ {2}1\. \/etc\/inquiry-office\/office\.env, line 1: expected NAME=VALUE$/m);
  assert.match(stderr, / - \texport STRIPE_SECRET_KEY=…\n {2}- SMTP_URL =…\n/);
  assert.equal(await read('etc/inquiry-office/stripe.key'), 'rk_live_secret-of-line\n');
});

test('below an empty folder the setup makes no user, and can be looked at', async (t) => {
  const { setUp, answers } = await createMachine(t);
  const empty = await createTemporaryFolder(t);
  const { code, stderr } = await setUp([...answers, '--root', empty]);
  assert.equal(code, 0, stderr);
  assert.doesNotMatch(stderr, /system user/);
  assert.deepEqual((await readdir(join(empty, 'etc'))).toSorted(), ['haproxy', 'inquiry-office', 'systemd']);
  assert.equal((await readSettings(empty)).production, true);
});

test('a folder for backups that the unit does not see is refused', async (t) => {
  const { setUp, answers } = await createMachine(t);
  for (const place of [
    '/home/backup',
    '/root',
    '/run/user/0',
    '/tmp/backup/',
    '/var/tmp',
    '/mnt/../home/x',
  ]) {
    const { code, stderr } = await setUp([...answers, '--backup', place]);
    assert.equal(code, 64, place);
    assert.match(stderr, /^--backup: The service cannot see /m, place);
  }
  assert.doesNotMatch((await setUp([...answers, '--backup', '/var/tmpfs'])).stderr, /cannot see/);
});

test('a system user without a group of its own is refused before anything is written', async (t) => {
  const { root, setUp, answers } = await createMachine(t);
  for (const [groups, advice] of [
    [`nogroup:x:${process.getgid?.()}:\n`, ': groupadd --system office && usermod --gid office office'],
    ['office:x:4711:\n', ': usermod --gid office office'],
  ] as const) {
    await writeFile(join(root, 'etc/group'), groups);
    const files = await listFiles(root);
    const { code, stderr } = await setUp(answers);
    assert.deepEqual([code, await listFiles(root)], [78, files]);
    assert.ok(stderr.includes(`group of the user office is not office`) && stderr.includes(advice), stderr);
  }
});

test('another database is said to need a backup before it is written, and its earlier address is kept', async (t) => {
  const { root, put, setUp, read, answers } = await createMachine(t);
  const choose = async (name: string, input: string) => {
    const file = await put(name, `postgres://office:secret-of-${name}@127.0.0.1/${name}`);
    return await setUp(['--database', file, '--offline'], input);
  };
  const first = await setUp(answers);
  assert.doesNotMatch(`${first.stdout}${first.stderr}`, /office (?:backup|restore) /);
  assert.equal((await choose('first', 'yes\n')).code, 0);
  const { stdout, stderr } = await choose('second', 'yes\n');
  assert.match(
    stderr,
    /stop inquiry-office\n.+ office backup --to \/var\/backups\/inquiry-office\n[\s\S]*Write this\?/,
  );
  assert.match(stdout, /office restore --from \/var\/backups\/inquiry-office[\s\S]+restart inquiry-office\n/);
  assert.doesNotMatch(stdout, /office backup/);
  const kept = 'etc/inquiry-office/database.url.before';
  assert.match(await read(kept), /\/first$/m);
  assert.equal((await stat(join(root, kept))).mode & 0o777, 0o640);
});

test('a variable is set once and removed wholly, however its lines are written', async (t) => {
  const { root, setUp, read, answers } = await createMachine(t);
  await setUp(answers);
  const env = 'etc/inquiry-office/office.env';
  const extra = 'export SITE_URL=https://a.example\n SITE_URL =https://b.example\nSANDBOX=off\n';
  const own = (await read(env)).replace(/^MAINTAINER_EMAIL=.*\n/m, '');
  await writeFile(join(root, env), `${own}${extra}\texport SANDBOX = off`);
  const literal = 'A $& B $$ C; 1 Example Street; Ireland; $&$$@office.example';
  const { code, stderr } = await setUp([...answers, '--operator', literal]);
  assert.equal(code, 0, stderr);
  const text = await read(env);
  assert.deepEqual(text.match(/^.*(?:SITE_URL|SANDBOX).*$/gm), ['SITE_URL=https://office.example']);
  assert.match(text, /^OPERATOR_NAME=A \$& B \$\$ C$/m);
  assert.match(text, /\nMAINTAINER_EMAIL=\$&\$\$@office\.example\n$/);
  await writeFile(join(root, env), `${text}NOTE="two lines\nSANDBOX=on"\nSANDBOX=off\n`);
  const refused = await setUp(answers);
  assert.deepEqual([refused.code, refused.stdout], [64, '']);
  assert.match(refused.stderr, /SANDBOX: cannot be removed from .*office\.env/);
});

test('the proxy is led to the ports and the API of the settings, and a port that another program has is named', async (t) => {
  const { root, setUp, read, answers } = await createMachine(t);
  await setUp(answers);
  const [env, proxy] = ['etc/inquiry-office/office.env', 'etc/haproxy/haproxy.cfg'];
  const shipped = await read(env);
  const set = async (port: string, metrics: string) => {
    const ports = shipped.replace('PORT=8443', `PORT=${port}`).replace('METRICS_PORT=9464', metrics);
    await writeFile(join(root, env), ports);
    return await setUp(['--yes']);
  };
  const moved = await set('8543', 'METRICS_PORT=9564');
  assert.match(moved.stderr, /\+ {5}server office1 127\.0\.0\.1:8543 check port 9564 inter 2s/);
  assert.match(moved.stdout, /restart haproxy\n/);
  for (const off of ['METRICS_PORT=off', '']) {
    assert.equal((await set('8543', off)).code, 0);
    assert.match(await read(proxy), /^ {4}server office1 127\.0\.0\.1:8543$/m, 'asked by no check');
  }
  await writeFile(join(root, env), `${await read(env)}API_PATH=/v1/api\n`);
  assert.equal((await setUp(['--yes'])).code, 0);
  const led = await read(proxy);
  assert.match(led, / path_reg \^\/\(v1\/api\|oauth2\|/);
  assert.match(led, / uri \/v1\/api\/ready /);
  await mkdir(join(root, 'proc/net'), { recursive: true });
  const listed = (port: number, uid: number) =>
    `   0: 0100007F:${port.toString(16).toUpperCase()} 00000000:0000 0A 00000000:00000000 00:00000000 00000000 ${uid} 0 4711 1\n`;
  await writeFile(join(root, 'proc/net/tcp'), listed(8543, process.getuid?.() ?? 0));
  assert.doesNotMatch((await setUp(['--yes'])).stdout, /in use/);
  await writeFile(join(root, 'proc/net/tcp6'), listed(8543, 4711));
  assert.match(
    (await setUp(['--yes'])).stdout,
    /1\. Port 8543 is in use by a program of user 4711: .* PORT /,
  );
});

test('an empty value in the settings counts as unset', async (t) => {
  const { root, setUp, read, answers } = await createMachine(t);
  const env = 'etc/inquiry-office/office.env';
  await setUp(answers);
  const key = await read('etc/inquiry-office/master.key');
  const emptied = (await read(env)).replace(/^(MASTER_KEY_FILE|DESK_RECIPIENTS_FILE)=.*$/gm, '$1=');
  await writeFile(join(root, env), `${emptied}MASTER_KEY=\nDESK_RECIPIENTS=\nCONTACT_WAYS=\n`);
  const { code, stderr } = await setUp(answers);
  assert.equal(code, 0, stderr);
  assert.equal(await read('etc/inquiry-office/master.key'), key);
  const { store, seal } = await readSettings(root);
  assert.deepEqual([store.masterKey, seal.people.length], [key.trim(), 1]);
});

test('a setup that was killed goes on with the master key that it made, and never makes one beside lost settings', async (t) => {
  const { root, setUp, read, answers } = await createMachine(t);
  const folder = join(root, 'etc/inquiry-office');
  await mkdir(folder);
  await writeFile(join(folder, 'master.key'), `${TEST_MASTER_KEY}\n`);
  await writeFile(join(folder, 'office.env.0a1b2c3d4e5f.draft'), 'NODE_ENV=prod');
  assert.equal((await setUp(answers)).code, 0);
  assert.equal(await read('etc/inquiry-office/master.key'), `${TEST_MASTER_KEY}\n`);
  assert.ok(!(await readdir(folder)).some((name) => name.endsWith('draft')));
  await writeFile(
    join(folder, 'office.env'),
    (await read('etc/inquiry-office/office.env')).replace('master.key', 'lost.key'),
  );
  const lost = await setUp(['--yes']);
  assert.deepEqual([lost.code, lost.stdout], [78, '']);
  assert.match(lost.stderr, /lost\.key is named in .*, but is missing or empty: put it back/);
  await writeFile(join(folder, 'lost.key'), '\n');
  const emptied = await setUp(['--yes']);
  assert.deepEqual([emptied.code, emptied.stdout], [78, '']);
  assert.equal(emptied.stderr, lost.stderr);
  assert.equal(await read('etc/inquiry-office/lost.key'), '\n');
});
