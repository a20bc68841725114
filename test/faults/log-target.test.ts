/** The log outlives what happens to its target: shared with the start report, truncated, without a reader, full. */

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { createDataFolder } from '#test/data-folder.ts';
import { createHttpsClient } from '#test/https-client.ts';
import { waitUntil } from '#test/patience.ts';
import { findFreePorts } from '#test/ports.ts';
import { isLongRun } from '#test/scale.ts';
import { COMPILE_CACHE } from '#test/service-process.ts';
import { createMountedDisk } from '#test/small-disk.ts';

if (isLongRun)
  test('a log and a start report in one file leave each other whole, and go on where it is copied and truncated', async (t) => {
    const file = join(await createTemporaryFolder(t), 'office.log');
    const service = await startLoggingTo(t, openSync(file, 'a'), file);
    for (let index = 0; index < 5; index += 1) await service.get('/api/health');
    const read = () => readFileSync(file, 'utf8');
    await waitUntil('the requests are logged', () => read().split('"request"').length === 6);
    copyFileSync(file, `${file}.1`);
    truncateSync(file);
    await service.get('/api/health');
    await service.stop();
    const later = read().trimEnd().split('\n').map(readEvent);
    assert.deepEqual(later, ['request', 'stopping', 'stopped']);
    const lines = readFileSync(`${file}.1`, 'utf8').split('\n');
    const events = lines.filter((line) => line.startsWith('{')).map(readEvent);
    assert.equal(events.filter((event) => event === 'request').length, 5);
    assert.ok(events.includes('started'));
    const others = lines.filter((line) => !line.startsWith('{') && line !== '');
    assert.match(others[0] ?? '', / is ready\.$/);
    assert.deepEqual(
      others.slice(1, -1).filter((line) => !/^ {2}\w[\w ]* {2}\S/.test(line)),
      [],
    );
    assert.equal(others.at(-1), 'Stop it with Ctrl+C or SIGTERM.');
  });

if (isLongRun)
  test('a reader of the log that goes away and comes back gets the lines in between', async (t) => {
    const pipe = join(await createTemporaryFolder(t), 'log.pipe');
    assert.equal(spawnSync('mkfifo', [pipe]).status, 0);
    const first = startPipeReader(t, pipe);
    const service = await startLoggingTo(t, openSync(pipe, 'w'));
    await service.get('/api/health');
    await waitUntil('the request is read', () => first.read().includes('"request"'));
    await first.end();
    for (let index = 0; index < 5; index += 1) assert.equal((await service.get('/api/health')).status, 200);
    await sleep(500);
    const second = startPipeReader(t, pipe);
    await waitUntil('the lines in between are read', () => second.read().split('"request"').length > 5);
    await service.stop();
    await waitUntil('its end is read', () => second.read().includes('"stopped"'));
  });

test('a full disk under the log stops no request, and the log goes on when there is room', async (t) => {
  const disk = await createMountedDisk(t, 4 * 1024 ** 2);
  if (!disk) return t.skip('mounting is not permitted');
  const file = join(disk.folder, 'office.log');
  const filler = join(disk.folder, 'filler');
  const log = openSync(file, 'a');
  assert.throws(() => writeFileSync(filler, Buffer.alloc(8 * 1024 ** 2)), { code: 'ENOSPC' });
  const service = await startLoggingTo(t, log);
  assert.equal((await service.get('/api/health')).status, 200);
  await sleep(500);
  rmSync(filler);
  await waitUntil('the request is logged', () => readFileSync(file, 'utf8').includes('"request"'));
  await service.stop();
  const events = readFileSync(file, 'utf8').trimEnd().split('\n').map(readEvent);
  assert.deepEqual(events.slice(-4), ['started', 'request', 'stopping', 'stopped']);
});

function readEvent(line: string): unknown {
  return (JSON.parse(line) as { event: unknown }).event;
}

/** `shared` is the path of the target if standard error goes there too. */
async function startLoggingTo(t: TestContext, target: number, shared: string | null = null) {
  const [port = 0] = await findFreePorts(1);
  const dataDir = await createDataFolder(t);
  const child = spawn(process.execPath, ['bin/office.js', 'serve'], {
    env: {
      PATH: process.env['PATH'] ?? '',
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      PORT: String(port),
      HTTP_PORT: 'off',
      DATA_DIR: dataDir,
    },
    stdio: ['ignore', target, shared === null ? 'pipe' : target],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  t.after(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  closeSync(target);
  let report = '';
  child.stderr?.on('data', (chunk) => (report += String(chunk)));
  await waitUntil('it is ready', () =>
    (shared === null ? report : readFileSync(shared, 'utf8')).includes('Stop it with'),
  );
  return {
    get: await createHttpsClient(`https://localhost:${port}`, dataDir),
    stop: async () => {
      child.kill('SIGTERM');
      assert.equal(await ended, 0);
    },
  };
}

function startPipeReader(t: TestContext, pipe: string) {
  const reader = spawn('cat', [pipe], { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = new Promise((resolve) => reader.once('exit', resolve));
  let text = '';
  reader.stdout.on('data', (chunk) => (text += String(chunk)));
  t.after(() => reader.kill('SIGKILL'));
  return {
    read: () => text,
    end: async () => {
      reader.kill('SIGKILL');
      await ended;
    },
  };
}
