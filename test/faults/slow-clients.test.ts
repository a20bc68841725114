/** Clients that send slowly, send nothing or never read are disconnected in time without affecting others. */
import assert from 'node:assert/strict';
import test, { after, suite } from 'node:test';
import { openRawConnection } from '#test/raw-connection.ts';
import { startServiceProcess } from '#test/service-process.ts';

const { port, get } = await startServiceProcess({ after });

/** Sends a little every half second until the other side closes. */
async function sendSlowly(start: string, drop: string) {
  const { socket, closed } = await openRawConnection(port, 'tls');
  socket.write(start);
  const timer = setInterval(() => socket.write(drop), 500);
  const ending = await closed;
  clearInterval(timer);
  return ending;
}

suite('slow clients', { concurrency: true }, () => {
  test('headers that trickle in are answered 408 after ten seconds', async () => {
    const { received, ms } = await sendSlowly('GET / HTTP/1.1\r\n', 'x: y\r\n');
    assert.match(received, /^HTTP\/1\.1 408 [\s\S]*"code":"request_timeout"/);
    assert.ok(ms > 9_000, `${ms} ms`);
  });

  test('a body that trickles in is answered 408 after ten seconds', async () => {
    const head =
      'POST /api/stripe/checkout HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9999\r\n\r\n';
    const { received, ms } = await sendSlowly(head, ' ');
    assert.match(received, /^HTTP\/1\.1 408 [\s\S]*"code":"request_timeout"/);
    assert.ok(ms > 9_000, `${ms} ms`);
  });

  test('a connection that never begins TLS is closed without an answer', async () => {
    const { closed } = await openRawConnection(port, 'tcp');
    assert.equal((await closed).received, '');
  });

  test('a connection that sends nothing after the TLS handshake is closed', async () => {
    const { closed } = await openRawConnection(port, 'tls');
    await closed;
  });

  test('the service keeps answering during two hundred half-open connections', async () => {
    const idle = await Promise.all(Array.from({ length: 200 }, () => openRawConnection(port, 'tcp')));
    for (let round = 0; round < 20; round += 1) assert.equal((await get('/api/health')).status, 200);
    for (const { socket } of idle) socket.destroy();
  });
});
