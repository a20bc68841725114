/** How the program starts, refuses to start, reloads and stops. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { chmod, cp, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test, { type TestContext } from 'node:test';
import { connect } from 'node:tls';
import autocannon from 'autocannon';
import { systemClock } from '#platform/clock.ts';
import { readConfig } from '#platform/config/config.ts';
import { loadCertificate } from '#platform/http/certificate.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { createDataFolder, readRecipientSettings } from '#test/data-folder.ts';
import { createHttpsClient } from '#test/https-client.ts';
import { waitUntil } from '#test/patience.ts';
import { findFreePorts } from '#test/ports.ts';
import { openRawConnection } from '#test/raw-connection.ts';
import {
  type ServiceProcess,
  startOffice,
  startServiceProcess,
  waitForProgramOutput,
} from '#test/service-process.ts';
import { openTestStore } from '#test/store/engines.ts';
import { assertStartRefused } from './refused-start.ts';

test('the start summary says where everything is, without secrets; a second start keeps what the first made, and needs no private key', async (t) => {
  const dataDir = await createTemporaryFolder(t);
  await chmod(dataDir, 0o755);
  const service = await startServiceProcess(t, { DATA_DIR: dataDir, DESK_NETWORKS: '0.0.0.0/0' });
  const { readOutput, origin } = service;
  assert.match(readOutput(), /^Inquiry Office is ready\.\n/m);
  assert.match(readOutput(), /Warning +DESK_NETWORKS lets half of the internet reach the desk API/);
  const masterKey = (await readFile(join(dataDir, 'keys', 'master.key'), 'utf8')).trim();
  for (const text of [origin, `${origin}/api`, dataDir, 'sqlite', 'npm run desk\n', 'curl -k'])
    assert.ok(readOutput().includes(text), text);
  assert.ok(!readOutput().includes(masterKey));
  assert.deepEqual(await readdir(join(dataDir, 'mail')), []);
  const keyLine = new RegExp(`Master key +${join(dataDir, 'keys', 'master.key')} .*MASTER_KEY_FILE`);
  assert.match(readOutput(), keyLine, 'a key in the data folder is named among those to move away');
  // One line for the tables of a new database, so that the summary is seen.
  // The log is a stream of its own, which may arrive after the summary.
  await waitForProgramOutput(service, '"event":"schema_created"');
  assert.equal(
    readOutput()
      .match(/"event":"schema_\w+"/g)
      ?.join(),
    '"event":"schema_created"',
  );
  const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
  assert.match(readOutput(), new RegExp(`Version +${RegExp.escape(version)}\n`));
  await waitForProgramOutput(service, `"event":"started","version":"${version}"`);
  for (const entry of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
    // The service may remove a file meanwhile.
    const found = statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false });
    assert.equal((found?.mode ?? 0) & 0o077, 0, `${entry.name} is the service’s own`);
  }
  const fingerprint = await readCertificateFingerprint(service.port);
  await assertEndedBy(service, 'SIGTERM');
  for (const name of ['desk.key', 'recovery.key']) {
    assert.match(readOutput(), new RegExp(`Private key +\\S+${name} opens every case`));
    await rename(join(dataDir, 'keys', name), join(dataDir, name));
  }

  const second = await startServiceProcess(t, { DATA_DIR: dataDir, MASTER_KEY: masterKey });
  assert.equal(await readCertificateFingerprint(second.port), fingerprint);
  assert.ok(!second.readOutput().includes('Master key'), 'a key that was given is not in the folder');
  assert.doesNotMatch(second.readOutput(), /Private key/);
  // An unfinished request does not keep a program from stopping.
  await beginRequest(second.port);
  await assertEndedBy(second, 'SIGINT');

  const otherKey = { MASTER_KEY: Buffer.alloc(32, 7).toString('base64'), DATA_DIR: dataDir };
  const refusal = 'MASTER_KEY: not the key that this database was written with';
  await assertStartRefused(t, otherKey, 78, refusal);
});

test('a port in use is reported in one clear line', async (t) => {
  const [port = 0] = await findFreePorts(1);
  const other = createServer().listen(port, '127.0.0.1');
  t.after(() => other.close());
  await once(other, 'listening');
  const taken = `127.0.0.1 port ${port} is in use by another program: stop it, or set another`;
  await assertStartRefused(t, { PORT: String(port), HTTP_PORT: 'off' }, 69, `${taken} PORT`);
  await assertStartRefused(t, { HTTP_PORT: String(port) }, 69, `${taken} HTTP_PORT`);
});

test('a certificate, a folder or a database that cannot be used is reported in one clear line', async (t) => {
  const tls = join(await createDataFolder(t), 'tls', 'localhost.crt');
  const other = await createKeyFile(t);
  const pair = (cert: string, key: string) => ({ TLS_CERT_FILE: cert, TLS_KEY_FILE: key });
  const folder = await createTemporaryFolder(t);
  await writeFile(join(folder, 'inquiry-office.db'), 'not a database '.repeat(500));
  const locked = await createDataFolder(t);
  const holder = new DatabaseSync(join(locked, 'inquiry-office.db'));
  t.after(() => holder.close());
  holder.exec('create table held (id integer); begin exclusive');
  // systemd restarts the program after exit code 73, and not after 74 and 78.
  for (const [env, code, reason] of [
    [pair('/nowhere.crt', '/nowhere.key'), 78, 'TLS_CERT_FILE: cannot read /nowhere.crt (ENOENT)'],
    [pair(tls, other), 78, 'the key does not belong to the certificate'],
    [pair(other, other), 78, 'not a usable pair'],
    [{ CONTENT_DIR: '/nowhere' }, 78, '/nowhere/helplines.txt: the file is missing'],
    [{ DATA_DIR: other }, 74, 'other.key'],
    [{ DATA_DIR: '/proc/nowhere/data' }, 73, '/proc/nowhere'],
    [{ DATA_DIR: folder }, 74, 'not a usable database'],
    [{ DATA_DIR: locked }, 73, 'the database is locked by another program'],
  ] as const)
    await assertStartRefused(t, env, code, reason);
});

test('damaged pages end the start with 74 and what to do, and systemd does not try again', async (t) => {
  const folder = await createDataFolder(t);
  const store = await openTestStore(t, { env: { DATA_DIR: folder } });
  await store.close();
  const path = join(folder, 'inquiry-office.db');
  const database = new DatabaseSync(path);
  const { page } = database.prepare("select rootpage as page from sqlite_schema where name = 'cases'").get()!;
  const { page_size: size } = database.prepare('pragma page_size').get()!;
  database.close();
  const bytes = await readFile(path);
  bytes.write('damaged', (Number(page) - 1) * Number(size));
  await writeFile(path, bytes);
  const [port = 0] = await findFreePorts(1);
  const env = { PORT: String(port), HTTP_PORT: 'off', DATA_DIR: folder };
  const program = startOffice(t, ['serve'], env);
  assert.equal(await program.ended, 74, program.readOutput());
  assert.match(
    program.readOutput(),
    /^Cannot start: the records are damaged \(SQLITE_CORRUPT\): .* restore the last backup/m,
  );
  const unit = await readFile('deploy/inquiry-office.service', 'utf8');
  assert.match(unit, /^RestartPreventExitStatus=74 78$/m);
});

test('a certificate that expires soon is replaced at the start', async (t) => {
  const config = readConfig({ DATA_DIR: await createTemporaryFolder(t) });
  const createClockAfter = (days: number) => ({ now: () => Date.now() + days * 86_400_000 });
  const first = await loadCertificate(config, createClockAfter(0));
  assert.equal((await loadCertificate(config, createClockAfter(330)))?.cert, first?.cert);
  const renewed = await loadCertificate(config, createClockAfter(340));
  assert.notEqual(renewed?.cert, first?.cert);
  assert.equal((await loadCertificate(config, createClockAfter(341)))?.cert, renewed?.cert);
});

test('mistakes in the configuration are listed together and exit with 78, through npm too', async () => {
  const env = { ...process.env, PORT: 'x', TLS: 'y', SITE_URL: 'z' };
  const child = spawn('npm', ['run', 'serve'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk) => (said += String(chunk)));
  assert.deepEqual(await once(child, 'close'), [78, null]);
  for (const name of ['PORT: expected', 'TLS: expected', 'SITE_URL: expected'])
    assert.ok(said.includes(name), name);
});

test('npm start sells through the sandbox that it starts, and a signal ends both', async (t) => {
  const [port = 0, sandboxPort = 0] = await findFreePorts(2);
  const dataDir = await createDataFolder(t);
  const ports = { PORT: String(port), HTTP_PORT: 'off', SANDBOX_PORT: String(sandboxPort) };
  const env = { ...process.env, ...ports, DATA_DIR: dataDir };
  const npm = spawn('npm', ['start'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  t.after(() => npm.kill('SIGKILL'));
  let output = '';
  for await (const chunk of npm.stderr.iterator({ destroyOnReturn: false })) {
    output += String(chunk);
    if (output.includes('is ready.')) break;
  }
  assert.match(output, /is ready\./);
  const send = await createHttpsClient(`https://localhost:${port}`, dataDir);
  const { status, json } = await send('/api/stripe/checkout', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ tier: 'Trace' }),
  });
  assert.equal(status, 200);
  assert.equal((await fetch(String(json['url']))).status, 200);
  npm.kill('SIGTERM');
  assert.deepEqual(await once(npm, 'exit'), [0, null]);
  await assert.rejects(fetch(`http://127.0.0.1:${sandboxPort}`));
});

test('behind a proxy that asks for /ready, it serves on until the proxy knows that it stops', async (t) => {
  const service = await startServiceProcess(t, { TLS: 'proxy', TRUSTED_PROXIES: '127.0.0.1' });
  const ask = async (path: string) => {
    const headers = { host: 'localhost', 'x-forwarded-proto': 'https', 'x-forwarded-for': '192.0.2.1' };
    return await fetch(`http://127.0.0.1:${service.port}${path}`, { headers }).then(({ status }) => status);
  };
  assert.equal(await ask('/api/ready'), 200);
  service.process.kill('SIGTERM');
  await waitUntil('it says that it stops', async () => (await ask('/api/ready')) === 503);
  assert.equal(await ask('/api/health'), 200, 'what comes meanwhile is answered');
  for (let probe = 0; probe < 2; probe += 1) assert.equal(await ask('/api/ready'), 503);
  assert.equal(await service.ended, 0);
});

test('a blocked log reader does not delay the stop', async (t) => {
  const [port = 0] = await findFreePorts(1);
  const env = {
    PATH: process.env['PATH'] ?? '',
    PORT: String(port),
    HTTP_PORT: 'off',
    DATA_DIR: await createDataFolder(t),
    // With the limit, so many probes from one address would be answered late.
    RATE_LIMIT: 'off',
  };
  const child = spawn(process.execPath, ['bin/office.js', 'serve'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  for await (const chunk of child.stderr) if (String(chunk).includes('is ready.')) break;
  const url = `https://localhost:${port}/api/health`;
  await autocannon({ url, amount: 800, connections: 10, tlsOptions: { rejectUnauthorized: false } });
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  assert.deepEqual(await exited, [0, null]);
});

test('a signal before the start has finished ends it at once', async (t) => {
  const [unused = 0, port = 0] = await findFreePorts(2);
  const dataDir = await createDataFolder(t);
  const program = startOffice(t, ['serve'], {
    PORT: String(port),
    DATA_DIR: dataDir,
    ...(await readRecipientSettings(dataDir)),
    DATABASE_URL: `postgres://x@127.0.0.1:${unused}/x`,
    MASTER_KEY: Buffer.alloc(32).toString('base64'),
  });
  await waitForProgramOutput(program, 'database_waiting');
  program.process.kill('SIGTERM');
  assert.equal(await program.ended, 143);
});

test('a request in flight is finished, a second signal ignored, new connections refused, idle ones not waited for', async (t) => {
  const service = await startServiceProcess(t);
  const plainPort = Number(new URL(service.plainOrigin).port);
  for (const [port, layer] of [
    [service.port, 'tls'],
    [service.port, 'tcp'],
    [plainPort, 'tcp'],
  ] as const)
    await openRawConnection(port, layer);
  const finishRequest = await beginRequest(service.port);
  service.process.kill('SIGTERM');
  await waitForProgramOutput(service, '"event":"stopping"');
  service.process.kill('SIGTERM');
  service.process.kill('SIGINT');
  await waitUntil('new connections are refused', () =>
    service.get('/api/health').then(
      () => false,
      () => true,
    ),
  );
  assert.match(
    await finishRequest(),
    /^HTTP\/1\.1 503 [\s\S]*connection: close[\s\S]*payments_not_configured/im,
  );
  assert.equal(await service.ended, 0);
  assert.ok(!service.readOutput().includes('stop_timed_out'));
});

test('SIGHUP serves the new certificate, drops no connection and survives a broken file', async (t) => {
  const folder = await createTemporaryFolder(t);
  const cert = join(folder, 'site.crt');
  const key = join(folder, 'site.key');
  await writeNewPair(t, cert, key);
  const dataDir = await createTemporaryFolder(t);
  await mkdir(join(dataDir, 'tls'));
  await cp(cert, join(dataDir, 'tls', 'localhost.crt'));
  const env = { TLS_CERT_FILE: cert, TLS_KEY_FILE: key, DATA_DIR: dataDir };
  const service = await startServiceProcess(t, env);
  const before = await readCertificateFingerprint(service.port);

  const socket = connect({ port: service.port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');

  await writeNewPair(t, cert, key);
  await reloadAsUnit(service);
  await waitForProgramOutput(service, 'certificate_reloaded');
  assert.notEqual(await readCertificateFingerprint(service.port), before);

  socket.write('GET /api/health HTTP/1.1\r\nhost: localhost\r\n\r\n');
  const [answer] = (await once(socket, 'data')) as [Buffer];
  assert.match(answer.toString(), /^HTTP\/1\.1 200 /);
  socket.destroy();

  const reloaded = await readCertificateFingerprint(service.port);
  await writeFile(cert, 'broken');
  service.process.kill('SIGHUP');
  await waitForProgramOutput(service, 'certificate_not_reloaded');
  assert.equal(await readCertificateFingerprint(service.port), reloaded);
});

/** Reloads as systemd does, on a system without a program `kill`. */
async function reloadAsUnit({ process: { pid } }: ServiceProcess): Promise<void> {
  const unit = await readFile('deploy/inquiry-office.service', 'utf8');
  const [, shell = '', script = ''] = /^ExecReload=(\S+) -c "(.+)"$/m.exec(unit) ?? [];
  const env = { MAINPID: String(pid), PATH: '/nowhere' };
  const [code] = await once(spawn(shell, ['-c', script.replaceAll('$$', () => '$')], { env }), 'close');
  assert.equal(code, 0);
}

async function assertEndedBy(service: ServiceProcess, signal: 'SIGTERM' | 'SIGINT'): Promise<void> {
  service.process.kill(signal);
  assert.equal(await service.ended, 0);
  const lines = new RegExp(`"event":"stopping","signal":"${signal}"[\\s\\S]*"event":"stopped"`);
  assert.match(service.readOutput(), lines);
}

async function createKeyFile(t: TestContext): Promise<string> {
  const path = join(await createTemporaryFolder(t), 'other.key');
  const { generateKeyPairSync } = await import('node:crypto');
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  await writeFile(path, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  return path;
}

async function writeNewPair(t: TestContext, cert: string, key: string): Promise<void> {
  const config = readConfig({ DATA_DIR: await createTemporaryFolder(t) });
  const made = await loadCertificate(config, systemClock);
  await writeFile(key, made?.key ?? '');
  await writeFile(cert, made?.cert ?? '');
}

/** Begins a request without its body; returns what ends the request and awaits the answer. */
async function beginRequest(port: number): Promise<() => Promise<string>> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  let received = '';
  socket.on('data', (chunk) => {
    received += String(chunk);
  });
  const closed = once(socket, 'close');
  // RFC 9110 §10.1.1: 100 (Continue) means that the service has received the headers.
  socket.write(
    'POST /api/stripe/checkout HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-type: application/json\r\ncontent-length: 16\r\n\r\n',
  );
  await waitUntil('the request is heard', () => received.includes('100 Continue\r\n\r\n'));
  return async () => {
    socket.write('{"tier":"Trace"}');
    await closed;
    return received;
  };
}

async function readCertificateFingerprint(port: number): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}
