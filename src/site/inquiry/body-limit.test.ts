import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import test from 'node:test';
import { setImmediate as waitForTurn } from 'node:timers/promises';
import { createBodyLimit } from './body-limit.ts';

async function isExceededBy(body: string, chunkLength: number): Promise<boolean> {
  const headers = { 'content-type': 'multipart/form-data; boundary="ab"' };
  const request = Object.assign(new PassThrough(), { headers });
  const { exceeded } = createBodyLimit(request as unknown as IncomingMessage, {
    bytes: 1_000_000,
    parts: 1_500,
  });
  for (let at = 0; at < body.length && !request.isPaused(); at += chunkLength)
    request.write(body.slice(at, at + chunkLength));
  await waitForTurn();
  return await Promise.race([exceeded, Promise.resolve(false)]);
}

for (const chunkLength of [1, 3, 7, 100_000])
  test(`parts are counted wherever chunks end, also in chunks of ${chunkLength} bytes`, async () => {
    assert.equal(await isExceededBy('--ab\r\n\r\n'.repeat(2_000), chunkLength), true);
    assert.equal(await isExceededBy('--ab\r\n\r\n'.repeat(1_000), chunkLength), false);
    assert.equal(await isExceededBy('--aab\r\n\r\n'.repeat(2_000), chunkLength), false);
  });
