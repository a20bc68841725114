/** The desk as a program: what it refuses, how it starts, what it leaves behind. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import test, { after, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { armor, Encrypter } from 'age-encryption';
import { readDeskSettings } from '#desk/settings.ts';
import { generateAgeIdentity } from '#seal/core/age.ts';
import { createTemporaryFolder, withReverseCleanup } from '#test/cleanup.ts';
import { exchangeRawBytes } from '#test/raw-connection.ts';
import {
  COMPILE_CACHE,
  type RunningProgram,
  startProgram,
  waitForProgramOutput,
} from '#test/service-process.ts';
import { OWN_VISIT } from './loopback-desk.ts';

const cleanup = withReverseCleanup({ after });
const folder = await createTemporaryFolder(cleanup);
const keyFile = join(folder, 'sam.key');
const PASSPHRASE = 'small beacon, green anvil';
const asRoot = process.getuid?.() === 0 ? ['--as-root'] : [];
const OFFICE = 'https://office.example';

/** Writes a key under a passphrase: the desk starts locked, without a request to its office. */
async function writeProtectedKey(): Promise<void> {
  const encrypter = new Encrypter();
  encrypter.setPassphrase(PASSPHRASE);
  encrypter.setScryptWorkFactor(10);
  await writeFile(keyFile, armor.encode(await encrypter.encrypt(`${await generateAgeIdentity()}\n`)), {
    mode: 0o600,
  });
}
await writeProtectedKey();

async function startDesk(t: TestContext, ...args: string[]): Promise<RunningProgram> {
  const program = startProgram({ after: (clean) => t.after(clean) }, 'bin/office.js', { TMPDIR: folder }, [
    'desk',
    OFFICE,
    '--key',
    keyFile,
    ...asRoot,
    ...args,
  ]);
  await waitForProgramOutput(program, 'Press Enter for a new address');
  return program;
}

async function runRefused(
  args: readonly string[],
  env = {},
  nodeArgs: readonly string[] = [],
): Promise<[number, string]> {
  const child = spawn(process.execPath, [...nodeArgs, 'bin/office.js', 'desk', ...args], {
    env: {
      PATH: process.env['PATH'] ?? '',
      TMPDIR: folder,
      DATA_DIR: folder,
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk) => (said += String(chunk)));
  const [code] = (await once(child, 'close')) as [number];
  return [code, said];
}

function readAddresses(program: RunningProgram) {
  const output = program.readOutput();
  const file = fileURLToPath(/file:\S+/.exec(output)?.[0] ?? 'file:///');
  return { file, link: new URL(/http:\S+/.exec(output)?.[0] ?? 'http://x') };
}

async function visit(
  { host, port, pathname }: URL,
  path = pathname,
  more: readonly string[] = [],
): Promise<string> {
  const lines = OWN_VISIT.map((line) => line.replace('{host}', host));
  return await exchangeRawBytes(
    Number(port),
    'tcp',
    `${[`GET ${path} HTTP/1.1`, ...lines, ...more].join('\r\n')}\r\n\r\n`,
  );
}

test('wrong arguments and files are refused with a code and a sentence', async () => {
  const refusals: [number, RegExp, readonly string[]][] = [
    [64, /expected the office's address/, ['http://office.example', '--key', keyFile]],
    [64, /--key FILE is missing/, [OFFICE]],
    [64, /not the key itself/, [OFFICE, '--key', 'AGE-SECRET-KEY-PQ-1ABC']],
    [
      64,
      /--pin and --ca cannot be combined/,
      [OFFICE, '--key', keyFile, '--pin', 'sha256/x', '--ca', keyFile],
    ],
    [64, /--connect must be HOST:PORT/, [OFFICE, '--key', keyFile, '--connect', 'localhost']],
    [64, /--connect must be HOST:PORT/, [OFFICE, '--key', keyFile, '--connect', 'localhost:70000']],
    [64, /Unknown option/, [OFFICE, '--key', keyFile, '--listen', '0.0.0.0']],
    [64, /Give one address/, [OFFICE, OFFICE, '--key', keyFile]],
    [64, /need the address/, ['--key', keyFile]],
    [66, /no such folder/, [OFFICE, '--key', keyFile, '--out', join(folder, 'none')]],
    [66, /cannot be read/, [OFFICE, '--key', join(folder, 'none')]],
  ];
  const pin = `${'A'.repeat(43)}=`;
  for (const wrong of ['', 'sha256/', `sha1/${pin}`, `sha256/A${pin}`, ` sha256/${pin}`])
    refusals.push([64, /--pin must be sha256/, [OFFICE, '--key', keyFile, '--pin', wrong]]);
  for (const [exitCode, message, args] of refusals)
    assert.throws(() => readDeskSettings(args, folder), { exitCode, message });
});

test('paths are resolved, and whom to trust and where to connect are read from the options', () => {
  const pin = `sha256/${'A'.repeat(43)}=`;
  const folders = ['--out', '.', '--templates', '.', '--as-root'];
  for (const [more, expected] of [
    [[], { trust: 'public', connect: null, keyPath: keyFile, isNumeric: false, isRootAllowed: false }],
    [['--ca', 'sam.key'], { trust: { caPath: keyFile } }],
    [['--pin', pin], { trust: { pin } }],
    [['--connect', '[::1]:9443', '--numeric'], { connect: { host: '::1', port: 9443 }, isNumeric: true }],
    [['--connect', 'localhost:9443'], { connect: { host: 'localhost', port: 9443 } }],
    [folders, { outFolder: folder, templatesFolder: folder, isRootAllowed: true }],
  ] as const)
    assert.partialDeepStrictEqual(readDeskSettings([OFFICE, '--key', 'sam.key', ...more], folder), expected);
});

test('a process that others can look into does not start', async () => {
  const notes = join(folder, 'notes.txt');
  await writeFile(notes, 'no key', { mode: 0o600 });
  const office = [OFFICE, ...asRoot, '--key'];
  const refusals: [number, RegExp, readonly string[], object?, (readonly string[])?][] = [
    [66, /start the service first/, []],
    [77, /not a private key/, [...office, notes]],
    [78, /NODE_OPTIONS/, [...office, keyFile], { NODE_OPTIONS: '--no-warnings' }],
    [78, /started with --inspect/, [...office, keyFile], {}, ['--inspect=127.0.0.1:0']],
    [78, /configuration has mistakes/, [], { PORT: 'many' }],
  ];
  if (asRoot.length > 0) refusals.push([77, /as root/, [OFFICE, '--key', keyFile]]);
  for (const [code, says, args, env, nodeArgs] of refusals) {
    const [ended, said] = await runRefused(args, env, nodeArgs);
    assert.match(said, says);
    assert.equal(ended, code, said);
  }
  await chmod(keyFile, 0o644);
  assert.match((await runRefused([...office, keyFile]))[1], /other users of this machine can read it/);
  await chmod(keyFile, 0o600);
  const left = (await readdir(folder)).filter((name) => name.startsWith('desk-'));
  assert.deepEqual(left, []);
});

test('it runs in a process sandbox, shows nothing secret, leads from its private file to the locked desk, runs once for each key, and ends by a signal with 0', async (t) => {
  const program = await startDesk(t);
  const { link, file } = readAddresses(program);
  const [args, environment] = await Promise.all(
    ['cmdline', 'environ'].map((name) => readFile(`/proc/${program.process.pid}/${name}`, 'utf8')),
  );
  const secret = basename(link.pathname);
  assert.match(args ?? '', /--disable-sigusr1\0--permission\0/);
  assert.doesNotMatch(`${args}${environment}`, new RegExp(secret));
  assert.doesNotMatch(environment ?? '', /NODE_|npm_/);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.equal((await stat(dirname(file))).mode & 0o777, 0o700);
  assert.match(await readFile(file, 'utf8'), new RegExp(secret));
  assert.match(link.hostname, /^desk-[0-9a-f]{16}\.localhost$/);

  const entered = await visit(link);
  assert.match(entered, /^HTTP\/1\.1 200 /);
  await assert.rejects(stat(file));
  const cookie = /^set-cookie: ([^;]+)/im.exec(entered)?.[1];
  const page = await visit(link, '/unlock', [`Cookie: ${cookie}`]);
  assert.match(page, /Passphrase of sam\.key/);
  assert.match(page, /office\.example, signed out/);
  program.process.kill('SIGUSR1');
  program.process.kill('SIGHUP');
  assert.match(await visit(link, '/unlock', [`Cookie: ${cookie}`]), /^HTTP\/1\.1 200 /);
  assert.doesNotMatch(program.readOutput(), /Debugger/, 'SIGUSR1 opens no debugger');

  const [code, said] = await runRefused([OFFICE, '--key', keyFile, ...asRoot]);
  assert.equal(code, 69, said);
  assert.match(said, /another desk is running with/);
  program.process.kill('SIGTERM');
  assert.equal(await program.ended, 0);
  await assert.rejects(stat(dirname(file)), 'it leaves nothing');
});

test('a desk that was killed frees its key', async (t) => {
  const killed = await startDesk(t, '--numeric');
  assert.equal(readAddresses(killed).link.hostname, '127.0.0.1');
  killed.process.kill('SIGKILL');
  assert.equal(await killed.ended, 'SIGKILL');
  await startDesk(t);
});
