/** The processor time of unpaid forms, with as many parts as fit. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import test, { after } from 'node:test';
import { buildTestApp } from '#test/test-app.ts';
import { measureFastest } from './growth.ts';

const { app } = await buildTestApp({ after });
const MAX_MS = 50;
const RECORD_BYTES = 16 * 1_024;

const part = (disposition: string) => `--a\r\nContent-Disposition: form-data; ${disposition}\r\n\r\nx\r\n`;
const forms: Readonly<Record<string, string>> = {
  'a thousand files of a byte': part('name="files"; filename="x"').repeat(1_000),
  'files with long encoded names': part(`name="files"; filename*=utf-8''${'%e2%82%ac'.repeat(200)}`).repeat(
    990,
  ),
  'files without a name': part('name="files"; filename=""').repeat(1_000),
  'fields with long headers': part(`name="a"; x="${'y'.repeat(1_800)}"`).repeat(990),
};

/** As they arrive: a record of TLS has 16 KiB at most. */
function* cutIntoRecords(body: string): Generator<Buffer> {
  for (let at = 0; at < body.length; at += RECORD_BYTES) yield Buffer.from(body.slice(at, at + RECORD_BYTES));
}

async function sendForm(records: readonly Buffer[]): Promise<void> {
  const answer = await app.inject({
    method: 'POST',
    url: '/inquiry/sent',
    headers: {
      host: 'localhost',
      'content-type': 'multipart/form-data; boundary=a',
      'sec-fetch-site': 'same-origin',
      accept: 'text/html',
    },
    payload: Readable.from(records),
  });
  assert.ok([400, 403, 413].includes(answer.statusCode), `${answer.statusCode}`);
}

for (const [name, body] of Object.entries(forms))
  test(`${name}: refused at little cost`, async () => {
    const records = [...cutIntoRecords(`${body}--a--\r\n`)];
    const ms = await measureFastest(() => sendForm(records), 0, MAX_MS);
    assert.ok(ms <= MAX_MS, `${ms} ms`);
  });
