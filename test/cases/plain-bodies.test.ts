/** Bodies that no browser would send, or that are truncated, are refused with a 4xx, and nothing of them is stored. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '#test/patience.ts';
import { openRawConnection } from '#test/raw-connection.ts';
import { startTestShop } from '#test/test-shop.ts';
import {
  encodeFormBody,
  openPaidForm,
  type PlainForm,
  plainFormFields,
  sameOriginHeaders,
  sendPlainForm,
} from './plain-form.ts';
import { countStoredRows } from './row-counts.ts';

const shop = await startTestShop({ after });
const form = await openPaidForm(shop);
const file = { name: 'a.bin', content: new Uint8Array(2_000_000) };
const listFailures = () => shop.readLog().match(/.*request_failed.*/g) ?? [];

async function postBody(body: Uint8Array | string, type: string) {
  const headers = { ...sameOriginHeaders, cookie: form.cookie, 'content-type': type };
  return await shop.get('/inquiry/sent', { method: 'POST', headers, body });
}

async function assertRefused(status: number | number[], body: Uint8Array | string, type: string) {
  const before = await countStoredRows(shop);
  const answer = await postBody(body, type);
  assert.ok([status].flat().includes(answer.status), `${answer.status} ${answer.text}`);
  assert.match(answer.text, /<h1>/);
  assert.deepEqual(await countStoredRows(shop), before);
  assert.deepEqual(listFailures(), [], 'and our log speaks of no failure');
}

test('a body of another content type, without its boundary or empty is refused', async () => {
  const urlEncoded = new URLSearchParams(plainFormFields).toString();
  await assertRefused(415, JSON.stringify(plainFormFields), 'application/json');
  await assertRefused(415, urlEncoded, 'application/x-www-form-urlencoded');
  const { body, type } = await encodeFormBody(form, plainFormFields);
  await assertRefused([400, 403], body, 'multipart/form-data');
  await assertRefused([400, 403], body, 'multipart/form-data; boundary=other');
  await assertRefused([400, 403], '', type);
});

test('a part whose headers have no end is refused, instead of waited for', async () => {
  for (const part of ['Content-Disposition: form-data; name="a"', 'nonsense', ''])
    await assertRefused([400, 403], `--a\r\n${part}\r\n--a--\r\n`, 'multipart/form-data; boundary=a');
});

test('thousands of parts that break off are refused, and do not end the program', async (t) => {
  const crashes: unknown[] = [];
  const recordCrash = (error: unknown) => crashes.push(error);
  process.on('uncaughtException', recordCrash);
  t.after(() => process.off('uncaughtException', recordCrash));
  const emptyFile = '--a\r\nContent-Disposition: form-data; name="files"; filename="x"\r\n\r\n\r\n';
  for (const part of ['--a\r\n', '--a\r\n\r\n', '--a\r\na: b\r\n\r\n\r\n', emptyFile])
    for (const times of [1_030, 2_000])
      for (const end of ['', '--a--\r\n'])
        await assertRefused([400, 403, 413], part.repeat(times) + end, 'multipart/form-data; boundary=a');
  await sleep(100);
  assert.deepEqual(crashes, []);
});

test('a body that ends before, in or after its file is refused', async () => {
  const { body, type } = await encodeFormBody(form, plainFormFields, [file]);
  const places = [0.0001, 0.2, 0.99999].map((share) => Math.floor(body.length * share));
  for (const end of [...places, body.length - 4, body.length - 200])
    await assertRefused([400, 403], body.subarray(0, end), type);
});

test('a connection cut in the middle of a file leaves nothing behind', async () => {
  const { body, type } = await encodeFormBody(form, plainFormFields, [file]);
  const before = await countStoredRows(shop);
  const { socket, closed } = await openRawConnection(shop.port, 'tls');
  socket.write(
    `POST /inquiry/sent HTTP/1.1\r\nHost: localhost:${shop.port}\r\nCookie: ${form.cookie}\r\n` +
      `Sec-Fetch-Site: same-origin\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  socket.write(body.subarray(0, 1_500_000));
  const countPieces = async () => (await countStoredRows(shop)).pieces;
  await waitUntil('pieces are kept as they come', async () => (await countPieces()) > before.pieces);
  socket.destroy();
  await closed;
  await waitUntil('what was kept goes', async () => (await countStoredRows(shop)).objects === before.objects);
  assert.deepEqual(await countStoredRows(shop), before);
  assert.deepEqual(listFailures(), []);
});

test('too many fields, one that is far too large, many large ones and those of JavaScript are refused', async () => {
  const createFields = (count: number, value: string) =>
    Object.fromEntries(Array.from({ length: count }, (_none, index) => [`field_${index}`, value]));
  for (const [more, status] of [
    [createFields(70, 'x'), [400, 413]],
    [{ background: 'x'.repeat(200_000) }, [413]],
    [createFields(6, 'x'.repeat(100_000)), [413]],
    [Object.fromEntries([['__proto__', 'x']]), [400, 422]],
    [{ constructor: 'x' }, [400, 422]],
    [{ hasOwnProperty: 'x' }, [400, 422]],
  ] as const) {
    const fields = Object.fromEntries([...Object.entries(plainFormFields), ...Object.entries(more)]);
    const { body, type } = await encodeFormBody(form, fields);
    await assertRefused([...status], body, type);
  }
});

const buildPart = (name: string, value: string, more = '') =>
  `--x\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
const buildHiddenParts = ({ token, words }: PlainForm) =>
  buildPart('token', token) + buildPart('words', words);

test('a form whose files come before its hidden fields is refused', async () => {
  const body = `${buildPart('files', 'content', '; filename="a.txt"')}${buildHiddenParts(form)}--x--\r\n`;
  await assertRefused([400, 403, 422], body, 'multipart/form-data; boundary=x');
});

test('text in another character set, and JSON in place of text, is read or refused, never a server error', async () => {
  const utf16 = '\r\nContent-Type: text/plain; charset=utf-16le';
  const unknown = '\r\nContent-Type: text/plain; charset=klingon';
  const json = '\r\nContent-Type: application/json';
  const type = 'multipart/form-data; boundary=x';
  for (const more of [utf16, unknown]) {
    const body = `${buildHiddenParts(form)}${buildPart('question', 'a\0b\0', more)}--x--\r\n`;
    await assertRefused(422, body, type);
  }
  for (const value of ['{"a":1}', '{"a":']) {
    const body = `${buildHiddenParts(form)}${buildPart('alias', value, json)}--x--\r\n`;
    await assertRefused([400, 422], body, type);
  }
});

test('bytes that are not valid text come back as a form error, or are stored as decoded', async () => {
  const nul = await sendPlainForm(shop, form, { ...plainFormFields, alias: '\0\u202e\ufffd', question: '?' });
  assert.equal(nul.status, 422);
  assert.deepEqual(listFailures(), []);
});

test('after all these bodies the form still opens its case', async () => {
  const { status, text } = await sendPlainForm(shop, form, plainFormFields, [file]);
  assert.equal(status, 200, text);
});
