/** An answer is in memory until it is read: a client that reads too slowly loses the connection, even if active. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { SECOND_MS } from '#platform/durations.ts';
import type { App } from '#platform/http/app-type.ts';
import { httpLimits } from '#platform/http/limits/limits.ts';
import { waitUntil } from '#test/patience.ts';
import { openRawConnection } from '#test/raw-connection.ts';
import { buildTestApp } from '#test/test-app.ts';
import { stopTime } from './stopped-time.ts';

/** More than the system buffers for a connection. */
const LONG = Buffer.alloc(32 * 1024 * 1024, 'x');
const READ_MS = httpLimits.readMs + (LONG.length / httpLimits.readBytesPerSecond) * SECOND_MS;

async function beginToRead(t: TestContext) {
  const addLongRoute = (app: App) => {
    app.get('/long', { config: { access: 'public' } }, async () => LONG);
  };
  const { port } = await buildTestApp(t, { routes: addLongRoute });
  const passTime = stopTime(t);
  const { socket, closed } = await openRawConnection(port, 'tls');
  t.after(() => socket.destroy());
  socket.write('GET /long HTTP/1.1\r\nhost: localhost\r\n\r\n');
  socket.pause();
  await waitUntil('the answer has begun', () => socket.read(1_000) !== null);
  return { socket, closed, passTime };
}

test('who has not read an answer when its time is over is cut off', async (t) => {
  const { socket, closed, passTime } = await beginToRead(t);
  for (let passed = 0; passed < READ_MS + SECOND_MS; passed += READ_MS / 10) {
    passTime(READ_MS / 10);
    socket.read(1_000);
  }
  socket.resume();
  const { received } = await closed;
  assert.ok(received.length < LONG.length, `${received.length} bytes`);
});

test('who reads it slowly, but in time, gets all of it', async (t) => {
  const { socket, passTime } = await beginToRead(t);
  passTime(READ_MS * 0.9);
  socket.resume();
  await waitUntil('all has come', () => socket.bytesRead > LONG.length);
  passTime(READ_MS);
  assert.equal(socket.destroyed, false);
});
