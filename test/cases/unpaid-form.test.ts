/** Forms without a valid payment: typed text is shown again, but only a limited amount is read. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import test from 'node:test';
import { waitUntil } from '#test/patience.ts';
import { openRawConnection } from '#test/raw-connection.ts';
import { shareTestShop } from '#test/test-shop.ts';
import { encodeFormBody, openPaidForm, plainFormFields, sameOriginHeaders } from './plain-form.ts';
import { countStoredRows } from './row-counts.ts';

const MIB = 1_024 * 1_024;
const shop = await shareTestShop();

/** Sends as much as the service accepts; returns the number of bytes and the response. */
async function sendEndlessly(head: string, start: Uint8Array | string, filler: Uint8Array, maxBytes: number) {
  const { socket, closed } = await openRawConnection(shop.port, 'tls');
  let answer = '';
  let sent = 0;
  socket.on('data', (bytes: Buffer) => {
    answer += bytes.toString('latin1');
  });
  socket.on('error', () => {});
  socket.write(`POST /inquiry/sent HTTP/1.1\r\nHost: localhost:${shop.port}\r\n${head}\r\n\r\n`);
  socket.write(start);
  while (!socket.destroyed && sent < maxBytes) {
    sent += filler.length;
    if (!socket.write(filler)) await Promise.race([once(socket, 'drain').catch(() => {}), closed]);
  }
  const taken = socket.bytesWritten;
  await waitUntil('the connection ends', () => socket.destroyed);
  return { answer, taken };
}

const HEAD = `Sec-Fetch-Site: same-origin\r\nAccept: text/html\r\nContent-Type: multipart/form-data; boundary=a\r\nContent-Length: ${300 * MIB}`;

test('three hundred mebibytes without a payment are not read', async () => {
  const before = await countStoredRows(shop);
  const starts = {
    'a file': '--a\r\nContent-Disposition: form-data; name="files"; filename="x"\r\n\r\n',
    'a field': '--a\r\nContent-Disposition: form-data; name="question"\r\n\r\n',
    'what is before the first part': 'x',
    'what is after the last part':
      '--a\r\nContent-Disposition: form-data; name="question"\r\n\r\nWhy?\r\n--a--\r\n',
  };
  for (const [name, start] of Object.entries(starts)) {
    const { taken } = await sendEndlessly(HEAD, start, new Uint8Array(256 * 1_024), 100 * MIB);
    assert.ok(taken < 30 * MIB, `${name}: ${taken} bytes were taken`);
  }
  assert.deepEqual(await countStoredRows(shop), before);
});

test('a buyer whose form has expired sees what was typed, with small files as well', async () => {
  const form = await openPaidForm(shop);
  const { body, type } = await encodeFormBody(form, plainFormFields, [
    { name: 'a.bin', content: new Uint8Array(MIB) },
  ]);
  const headers = { ...sameOriginHeaders, 'content-type': type };
  const answer = await shop.get('/inquiry/sent', { method: 'POST', headers, body });
  assert.equal(answer.status, 403);
  for (const typed of [plainFormFields.question, plainFormFields.subject, plainFormFields.alias])
    assert.ok(answer.text.includes(typed), typed);
});

test('what was typed before a file that is not read is in the answer', async () => {
  const start = '--a\r\nContent-Disposition: form-data; name="question"\r\n\r\nCANARY-QUESTION\r\n'.concat(
    '--a\r\nContent-Disposition: form-data; name="files"; filename="x"\r\n\r\n',
  );
  const { answer } = await sendEndlessly(HEAD, start, new Uint8Array(64 * 1_024), 3 * MIB);
  assert.match(answer, /^HTTP\/1\.1 403 /);
  assert.match(answer, /connection: close/i);
  assert.match(answer, /CANARY-QUESTION/);
});
