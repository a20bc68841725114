import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { isLongRun } from '#test/scale.ts';
import { openSealedBytes, sealBytes } from '../core/age.ts';
import { encodeUtf8 } from '../core/bytes.ts';
import { generateCaseKey } from '../core/case-key.ts';
import type { SealedPlace } from '../core/envelope.ts';
import { deriveWordKeys, generateWords } from '../core/words.ts';
import type { AttachedFileFacts } from './attached-file.ts';
import { computeSealedFileSize, openSealedFile, sealFile } from './sealed-file.ts';

const key = await generateCaseKey(await deriveWordKeys(generateWords()));
const place: SealedPlace = { kind: 'inquiry-file.v1', seq: 2 };
const metadata = { name: 'Beweis 字 🔒.jpg', mime: 'image/jpeg' };
const MAX = 1024 * 1024;

test('a file of any length is opened with its name, and its sealed size is as computed', async () => {
  for (const size of [0, 1, 3000, 65_535, 65_536, 65_537, 131_072, 200_000]) {
    const plain = crypto.getRandomValues(new Uint8Array(65_536)).subarray(0, Math.min(size, 65_536));
    const pieces = size > 65_536 ? [plain, new Uint8Array(size - 65_536)] : [plain];
    const sealed = await sealPieces(pieces);
    assert.equal(sealed.length, computeSealedFileSize(key, place, metadata, size));
    const { name, mime, content } = await openSealedFile(key, place, toStream([sealed]));
    assert.deepEqual({ name, mime }, metadata);
    assert.ok(Buffer.from(await readBytes(content)).equals(Buffer.concat(pieces)));
  }
});

test('chunk boundaries do not matter for sealing and opening', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 30 }),
      fc.integer({ min: 1, max: 3000 }),
      async (pieces, step) => {
        const sealed = await sealPieces(pieces);
        const parts = Array.from({ length: Math.ceil(sealed.length / step) }, (_, index) =>
          sealed.subarray(index * step, (index + 1) * step),
        );
        const { content } = await openSealedFile(key, place, toStream(parts));
        assert.ok(Buffer.from(await readBytes(content)).equals(Buffer.concat(pieces)));
      },
    ),
    { numRuns: 15 },
  );
});

test('short files all have the same sealed size, and long ones have size classes', async () => {
  const sizes = [0, 100, 3000].map((size) => computeSealedFileSize(key, place, metadata, size));
  assert.equal(new Set(sizes).size, 1);
  assert.equal(
    computeSealedFileSize(key, place, metadata, 1_000_000),
    computeSealedFileSize(key, place, metadata, 1_010_000),
  );
});

test('a file over the limit is refused, and its source is cancelled', async () => {
  let cancelled = false;
  let pieces = 0;
  const long = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      controller.enqueue(new Uint8Array(50_000));
      pieces += 1;
      if (pieces === 100) controller.close();
    },
    cancel: () => {
      cancelled = true;
    },
  });
  const sealed = await sealFile(key, place, { ...metadata, content: long, maxBytes: MAX });
  await assert.rejects(readBytes(sealed), { code: 'too_large' });
  assert.ok(cancelled);
  assert.equal((await openToBytes(await sealPieces([new Uint8Array(MAX)]))).length, MAX);
  await assert.rejects(sealPieces([new Uint8Array(MAX + 1)]), { code: 'too_large' });
});

test('a name that is too long is refused', async () => {
  const file = { name: '字'.repeat(2000), mime: '', content: toStream([]), maxBytes: MAX };
  await assert.rejects(sealFile(key, place, file), { code: 'too_large' });
});

test('an error of the source is an error of the sealed stream', async () => {
  const broken = new ReadableStream<Uint8Array>({ pull: () => Promise.reject(new Error('disk')) });
  const sealed = await sealFile(key, place, { ...metadata, content: broken, maxBytes: MAX });
  await assert.rejects(readBytes(sealed), { message: 'disk' });
});

test('a file from another place or case is refused before any content is returned', async () => {
  const sealed = await sealPieces([Uint8Array.of(1)]);
  const openAt = (at: SealedPlace, by = key) => openSealedFile(by, at, toStream([sealed]));
  await assert.rejects(openAt({ ...place, seq: 1 }), { code: 'swapped' });
  await assert.rejects(openAt({ ...place, kind: 'finding-file.v1' }), { code: 'swapped' });
  await assert.rejects(openAt(place, { ...key, case: 'other' }), { code: 'swapped' });
  const other = await generateCaseKey(await deriveWordKeys(generateWords()));
  await assert.rejects(openAt(place, other), { code: 'wrong_key' });
});

test('a file forged by the service is refused before any content is returned', async () => {
  const impostor = {
    ...(await generateCaseKey(await deriveWordKeys(generateWords()))),
    case: key.case,
    recipient: key.recipient,
  };
  const content = toStream([encodeUtf8('forged')]);
  const sealed = await readBytes(await sealFile(impostor, place, { ...metadata, content, maxBytes: MAX }));
  await assert.rejects(openSealedFile(key, place, toStream([sealed])), { code: 'forged' });
});

test('changed content and trailing bytes are refused when the content ends', async () => {
  const plain = await openSealedBytes(await sealPieces([new Uint8Array(1000)]), key.identity);
  const changed = Uint8Array.from(plain);
  changed[600]! ^= 1;
  await assert.rejects(openToBytes(await sealBytes(changed, [key.recipient])), { code: 'forged' });
  const longer = await sealBytes(Buffer.concat([plain, new Uint8Array(256)]), [key.recipient]);
  await assert.rejects(openToBytes(longer), { code: 'tampered' });
});

test('sealed text that is not a file is refused', async () => {
  for (const text of ['', 'x', '\n\n', `{"v":1}\n`, 'x'.repeat(5000)])
    await assert.rejects(
      openSealedFile(key, place, toStream([await sealBytes(encodeUtf8(text), [key.recipient])])),
      { name: 'SealError' },
    );
  const later = await sealBytes(encodeUtf8('{"v":2}\n{}\n'), [key.recipient]);
  await assert.rejects(openSealedFile(key, place, toStream([later])), { code: 'unsupported' });
});

test('a changed byte is refused, and a missing end is reported as truncated', async () => {
  const sealed = await sealPieces([new Uint8Array(150_000)]);
  await fc.assert(
    fc.asyncProperty(fc.nat(sealed.length - 1), fc.integer({ min: 1, max: 255 }), async (index, change) => {
      const flipped = Uint8Array.from(sealed);
      flipped[index]! ^= change;
      await assert.rejects(openToBytes(flipped), { name: 'SealError' });
      await assert.rejects(openToBytes(sealed.subarray(0, index)), { name: 'SealError' });
    }),
    { numRuns: isLongRun ? 100 : 12 },
  );
  await assert.rejects(openToBytes(sealed.subarray(0, 100_000)), { code: 'truncated' });
  await assert.rejects(openToBytes(sealed.subarray(0, -1)), { code: 'truncated' });
  const changed = Uint8Array.from(sealed);
  changed[100_000]! ^= 1;
  await assert.rejects(openToBytes(changed), { code: 'tampered' });
  changed[100_000]! ^= 1;
  changed[changed.length - 1]! ^= 1;
  await assert.rejects(openToBytes(changed), { code: 'tampered' });
});

test('a file that is not what its list says is refused as swapped', async () => {
  const text = encodeUtf8('<script>');
  const named = { ...metadata, size: text.length, kept_as_evidence: false };
  const sealed = await sealPieces([text]);
  assert.deepEqual(await openNamed(sealed, named), Buffer.from(text));
  for (const other of [
    { ...named, name: 'bank-statement.pdf' },
    { ...named, mime: 'application/pdf' },
    { ...named, size: text.length - 1 },
    { ...named, size: 48_211 },
  ])
    await assert.rejects(openNamed(sealed, other), { code: 'swapped' }, JSON.stringify(other));
});

test('a picture may have lost its hidden data after it was listed, unless that was to stay', async () => {
  const picture = Uint8Array.of(0xff, 0xd8, 0xff, 0xe0);
  const sealed = await sealPieces([picture]);
  const named = { ...metadata, size: 5_000, kept_as_evidence: false };
  assert.deepEqual(await openNamed(sealed, named), Buffer.from(picture));
  await assert.rejects(openNamed(sealed, { ...named, kept_as_evidence: true }), { code: 'swapped' });
  await assert.rejects(openNamed(sealed, { ...named, size: 3 }), { code: 'swapped' });
});

test('a name that is a path, or has characters that are none, is refused', async () => {
  for (const name of ['../../.ssh/authorized_keys', 'a\\b', 'a\u0000b', 'a\nb', '\ud800x.exe']) {
    const file = { name, mime: '', content: toStream([]), maxBytes: MAX };
    const sealed = await readBytes(await sealFile(key, place, file));
    await assert.rejects(openToBytes(sealed), { code: 'tampered' }, JSON.stringify(name));
  }
});

async function openNamed(sealed: Uint8Array, named: AttachedFileFacts): Promise<Uint8Array> {
  return await readBytes((await openSealedFile(key, place, toStream([sealed]), named)).content);
}

async function sealPieces(pieces: readonly Uint8Array[]): Promise<Uint8Array> {
  return await readBytes(
    await sealFile(key, place, { ...metadata, content: toStream(pieces), maxBytes: MAX }),
  );
}

async function openToBytes(sealed: Uint8Array): Promise<Uint8Array> {
  return await readBytes((await openSealedFile(key, place, toStream([sealed]))).content);
}

function toStream(pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return ReadableStream.from(pieces);
}

async function readBytes(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return Buffer.concat(await Array.fromAsync(stream));
}
