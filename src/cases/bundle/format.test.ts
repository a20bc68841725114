import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { decodeUtf8, encodeUtf8 } from '#seal/bytes.ts';
import { SealError } from '#seal/seal-error.ts';
import type { BundledObject, CaseBundle } from './bundle.ts';
import { encodeBundle, readBundle } from './format.ts';

function createObject(kind: BundledObject['kind'], seq: number, text: string): BundledObject {
  const bytes = encodeUtf8(text);
  const openContent = async () => ReadableStream.from([bytes]);
  return {
    id: `${kind} ${seq}`,
    kind,
    seq,
    size: bytes.length,
    keptAt: 1_800_000_000_000 + seq,
    content: openContent,
  };
}

const bundle: CaseBundle = {
  record: {
    id: 'A'.repeat(22),
    owner: null,
    words_tag: '',
    lookup_hash: 'Q'.repeat(43),
    tier: 'Dossier',
    state: 'awaiting_client',
    call: 'offered',
    sealed_by: 'browser',
    keep_days: 90,
    terms_version: '2026-11',
    key_box: encodeUtf8('CANARY-BOX'),
    submitted_at: 1_800_000_000_000,
    due_at: 1_800_172_800_000,
    delivered_at: null,
    purge_at: null,
    purging: 0,
  },
  caseKey: encodeUtf8('sealed case key'),
  objects: [
    createObject('inquiry.v1', 0, 'sealed inquiry'),
    createObject('desk-message.v1', 0, 'sealed\nquestion'),
  ],
  acts: [{ act: 'ask', seq: 0, offers_call: true }],
};

async function encodeToBuffer(value: CaseBundle): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(encodeBundle(value)));
}

function readFromBytes(bytes: Uint8Array): Promise<CaseBundle> {
  const openStream = (start: number, size: number) =>
    ReadableStream.from([bytes.subarray(start, start + size)]);
  return readBundle({ size: bytes.length, stream: openStream });
}

const whole = await encodeToBuffer(bundle);

test('a bundle is read back as it was written, without the key box', async () => {
  const { record, caseKey, objects, acts } = await readFromBytes(whole);
  assert.deepEqual(record, { ...bundle.record, key_box: new Uint8Array() });
  assert.equal(decodeUtf8(caseKey), 'sealed case key');
  assert.deepEqual(acts, bundle.acts);
  const contents = objects.map(async ({ content }) => Buffer.concat(await Array.fromAsync(await content())));
  assert.deepEqual((await Promise.all(contents)).map(String), ['sealed inquiry', 'sealed\nquestion']);
  assert.deepEqual(
    objects.map(({ content: _content, ...facts }) => facts),
    bundle.objects.map(({ content: _content, ...facts }) => facts),
  );
  assert.equal(whole.indexOf('CANARY-BOX'), -1);
});

test('one flipped bit anywhere is detected', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(7), async (at, bit) => {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ (1 << bit);
      await assert.rejects(readFromBytes(changed), SealError);
    }),
    { numRuns: 500 },
  );
});

test('a truncated or extended bundle is detected', async () => {
  for (let length = 0; length < whole.length; length += 1)
    await assert.rejects(readFromBytes(whole.subarray(0, length)), SealError, `${length} bytes`);
  await assert.rejects(readFromBytes(Buffer.concat([whole, Buffer.from('\n')])), /not complete/);
});

test('another kind of file and a bundle of a later version give different errors', async () => {
  await assert.rejects(readFromBytes(Buffer.from('%PDF-1.7\n'.repeat(100))), /not a bundle of a case/);
  const later = Buffer.from(whole.toString('latin1').replace('bundle 1\n', 'bundle 2\n'), 'latin1');
  await assert.rejects(readFromBytes(later), { code: 'unsupported' });
});

test('an invalid index is refused even if the checksum is right', async () => {
  const invalid: CaseBundle[] = [
    { ...bundle, record: { ...bundle.record, id: '../../etc/passwd' } },
    { ...bundle, record: { ...bundle.record, tier: 'Gold' } },
    { ...bundle, record: { ...bundle.record, due_at: -1 } },
    { ...bundle, objects: [createObject('case-key.v1', 0, 'x')] },
    { ...bundle, objects: [createObject('inquiry.v1', 0, 'x'), createObject('inquiry.v1', 0, 'y')] },
    { ...bundle, acts: [{ act: 'purge' } as never] },
    { ...bundle, acts: [{ act: 'deliver', now: true } as never] },
  ];
  for (const value of invalid)
    await assert.rejects(readFromBytes(await encodeToBuffer(value)), { code: 'tampered' });
});

test('an object shorter than its stated size is not written', async () => {
  const short = { ...createObject('inquiry.v1', 0, 'sealed'), size: 7 };
  await assert.rejects(encodeToBuffer({ ...bundle, objects: [short] }), { code: 'truncated' });
});
