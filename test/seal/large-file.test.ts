/** A file much larger than any piece of it passes through sealing and opening without being held. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import test from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { newCaseKey } from '#seal/case-key.ts';
import type { Place } from '#seal/envelope.ts';
import { openFile, sealFile } from '#seal/sealed-file.ts';
import { newWords, wordKeys } from '#seal/words.ts';

const MIB = 1024 * 1024;
const SIZE = 64 * MIB;
/** What the collector may lag behind; a held file would cost 64 MiB at least once, and age holds 64 KiB. */
const MAX_GROWTH = 48 * MIB;
const place: Place = { kind: 'inquiry-file.v1', seq: 0 };

test('64 MiB are sealed and opened in bounded memory', async () => {
  const key = await newCaseKey(await wordKeys(newWords()));
  const before = createHash('sha256');
  const after = createHash('sha256');
  await passThrough(4 * MIB);
  const start = process.memoryUsage.rss();
  const peak = await passThrough(SIZE, before, after);
  assert.equal(after.digest('hex'), before.digest('hex'));
  assert.ok(peak - start < MAX_GROWTH, `grew by ${Math.round((peak - start) / MIB)} MiB`);

  async function passThrough(
    size: number,
    sent = createHash('sha256'),
    got = createHash('sha256'),
  ): Promise<number> {
    const content = generated(size, (piece) => sent.update(piece));
    const sealed = await sealFile(key, place, { name: 'x', mime: '', content, maxBytes: SIZE });
    const opened = await openFile(key, place, sealed);
    let most = 0;
    let length = 0;
    for await (const piece of opened.content) {
      got.update(piece);
      length += piece.length;
      most = Math.max(most, process.memoryUsage.rss());
      // A server lets other work run between pieces.
      await setImmediate();
    }
    assert.equal(length, size);
    return most;
  }
});

function generated(size: number, seen: (piece: Uint8Array) => void): ReadableStream<Uint8Array> {
  let left = size;
  return new ReadableStream({
    pull: (controller) => {
      const piece = new Uint8Array(Math.min(left, 65_536)).fill(left & 255);
      left -= piece.length;
      seen(piece);
      controller.enqueue(piece);
      if (left === 0) controller.close();
    },
  });
}
