/** Many requests on one connection, sent before the first is answered. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import test from 'node:test';
import { buildPublicAddresses } from '#platform/addresses.ts';
import { readConfig } from '#platform/config/config.ts';
import { httpLimits } from '#platform/http/limits/limits.ts';
import { createPlainListener } from '#platform/http/plain-listener.ts';
import { exchangeRawBytes, openRawConnection } from '#test/raw-connection.ts';
import { buildTestApp } from '#test/test-app.ts';

const REQUEST = 'GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n';
const MANY = 400;

function countMatches(text: string, pattern: RegExp): number {
  return [...text.matchAll(pattern)].length;
}

test('as many requests as a connection may send at once are all answered, also again', async (t) => {
  const { port } = await buildTestApp(t);
  const { socket, closed } = await openRawConnection(port, 'tls');
  socket.write(REQUEST.repeat(httpLimits.unanswered));
  let answers = 0;
  while (answers < httpLimits.unanswered) {
    const [chunk] = await once(socket, 'data');
    answers += countMatches(String(chunk), /HTTP\/1\.1 404/g);
  }
  socket.write(
    REQUEST.repeat(httpLimits.unanswered - 1) + REQUEST.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'),
  );
  assert.equal(countMatches((await closed).received, /HTTP\/1\.1 404/g), 2 * httpLimits.unanswered);
});

for (const [name, request] of [
  ['requests', REQUEST],
  ['probes', REQUEST.replace('/x', '/api/health')],
  ['addresses that do not decode', REQUEST.replace('/x', '/%ff')],
] as const)
  test(`of more ${name} sent at once the first are begun, and the connection is closed`, async (t) => {
    const { port, readLog } = await buildTestApp(t);
    const { socket, closed } = await openRawConnection(port, 'tls');
    socket.write(request.repeat(MANY));
    await closed;
    const begun = countMatches(readLog(), /"event":"request"/g);
    assert.ok(begun <= httpLimits.unanswered, `${begun}`);
  });

test('of many expectations that are not met, one is answered', async (t) => {
  const { port } = await buildTestApp(t);
  const received = await exchangeRawBytes(
    port,
    'tls',
    REQUEST.replace('\r\n\r\n', '\r\nExpect: x\r\n\r\n').repeat(MANY),
  );
  assert.equal(countMatches(received, /HTTP\/1\.1 417/g), 1);
});

test('the plain listener redirects one request of a connection', async (t) => {
  const plain = createPlainListener(buildPublicAddresses(readConfig({}))).listen(0, '127.0.0.1');
  t.after(() => plain.close());
  await once(plain, 'listening');
  const { port } = plain.address() as AddressInfo;
  const received = await exchangeRawBytes(port, 'tcp', REQUEST.repeat(MANY));
  assert.ok(countMatches(received, /HTTP\/1\.1 308/g) <= 1, received);
  assert.match(await exchangeRawBytes(port, 'tcp', REQUEST), /^HTTP\/1\.1 308 .*\r\nconnection: close\r\n/s);
});
