/** The table of caps for operators says what the code does. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { MAX_STORED_PIECE_BYTES } from '#store/cases/objects.ts';
import { MAX_UPLOADED_PIECES, storageCaps } from '#store/limits/storage-caps.ts';
import { requireDocument } from './documents.ts';

const MIB = 1024 ** 2;

test('the guide for operators has the number and the bytes of every cap', () => {
  const guide = requireDocument('docs/operating.md');
  const rows = [...guide.matchAll(/^\| [a-z][^|]* \| ([\d ]+)(?: pieces)? \| (\d+) MiB \|/gm)];
  const uploads = { number: MAX_UPLOADED_PIECES, bytes: MAX_UPLOADED_PIECES * MAX_STORED_PIECE_BYTES };
  assert.deepEqual(
    rows.map(([, number = '', bytes]) => [Number(number.replaceAll(' ', '')), Number(bytes)]),
    [...Object.values(storageCaps), uploads].map(({ number, bytes }) => [number, bytes / MIB]),
  );
  const total = Object.values(storageCaps).reduce((sum, { bytes }) => sum + bytes, 0) / MIB;
  assert.ok(guide.includes(`a disk below ${total * 2} MiB all caps shrink`));
});
