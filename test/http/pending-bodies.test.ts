/** Bodies that are still arriving use memory: only so many are accepted, from one caller and from all. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import test, { type TestContext } from 'node:test';
import type { App } from '#platform/http/app-type.ts';
import { httpLimits, workLimits } from '#platform/http/limits/limits.ts';
import { MAX_FORM_TEXT } from '#site/inquiry/multipart.ts';
import { waitUntil } from '#test/patience.ts';
import { openRawConnection } from '#test/raw-connection.ts';
import { buildTestApp } from '#test/test-app.ts';
import { INQUIRY_SENT_PATH } from '#wire/inquiry-page.ts';

const { pendingBytes, uploadBytes } = httpLimits;

async function openApp(t: TestContext, onRequest = async () => {}) {
  const sockets: Socket[] = [];
  // Runs before the app is closed, which waits for these sockets.
  t.after(() => sockets.forEach((socket) => void socket.destroy()));
  const addLargeRoute = (app: App) => {
    app.post(
      '/large',
      { config: { access: 'public', upload: true }, bodyLimit: pendingBytes, onRequest },
      async () => ({}),
    );
  };
  const { app, get, port } = await buildTestApp(t, { routes: addLargeRoute });
  /** Sends the beginning of a request, whose body is still to come. */
  async function begin(
    from: string,
    length = `content-length: ${pendingBytes}`,
    { path, type } = { path: '/large', type: 'application/json' },
  ): Promise<Socket> {
    const { socket } = await openRawConnection(port, 'tls', from);
    sockets.push(socket);
    const arrived = once(app.server, 'request');
    socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: ${type}\r\n${length}\r\n\r\n`);
    await arrived;
    return socket;
  }
  const postOne = async (from: string) =>
    await get('/large', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '1',
      once: true,
      from,
    });
  return { app, begin, postOne, get };
}

test('a caller whose unfinished bodies fill its share gets 503 for the next, and no one else does', async (t) => {
  const { begin, postOne, get } = await openApp(t);
  const quarter = `content-length: ${pendingBytes / 4}`;
  const first = await begin('127.0.0.2', quarter);
  for (let count = 1; count < 3; count += 1) await begin('127.0.0.2', quarter);
  assert.equal((await postOne('127.0.0.2')).status, 200);
  await begin('127.0.0.2', quarter);
  const refused = await postOne('127.0.0.2');
  assert.deepEqual([refused.status, refused.json['code']], [503, 'overloaded']);
  assert.ok(Number(refused.headers['retry-after']) > 0);
  assert.equal((await get('/', { from: '127.0.0.2' })).status, 200);
  assert.equal((await postOne('127.0.0.3')).status, 200);
  first.destroy();
  await waitUntil('its place is free', async () => (await postOne('127.0.0.2')).status === 200);
});

test('a caller who hangs up before its body is looked at is not counted', async (t) => {
  const checked = Promise.withResolvers<void>();
  const checks = [checked.promise];
  const { app, begin, postOne } = await openApp(t, async () => await checks.pop());
  const asked = once(app.server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
  const socket = await begin('127.0.0.2');
  const [, response] = await asked;
  const closed = once(response, 'close');
  socket.destroy();
  await closed;
  checked.resolve();
  assert.equal((await postOne('127.0.0.2')).status, 200);
});

test('short uploads count for as much as their connections take', async (t) => {
  const { begin, postOne, get } = await openApp(t);
  for (let count = 0; count < pendingBytes / uploadBytes; count += 1)
    await begin('127.0.0.2', 'content-length: 9');
  assert.equal((await postOne('127.0.0.2')).status, 503);
  assert.equal((await get('/', { from: '127.0.0.2' })).status, 200);
  assert.equal((await postOne('127.0.0.3')).status, 200);
});

test('a form with files counts for all the text that it may have', async (t) => {
  const { begin, get } = await openApp(t);
  const form = { path: INQUIRY_SENT_PATH, type: 'multipart/form-data; boundary=b' };
  for (let count = 0; count < pendingBytes / MAX_FORM_TEXT; count += 1)
    await begin('127.0.0.2', `content-length: ${pendingBytes}`, form);
  const send = async (from: string) =>
    await get(form.path, {
      method: 'POST',
      headers: { 'content-type': form.type },
      body: '--b--\r\n',
      once: true,
      from,
    });
  assert.equal((await send('127.0.0.2')).status, 503);
  assert.equal((await send('127.0.0.3')).status, 403);
});

test('a body of unknown length counts as the longest that its route takes', async (t) => {
  const { begin, postOne } = await openApp(t);
  await begin('127.0.0.2', 'transfer-encoding: chunked');
  assert.equal((await postOne('127.0.0.2')).status, 503);
});

test('all callers together fill a part of the memory, and then pages are still served', async (t) => {
  const memory = 2 * 1_024 ** 3;
  t.mock.method(process, 'constrainedMemory', () => memory);
  const { begin, postOne, get } = await openApp(t);
  const callers = (memory * workLimits.pendingShare) / pendingBytes;
  for (let caller = 0; caller < callers; caller += 1) await begin(`127.0.1.${caller}`);
  assert.equal((await postOne('127.0.0.2')).status, 503);
  assert.equal((await get('/', { from: '127.0.0.2' })).status, 200);
});
