/** A body costs no more than its length: one in tiny pieces, or refused and long, loses its connection. */
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import test, { after } from 'node:test';
import { httpLimits } from '#platform/http/limits/limits.ts';
import { waitUntil } from '#test/patience.ts';
import { openRawConnection } from '#test/raw-connection.ts';
import { buildTestApp } from '#test/test-app.ts';

const { app, port, readLog } = await buildTestApp(
  { after },
  {
    env: { STRIPE_SECRET_KEY: `sk_test_${'a'.repeat(24)}`, STRIPE_WEBHOOK_SECRET: `whsec_${'a'.repeat(32)}` },
  },
);
const LAST = 'GET /api/health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n';
const WEBHOOK = '/api/stripe/webhook';
const NOWHERE = '/nothing';
const KIB = 1_024;

const head = (path: string, headers: string) =>
  `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${headers}\r\n\r\n`;

function cutIntoChunks(length: number, size: number): string {
  const chunk = `${size.toString(16)}\r\n${'1'.repeat(size)}\r\n`;
  return `${chunk.repeat(Math.floor(length / size))}0\r\n\r\n`;
}

/** The status of each answer: to the body, and to the request that follows it on the connection. */
async function sendBody(start: string, body: string): Promise<string[]> {
  const { socket, closed } = await openRawConnection(port, 'tls');
  socket.write(start + body + LAST);
  return readStatuses((await closed).received);
}

async function sendChunks(path: string, length: number, size: number): Promise<string[]> {
  return await sendBody(head(path, 'transfer-encoding: chunked'), cutIntoChunks(length, size));
}

function readStatuses(received: string): string[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status!);
}

test('the connection of a body in tiny chunks is closed without an answer, and that is no error of ours', async () => {
  assert.deepEqual(await sendChunks(WEBHOOK, 200 * KIB, 1), []);
  assert.deepEqual(await sendChunks('/api/stripe/checkout', 60 * KIB, 8), []);
  assert.doesNotMatch(readLog(), /"status":5/);
});

test('nothing is parsed after the record of TLS that brought one piece too many', async (t) => {
  let pieces = 0;
  const countPieces = (request: IncomingMessage) => void request.on('chunk', () => (pieces += 1));
  app.server.on('request', countPieces);
  t.after(() => app.server.off('request', countPieces));
  await sendChunks(WEBHOOK, 200 * KIB, 1);
  const record = (16 * KIB) / '1\r\nx\r\n'.length;
  assert.ok(pieces > 900 && pieces <= httpLimits.bodyChunks + record, `${pieces}`);
});

for (const path of [NOWHERE, '/%ff', '/api/cases'])
  test(`${path}: the connection of a refused body in tiny chunks is closed, too`, async () => {
    const statuses = await sendChunks(path, 200 * KIB, 1);
    // The connection may be closed before the answer has been read.
    assert.ok(!statuses.includes('200'), `${statuses}`);
  });

test('what is refused is dropped up to a limit, in whatever pieces it comes', async () => {
  const { droppedBytes } = httpLimits;
  assert.deepEqual(await sendChunks(NOWHERE, droppedBytes, 64 * KIB), ['404', '200']);
  const tooMuch = 2 * droppedBytes;
  for (const statuses of [
    await sendChunks(NOWHERE, tooMuch, 64 * KIB),
    await sendChunks(NOWHERE, droppedBytes, KIB),
    await sendBody(head(NOWHERE, `content-length: ${tooMuch}`), 'x'.repeat(tooMuch)),
  ])
    assert.ok(!statuses.includes('200'), `${statuses}`);
});

test('bodies in chunks of an ordinary size are read, and so are a few tiny ones', async () => {
  // Both are read and refused: one has no signature, and the other is a number.
  for (const size of [100, 4 * KIB, 64 * KIB])
    assert.deepEqual(await sendChunks(WEBHOOK, 256 * KIB, size), ['400', '200'], `${size}`);
  for (const size of [100, KIB])
    assert.deepEqual(await sendChunks('/api/stripe/checkout', 64 * KIB, size), ['422', '200'], `${size}`);
  assert.deepEqual(await sendChunks(WEBHOOK, 900, 1), ['400', '200']);
});

test('a body that waits for “100 Continue” is read, and a connection is used again after many bodies', async (t) => {
  const { socket, closed } = await openRawConnection(port, 'tls');
  t.after(() => socket.destroy());
  for (let sent = 0; sent < 3; sent += 1) {
    const before = socket.bytesRead;
    socket.write(head(WEBHOOK, 'transfer-encoding: chunked\r\nexpect: 100-continue'));
    await waitUntil('the service wants the body', () => socket.bytesRead > before);
    socket.write(cutIntoChunks(60_000, 100));
  }
  socket.write(LAST);
  const statuses = readStatuses((await closed).received);
  assert.deepEqual(statuses, ['100', '400', '100', '400', '100', '400', '200']);
});
