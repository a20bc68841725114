/** Bodies that no browser would send, or that break off: refused as the sender's fault, and nothing stays. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openRaw } from '#test/raw-connection.ts';
import { openShop } from '#test/shop.ts';
import { bodyOf, filled, fromOwnPage, type PlainForm, paidForm, sendPlain } from './plain-form.ts';
import { stored } from './stored.ts';

const shop = await openShop({ after });
const form = await paidForm(shop);
const file = { name: 'a.bin', content: new Uint8Array(2_000_000) };
const failures = () =>
  shop
    .log()
    .split('\n')
    .filter((line) => line.includes('request_failed'));

async function post(body: Uint8Array | string, type: string) {
  const headers = { ...fromOwnPage, cookie: form.cookie, 'content-type': type };
  return await shop.get('/inquiry/sent', { method: 'POST', headers, body });
}

async function refusedAs(status: number | number[], body: Uint8Array | string, type: string): Promise<void> {
  const before = await stored(shop);
  const answer = await post(body, type);
  assert.ok([status].flat().includes(answer.status), `${answer.status} ${answer.text}`);
  assert.match(answer.text, /<h1>/);
  assert.deepEqual(await stored(shop), before);
  assert.deepEqual(failures(), [], 'and our log speaks of no failure');
}

test('another kind of body', async () => {
  await refusedAs(415, JSON.stringify(filled), 'application/json');
  await refusedAs(415, new URLSearchParams(filled).toString(), 'application/x-www-form-urlencoded');
  await refusedAs(415, 'words', 'text/plain');
});

test('a multipart body without a boundary, or with another one', async () => {
  const { body } = await bodyOf(form, filled);
  await refusedAs([400, 403], body, 'multipart/form-data');
  await refusedAs([400, 403], body, 'multipart/form-data; boundary=other');
});

test('an empty body', async () => {
  const { type } = await bodyOf(form, filled);
  await refusedAs([400, 403], '', type);
});

test('a body without its end, before, in and after its file', async () => {
  const { body, type } = await bodyOf(form, filled, [file]);
  const places = [0.0001, 0.2, 0.99999].map((share) => Math.floor(body.length * share));
  for (const end of [...places, body.length - 4, body.length - 200])
    await refusedAs([400, 403], body.subarray(0, end), type);
});

test('a connection cut in the middle of a file', async () => {
  const { body, type } = await bodyOf(form, filled, [file]);
  const before = await stored(shop);
  const { socket, closed } = await openRaw(shop.port, 'tls');
  socket.write(
    `POST /inquiry/sent HTTP/1.1\r\nHost: localhost:${shop.port}\r\nCookie: ${form.cookie}\r\n` +
      `Sec-Fetch-Site: same-origin\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  socket.write(body.subarray(0, 1_500_000));
  for (let tries = 0; (await stored(shop)).pieces === before.pieces; tries += 1) {
    assert.ok(tries < 500, 'pieces are kept as they come');
    await sleep(10);
  }
  socket.destroy();
  await closed;
  for (let tries = 0; (await stored(shop)).objects > before.objects; tries += 1) {
    assert.ok(tries < 500, 'what was kept goes');
    await sleep(10);
  }
  assert.deepEqual(await stored(shop), before);
  assert.deepEqual(failures(), []);
});

test('seventy fields', async () => {
  const many = Object.fromEntries(Array.from({ length: 70 }, (_none, index) => [`field_${index}`, 'x']));
  const { body, type } = await bodyOf(form, { ...filled, ...many }, [file]);
  await refusedAs([400, 413], body, type);
});

test('a field that is far too large', async () => {
  const { body, type } = await bodyOf(form, { ...filled, background: 'x'.repeat(200_000) });
  await refusedAs(413, body, type);
});

test('many large fields', async () => {
  const many = Object.fromEntries(
    Array.from({ length: 6 }, (_none, index) => [`field_${index}`, 'x'.repeat(100_000)]),
  );
  const { body, type } = await bodyOf(form, { ...filled, ...many });
  await refusedAs(413, body, type);
});

test('fields named like parts of the language', async () => {
  for (const name of ['__proto__', 'constructor', 'hasOwnProperty']) {
    const fields = Object.fromEntries([...Object.entries(filled), [name, 'x']]);
    const { body, type } = await bodyOf(form, fields);
    await refusedAs([400, 422], body, type);
  }
});

const part = (name: string, value: string, more = '') =>
  `--x\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
const hidden = ({ token, words }: PlainForm) => part('token', token) + part('words', words);

test('a form whose files come before its hidden fields', async () => {
  const body = `${part('files', 'content', '; filename="a.txt"')}${hidden(form)}--x--\r\n`;
  await refusedAs([400, 403, 422], body, 'multipart/form-data; boundary=x');
});

test('text in another character set, and JSON in place of text, is read or refused, never a failure', async () => {
  const odd = '\r\nContent-Type: text/plain; charset=utf-16le';
  const unknown = '\r\nContent-Type: text/plain; charset=klingon';
  const json = '\r\nContent-Type: application/json';
  const type = 'multipart/form-data; boundary=x';
  for (const more of [odd, unknown]) {
    const body = `${hidden(form)}${part('question', 'a\0b\0', more)}--x--\r\n`;
    await refusedAs(422, body, type);
  }
  await refusedAs([400, 422], `${hidden(form)}${part('alias', '{"a":1}', json)}--x--\r\n`, type);
  await refusedAs([400, 422], `${hidden(form)}${part('alias', '{"a":', json)}--x--\r\n`, type);
});

test('bytes that are no text come back as a form with a fault, or are kept as what they look like', async () => {
  const nul = await sendPlain(shop, form, { ...filled, alias: '\0\u202e\ufffd', question: '?' });
  assert.equal(nul.status, 422);
  assert.deepEqual(failures(), []);
});

test('after all that, the form still opens its case', async () => {
  const { status, text } = await sendPlain(shop, form, filled, [file]);
  assert.equal(status, 200, text);
});
