/** A file much larger than any of its pieces is sealed and opened without being held in memory. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import test from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { generateCaseKey } from '#seal/core/case-key.ts';
import type { SealedPlace } from '#seal/core/envelope.ts';
import { deriveWordKeys, generateWords } from '#seal/core/words.ts';
import { openSealedFile, sealFile } from '#seal/files/sealed-file.ts';

const MIB = 1024 * 1024;
const SIZE = 64 * MIB;
/** What garbage collection may lag behind; a file in memory would cost at least 64 MiB, and age holds 64 KiB. */
const MAX_GROWTH = 48 * MIB;
const place: SealedPlace = { kind: 'inquiry-file.v1', seq: 0 };

test('64 MiB are sealed and opened in bounded memory', async () => {
  const key = await generateCaseKey(await deriveWordKeys(generateWords()));
  const before = createHash('sha256');
  const after = createHash('sha256');
  await sealAndOpen(4 * MIB);
  const start = process.memoryUsage.rss();
  const peak = await sealAndOpen(SIZE, before, after);
  assert.equal(after.digest('hex'), before.digest('hex'));
  assert.ok(peak - start < MAX_GROWTH, `grew by ${Math.round((peak - start) / MIB)} MiB`);

  async function sealAndOpen(
    size: number,
    sent = createHash('sha256'),
    got = createHash('sha256'),
  ): Promise<number> {
    const content = createContent(size, (piece) => sent.update(piece));
    const sealed = await sealFile(key, place, { name: 'x', mime: '', content, maxBytes: SIZE });
    const opened = await openSealedFile(key, place, sealed);
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

function createContent(size: number, seen: (piece: Uint8Array) => void): ReadableStream<Uint8Array> {
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
