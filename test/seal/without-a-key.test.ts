/** What a sealed value reveals without a key: whether its length is one of ours. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { computePlainSize, computeSealedSize } from '#seal/core/age.ts';
import { generateCaseKey } from '#seal/core/case-key.ts';
import { computePadmeLength } from '#seal/core/padding.ts';
import { deriveWordKeys, generateWords } from '#seal/core/words.ts';
import { computeSealedFileSize, isSealedFileSize } from '#seal/files/sealed-file.ts';
import { MAX_INQUIRY_FILE_BYTES } from '#seal/form/inquiry-files.ts';

test('every file that the form takes has a length that the service takes', async () => {
  const key = await generateCaseKey(await deriveWordKeys(generateWords()));
  const place = { kind: 'inquiry-file.v1', seq: 9 } as const;
  const facts = fc.record({ name: fc.string({ maxLength: 255 }), mime: fc.string({ maxLength: 127 }) });
  fc.assert(
    fc.property(facts, fc.nat(MAX_INQUIRY_FILE_BYTES), (fact, size) =>
      isSealedFileSize(computeSealedFileSize(key, place, fact, size), MAX_INQUIRY_FILE_BYTES),
    ),
  );
  const longest = { name: '🕵'.repeat(255), mime: 'x'.repeat(127) };
  assert.ok(
    isSealedFileSize(
      computeSealedFileSize(key, place, longest, MAX_INQUIRY_FILE_BYTES),
      MAX_INQUIRY_FILE_BYTES,
    ),
  );
});

test('a length that no padded file has, or only a larger one, is refused', () => {
  const longest = computeSealedSize(computePadmeLength(MAX_INQUIRY_FILE_BYTES + 20_000));
  assert.ok(isSealedFileSize(longest, MAX_INQUIRY_FILE_BYTES));
  for (const size of [
    0,
    1,
    1_000,
    longest + 1,
    longest - 1,
    computeSealedSize(computePadmeLength(MAX_INQUIRY_FILE_BYTES * 2)),
    2 ** 40,
  ])
    assert.equal(isSealedFileSize(size, MAX_INQUIRY_FILE_BYTES), false, String(size));
  fc.assert(
    fc.property(fc.nat(MAX_INQUIRY_FILE_BYTES), (length) => {
      assert.equal(
        isSealedFileSize(computeSealedSize(length), MAX_INQUIRY_FILE_BYTES),
        length === computePadmeLength(length),
      );
    }),
  );
});

test('the length of what is inside follows from the length of what is sealed', () => {
  fc.assert(
    fc.property(fc.nat(30_000_000), fc.integer({ min: 1, max: 5 }), (length, count) => {
      assert.equal(computePlainSize(computeSealedSize(length, count), count), length);
    }),
  );
});
