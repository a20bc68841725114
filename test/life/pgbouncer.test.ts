/** Instances behind Debian's pgbouncer in transaction mode, where each transaction may have another session. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { withReverseCleanup } from '#test/cleanup.ts';
import { findFreePorts } from '#test/ports.ts';
import { openPostgresEngine, openTestStore } from '#test/store/engines.ts';
import { NO_PROGRAM } from '#test/test-counts.ts';
import { assertOnceEach } from './instances.ts';
import { findProgram, isInstalled, startProxy, type TestedProxy } from './proxies.ts';

/** Fewer than two instances would open themselves. */
const SESSIONS = 8;

const pgbouncer: TestedProxy = {
  program: 'pgbouncer',
  prepare: async (folder, { plain: port, service: server }) => {
    const version = execFileSync(findProgram('pgbouncer') ?? '', ['--version'], { encoding: 'utf8' });
    const [, minor = '0'] = /^PgBouncer 1\.(\d+)/.exec(version) ?? [];
    const file = join(folder, 'pgbouncer.ini');
    await writeFile(
      file,
      `[databases]
* = host=127.0.0.1 port=${server} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${SESSIONS}
max_client_conn = 200
${Number(minor) >= 21 ? 'max_prepared_statements = 1000' : ''}
`,
    );
    // pgbouncer refuses to run as root.
    return [...(process.getuid?.() === 0 ? ['-u', 'nobody'] : []), file];
  },
};

for (const count of [2, 4])
  test(`${count} instances behind pgbouncer sell, tell and purge once, though their leader is killed`, {
    skip: isInstalled(pgbouncer) ? false : NO_PROGRAM,
  }, async (owner) => {
    const t = withReverseCleanup(owner);
    const place = await (await openPostgresEngine({ after })).createDatabase(t);
    const store = await openTestStore(t, place);
    const url = new URL(place.env['DATABASE_URL'] ?? '');
    const [plain = 0] = await findFreePorts(1);
    const ports = { plain, secure: 0, service: Number(url.port), management: 0 };
    const readSaid = await startProxy(t, pgbouncer, ports, '');
    url.port = String(plain);
    await assertOnceEach(t, { env: { ...place.env, DATABASE_URL: url.href }, count, store });
    assert.doesNotMatch(readSaid(), /unsupported|FATAL|ERROR/);
  });
