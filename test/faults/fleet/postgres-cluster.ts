/** Debian's PostgreSQL, Patroni, etcd and HAProxy as a cluster: two servers, of which Patroni makes one the leader. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, openSync } from 'node:fs';
import { chmod, chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type CleanupScope, createTemporaryFolder, withReverseCleanup } from '#test/cleanup.ts';
import { findProgram, startProxy, type TestedProxy } from '#test/life/proxies.ts';
import { waitUntil } from '#test/patience.ts';
import { findFreePorts } from '#test/ports.ts';
import { NOBODY } from '#test/postgres-server.ts';

/** The PostgreSQL of the npm package has no program that copies a server. */
const [bin = ''] = globSync('/usr/lib/postgresql/*/bin/pg_basebackup').toSorted().map(dirname);
const PROGRAMS = ['patroni', 'etcd', 'haproxy'];
/** The shortest that Patroni allows; for this long, a dead leader still counts as the leader. */
const TTL_SECONDS = 20;

export const isClusterInstalled = bin !== '' && PROGRAMS.every((name) => findProgram(name) !== null);

interface ClusterNode {
  readonly name: string;
  readonly postgres: number;
  readonly api: number;
}

export interface PostgresCluster {
  /** Leads to whichever server is the leader. */
  readonly url: string;
  /** Kills the leader with all its processes; returns a function that restarts it as a follower. */
  readonly killLeader: () => Promise<() => Promise<void>>;
  /** Waits until the leader waits for the other server with every commit. */
  readonly waitForPair: () => Promise<void>;
}

export async function startPostgresCluster(owner: CleanupScope): Promise<PostgresCluster> {
  const t = withReverseCleanup(owner);
  const folder = await createTemporaryFolder(t);
  await chmod(folder, 0o711);
  const [front = 0, etcd = 0, etcdPeer = 0, ...ports] = await findFreePorts(7);
  const start = (name: string, args: readonly string[]) => startAsNobody(t, folder, name, args);
  await makeOwnFolder(join(folder, 'etcd'));
  start('etcd', listEtcdOptions(join(folder, 'etcd'), etcd, etcdPeer));
  const nodes = ['one', 'two'].map((name, index) => ({
    name,
    postgres: ports[2 * index] ?? 0,
    api: ports[2 * index + 1] ?? 0,
  }));
  const running = new Map<ClusterNode, ChildProcess>();
  const startNode = async (node: ClusterNode) => {
    running.set(node, start('patroni', [await writeNode(folder, node, etcd)]));
  };
  for (const node of nodes) {
    // Runs once Patroni has ended, which would restart the server.
    t.after(() => killServer(folder, node, 'SIGQUIT'));
    await startNode(node);
  }
  await startProxy(
    t,
    toDatabaseProxy(front, nodes),
    { plain: 0, secure: 0, service: 0, management: 0 },
    folder,
  );
  const findLeader = async () => {
    for (const node of nodes) if (await answers(node, 'primary')) return node;
    return null;
  };
  return {
    url: `postgres://postgres@127.0.0.1:${front}/postgres`,
    waitForPair: async () => {
      await waitUntil('a pair is synchronous', async () => {
        const states = await Promise.all(nodes.map((node) => answers(node, 'synchronous')));
        return states.includes(true) && (await findLeader()) !== null;
      });
    },
    killLeader: async () => {
      const node = await waitUntil('there is a leader', findLeader);
      running.get(node)?.kill('SIGKILL');
      await killServer(folder, node, 'SIGKILL');
      return () => startNode(node);
    },
  };
}

async function answers({ api }: ClusterNode, what: string): Promise<boolean> {
  return await fetch(`http://127.0.0.1:${api}/${what}`).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Patroni gives the server its own session, so the server does not end with Patroni. */
async function killServer(folder: string, { name }: ClusterNode, signal: NodeJS.Signals): Promise<void> {
  const text = await readFile(join(folder, name, 'data', 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  const send = (what: NodeJS.Signals | 0) => {
    try {
      return process.kill(pid, what);
    } catch {
      return false;
    }
  };
  if (Number.isNaN(pid) || !send(signal)) return;
  await waitUntil('the server has ended', () => !send(0));
}

function startAsNobody(t: CleanupScope, folder: string, name: string, args: readonly string[]): ChildProcess {
  const output = openSync(join(folder, `${name}.log`), 'a');
  const child = spawn(findProgram(name) ?? '', args, {
    ...(process.getuid?.() === 0 ? NOBODY : {}),
    cwd: '/',
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, LC_ALL: 'C' },
    stdio: ['ignore', output, output],
  });
  const ended = once(child, 'exit');
  t.after(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return child;
}

async function makeOwnFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  if (process.getuid?.() === 0) await chown(path, NOBODY.uid, NOBODY.gid);
}

function listEtcdOptions(data: string, port: number, peerPort: number): string[] {
  const [clients, peers] = [port, peerPort].map((each) => `http://127.0.0.1:${each}`);
  return [
    `--data-dir=${data}`,
    `--listen-client-urls=${clients}`,
    `--advertise-client-urls=${clients}`,
    `--listen-peer-urls=${peers}`,
    `--initial-advertise-peer-urls=${peers}`,
    `--initial-cluster=default=${peers}`,
  ];
}

/** Returns the path of the configuration. */
async function writeNode(
  folder: string,
  { name, postgres, api }: ClusterNode,
  etcd: number,
): Promise<string> {
  const place = join(folder, name);
  await makeOwnFolder(place);
  const trusted = ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'];
  const settings = {
    scope: 'office',
    name,
    restapi: { listen: `127.0.0.1:${api}`, connect_address: `127.0.0.1:${api}` },
    etcd3: { host: `127.0.0.1:${etcd}` },
    bootstrap: {
      dcs: {
        ttl: TTL_SECONDS,
        loop_wait: 1,
        retry_timeout: 5,
        // Otherwise, what was acknowledged a moment before the leader died would be lost.
        synchronous_mode: true,
        postgresql: { use_pg_rewind: true, parameters: { max_connections: 100, wal_log_hints: 'on' } },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, { auth: 'trust' }, 'no-sync'],
      pg_hba: trusted,
    },
    postgresql: {
      listen: `127.0.0.1:${postgres}`,
      connect_address: `127.0.0.1:${postgres}`,
      data_dir: join(place, 'data'),
      bin_dir: bin,
      pgpass: join(place, 'pgpass'),
      authentication: {
        superuser: { username: 'postgres' },
        replication: { username: 'replicator' },
        rewind: { username: 'postgres' },
      },
      pg_hba: trusted,
      parameters: { unix_socket_directories: place },
    },
  };
  const path = join(folder, `${name}.json`);
  // JSON is YAML too.
  await writeFile(path, JSON.stringify(settings));
  return path;
}

/** Configured as Patroni's documents describe. */
function toDatabaseProxy(front: number, nodes: readonly ClusterNode[]): TestedProxy {
  return {
    program: 'haproxy',
    prepare: async (folder) => {
      const servers = nodes.map(
        ({ name, postgres, api }) => `  server ${name} 127.0.0.1:${postgres} check port ${api}`,
      );
      const lines = [
        'defaults',
        '  mode tcp',
        '  timeout connect 4s',
        '  timeout client 30m',
        '  timeout server 30m',
        '  timeout check 5s',
        'listen postgres',
        `  bind 127.0.0.1:${front}`,
        '  option httpchk OPTIONS /primary',
        '  http-check expect status 200',
        '  default-server inter 1s fall 3 rise 2 on-marked-down shutdown-sessions',
        ...servers,
      ];
      const path = join(folder, 'haproxy.cfg');
      await writeFile(path, `${lines.join('\n')}\n`);
      return ['-db', '-f', path];
    },
  };
}
