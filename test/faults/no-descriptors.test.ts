/** A machine that runs out of file descriptors: the service loses connections, but does not crash. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { createHttpsClient } from '#test/https-client.ts';
import { waitUntil } from '#test/patience.ts';
import { findFreePorts } from '#test/ports.ts';

test('the service outlives a flood of connections that takes every descriptor', async (t) => {
  const [port = 0] = await findFreePorts(1);
  const dataDir = await createTemporaryFolder(t);
  const env = { PATH: process.env['PATH'] ?? '', PORT: String(port), HTTP_PORT: 'off', DATA_DIR: dataDir };
  const child = spawn('sh', ['-c', 'ulimit -n 60; exec "$0" bin/office.js serve', process.execPath], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  for await (const chunk of child.stderr) if (String(chunk).includes('is ready.')) break;

  const sockets: Socket[] = [];
  for (let index = 0; index < 100; index += 1) sockets.push(connect(port, '127.0.0.1').on('error', () => {}));
  await sleep(2_000);
  for (const socket of sockets) socket.destroy();
  const get = await createHttpsClient(`https://localhost:${port}`, dataDir);
  // The service loses connections until it has noticed that the flood has disconnected.
  await waitUntil('it answers again', () =>
    get('/api/health').then(
      ({ status }) => status === 200,
      () => false,
    ),
  );
  assert.equal(child.exitCode, null);
});
