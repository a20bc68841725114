/** The program `office`, started as people start it: by any Node, from any folder, through links and npm. */
import assert from 'node:assert/strict';
import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, cp, mkdir, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import test, { after } from 'node:test';
import { type CleanupScope, createTemporaryFolder } from '#test/cleanup.ts';
import { isLongRun } from '#test/scale.ts';
import type { CliResult } from './desk-cli.ts';

const OFFICE = resolve('bin/office');
const PUBLIC_KEY = 'age1pq1qqqq\n';
/** A command whose answer shows where it looked for a file. */
const OPEN_CASE = ['cases', 'open', 'x', '--key', 'my.key'];

/** The machine's own Node is the first in the PATH, as outside of npm. */
const PATH = (process.env['PATH'] ?? '').replace(/[^:]*node_modules[^:]*:?/g, '');

const folder = join(await createTemporaryFolder({ after }), 'a folder with spaces');
await mkdir(folder);
await writeFile(join(folder, 'my.key'), PUBLIC_KEY, { mode: 0o600 });

interface Call {
  readonly program?: string;
  readonly cwd?: string;
  readonly env?: Record<string, string>;
}

function startOffice(args: readonly string[], { program = OFFICE, cwd = folder, env = {} }: Call = {}) {
  const options: SpawnOptions = { cwd, env: { PATH, HOME: folder, ...env }, stdio: 'pipe' };
  const child = spawn(program, args, options);
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.on('data', (chunk) => {
      written[name] += String(chunk);
    });
  return { child, written, ended: once(child, 'close') as Promise<[number | null, string | null]> };
}

async function runOffice(args: readonly string[], call: Call = {}): Promise<CliResult> {
  const { child, written, ended } = startOffice(args, call);
  child.stdin?.end();
  const [code] = await ended;
  return { code, ...written };
}

test('npm, which moves to its own folder, finds the same file', async () => {
  const args = ['--prefix', resolve('.'), '--silent', 'run', 'cli', '--', ...OPEN_CASE];
  const { code, stderr } = await runOffice(args, { program: 'npm' });
  assert.deepEqual(
    [code, stderr.replace(/^npm .*\n/gm, '')],
    [77, 'my.key: a public key; a case is opened with the private key\n'],
  );
});

if (isLongRun)
  test('a link to the program works in a path with spaces, and finds a file where one stands, named as it was typed', async () => {
    const link = join(folder, 'office');
    await symlink(OFFICE, link);
    const { code, stderr } = await runOffice(OPEN_CASE, { program: link });
    assert.deepEqual([code, stderr], [77, 'my.key: a public key; a case is opened with the private key\n']);
  });

test('standard input and exit codes pass', async () => {
  // The shell's pipe can be opened by name, unlike the socket that a child process of Node gets.
  const pipe = ['-c', 'cat my.key | "$0" cases open x --key /dev/stdin', OFFICE];
  const wrong = await runOffice(pipe, { program: '/bin/sh' });
  assert.deepEqual([wrong.code, wrong.stdout], [77, '']);
  assert.match(wrong.stderr, /^\/dev\/stdin: a public key/);
  const help = await runOffice(['help']);
  assert.deepEqual([help.code, help.stderr], [0, '']);
  assert.match(help.stdout, /^Usage: office COMMAND\n/);
});

test('a signal to the program ends the command with the code of that signal', async () => {
  // No server answers at this address, so the command waits.
  const env = {
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
    MASTER_KEY: Buffer.alloc(32).toString('base64'),
  };
  const signals = [
    ['SIGTERM', 143],
    ['SIGINT', 130],
    ['SIGHUP', 129],
  ] as const;
  for (const [signal, code] of isLongRun ? signals : signals.slice(0, 1)) {
    const { child, written, ended } = startOffice(['cases', 'due'], { env });
    await Promise.race([once(child.stderr!, 'data'), ended]);
    assert.match(written.stderr, /waiting up to 30 seconds/);
    child.kill(signal);
    assert.deepEqual(await ended, [code, null]);
  }
});

test('.env of the project is read from anywhere, its paths are from the project, the environment counts more', async (t) => {
  const { program, project, packaged } = await copyProject(t);
  await symlink(process.execPath, packaged);
  await writeFile(join(project, '.env'), 'DATA_DIR=./elsewhere\nMETRICS=on\nSWEEP_SECONDS=\n');
  const wrong = await runOffice(['cases', 'due'], { program });
  assert.deepEqual(
    [wrong.code, wrong.stderr.includes('METRICS: no such variable')],
    [78, true],
    wrong.stderr,
  );
  await writeFile(join(project, '.env'), 'DATA_DIR=./elsewhere\n');
  const readFailure = async (env: Record<string, string>) =>
    (await runOffice(['cases', 'due'], { program, env })).stderr;
  assert.ok((await readFailure({})).startsWith(`${resolve('elsewhere')}: there is no database here`));
  assert.match(await readFailure({ DATA_DIR: '/nowhere' }), /^\/nowhere: there is no database here/);
  assert.match(
    await readFailure({ OFFICE_ENV_FILE: '/no/such.env' }),
    /OFFICE_ENV_FILE: .*\/no\/such\.env: ENOENT/,
  );
});

if (isLongRun)
  test('where the Node of the packages does not run, the one that runs this does, if it is new enough', async (t) => {
    const { program, project, packaged } = await copyProject(t);
    await writeFile(packaged, '#!/no/such/loader\n', { mode: 0o755 });
    const ours = { program: process.execPath };
    const version = await runOffice([program, '--version'], ours);
    assert.deepEqual([version.code, version.stderr], [0, '']);
    await writeFile(join(project, 'package.json'), '{"type":"module","engines":{"node":">=99.1"}}');
    const refused = await runOffice([program, '--version'], ours);
    assert.equal(refused.code, 69);
    assert.match(
      refused.stderr,
      /^Node 99\.1 or later is needed: this is \S+, and .* does not run on this system.*\n$/,
    );
    const install = await runOffice([join(project, 'bin/link-node.js')], ours);
    assert.deepEqual([install.code, install.stderr], [1, refused.stderr]);
  });

test('an install on such a machine leaves its own Node to the scripts', async (t) => {
  const { project, packaged } = await copyProject(t, []);
  await writeFile(packaged, '#!/no/such/loader\n', { mode: 0o755 });
  await symlink(packaged, join(project, 'node_modules/.bin/node'));
  const install = await runOffice([join(project, 'bin/link-node.js')], { program: process.execPath });
  assert.deepEqual([install.code, install.stderr], [0, '']);
  await assert.rejects(readlink(join(project, 'node_modules/.bin/node')), { code: 'ENOENT' });
});

test('an install links the packaged Node, which npm 9 loses, and the program, which npm does not pack', async (t) => {
  const { project, packaged } = await copyProject(t, []);
  await symlink(process.execPath, packaged);
  const program = join(project, 'bin/office');
  await rm(program, { force: true });
  assert.equal((await runOffice([join(project, 'bin/link-node.js')], { program: process.execPath })).code, 0);
  assert.equal(await readlink(program), 'office.js');
  const link = await readlink(join(project, 'node_modules/.bin/node'));
  assert.equal(resolve(project, 'node_modules/.bin', link), packaged);
});

/** Copies the small part of the project that decides which Node runs, and links to the rest. */
async function copyProject(t: CleanupScope, rooms: readonly string[] = ['cli', 'desk', 'src']) {
  const project = await createTemporaryFolder(t);
  await cp('bin', join(project, 'bin'), { recursive: true });
  await copyFile('package.json', join(project, 'package.json'));
  const packaged = join(project, `node_modules/node-${process.platform}-${process.arch}/bin/node`);
  for (const each of [join(packaged, '..'), join(project, 'node_modules/.bin')])
    await mkdir(each, { recursive: true });
  for (const name of rooms) await symlink(resolve(name), join(project, name));
  return { project, packaged, program: join(project, 'bin/office.js') };
}

if (isLongRun)
  test('the agent is a program too, which any Node starts', async () => {
    const { code, stdout, stderr } = await runOffice(['help'], { program: resolve('bin/office-agent.js') });
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^Usage: /);
  });

if (isLongRun)
  test('serve starts nothing if it is asked for help, or for what it does not know', async () => {
    const help = await runOffice(['serve', '--help']);
    assert.deepEqual([help.code, help.stderr], [0, '']);
    assert.match(help.stdout, /^Usage: office serve \[--with-sandbox\]\n/);
    const unknown = await runOffice(['serve', '--port', '1']);
    assert.deepEqual([unknown.code, unknown.stdout], [64, '']);
  });
