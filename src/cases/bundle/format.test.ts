import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { decodeUtf8, encodeUtf8 } from '#seal/bytes.ts';
import { SealError } from '#seal/seal-error.ts';
import type { BundledObject, CaseBundle } from './bundle.ts';
import { encodeBundle, type ReceivedBundle, readBundle } from './format.ts';
import { isGenuineResult } from './result-key.ts';

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

const resultKey = Buffer.alloc(32, 1).toString('base64url');

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
    taken_at: null,
    released_at: null,
    shortened_from: null,
    held_state: null,
    finding_seq: 0,
    notice_id: null,
    holder: null,
    changed_at: null,
    purge_at: null,
    kept_until: null,
    purge_by: null,
    taken_from: null,
    purging: 0,
    shred_slot: null,
    shred_id: null,
    sealed_to: null,
    unanswered_since: null,
  },
  caseKey: encodeUtf8('sealed case key'),
  sealedResultKey: encodeUtf8('sealed result key'),
  pins: [
    {
      desk: 'D'.repeat(22),
      case: 'A'.repeat(22),
      lookup_hash: 'Q'.repeat(43),
      recipient_hash: 'A'.repeat(43),
      mac: 'Y'.repeat(43),
    },
  ],
  objects: [
    createObject('inquiry.v1', 0, 'sealed inquiry'),
    createObject('desk-message.v1', 0, 'sealed\nquestion'),
  ],
  acts: [{ act: 'ask', seq: 0, offers_call: true }],
};

async function encodeToBuffer(value: CaseBundle): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(encodeBundle(value, resultKey)));
}

function readFromBytes(bytes: Uint8Array): Promise<ReceivedBundle> {
  const openStream = (start: number, size: number) =>
    ReadableStream.from([bytes.subarray(start, start + size)]);
  return readBundle({ size: bytes.length, stream: openStream });
}

const whole = await encodeToBuffer(bundle);

test('a bundle is read back as it was written, without the key box', async () => {
  const { record, caseKey, sealedResultKey, pins, objects, acts } = await readFromBytes(whole);
  assert.deepEqual(record, { ...bundle.record, key_box: new Uint8Array() });
  assert.equal(decodeUtf8(caseKey), 'sealed case key');
  assert.equal(decodeUtf8(sealedResultKey), 'sealed result key');
  assert.deepEqual(pins, bundle.pins);
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
      const received = await readFromBytes(changed).catch((error: unknown) => error);
      // In the MAC itself, only whoever has the result key notices.
      const isDetected = received instanceof Error || !isGenuineResult(resultKey, received as ReceivedBundle);
      assert.ok(isDetected);
      if (received instanceof Error) assert.ok(received instanceof SealError);
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
  const replaceVersion = (version: number) =>
    Buffer.from(whole.toString('latin1').replace('bundle 2\n', `bundle ${version}\n`), 'latin1');
  await assert.rejects(readFromBytes(replaceVersion(3)), { code: 'unsupported', message: /newer version/ });
  await assert.rejects(readFromBytes(replaceVersion(1)), {
    code: 'unsupported',
    message: /0\.1\.0.* Export the case again/,
  });
});

test('a bundle is genuine only under its own result key, and for the bytes that were written', async () => {
  const received = await readFromBytes(whole);
  assert.ok(isGenuineResult(resultKey, received));
  assert.ok(!isGenuineResult(Buffer.alloc(32, 2).toString('base64url'), received));
  const declined = { ...bundle, acts: [{ act: 'decline', seq: 0, offers_call: false }] as const };
  const forged = await readFromBytes(
    Buffer.concat(await Array.fromAsync(encodeBundle(declined, Buffer.alloc(32).toString('base64url')))),
  );
  assert.ok(!isGenuineResult(resultKey, forged));
  assert.ok(!isGenuineResult(resultKey, { ...forged, mac: received.mac }));
});

test('an invalid index is refused even if the checksum is right', async () => {
  const invalid: CaseBundle[] = [
    { ...bundle, record: { ...bundle.record, id: '../../etc/passwd' } },
    { ...bundle, record: { ...bundle.record, tier: 'Gold' } },
    { ...bundle, record: { ...bundle.record, due_at: -1 } },
    { ...bundle, objects: [createObject('case-key.v1', 0, 'x')] },
    { ...bundle, objects: [createObject('inquiry.v1', 0, 'x'), createObject('inquiry.v1', 0, 'y')] },
    { ...bundle, acts: [{ act: 'purge' } as never] },
    { ...bundle, pins: [{ ...bundle.pins[0], mac: 'short' } as never] },
    { ...bundle, acts: [{ act: 'deliver', now: true } as never] },
  ];
  for (const value of invalid)
    await assert.rejects(readFromBytes(await encodeToBuffer(value)), { code: 'tampered' });
});

test('an object shorter than its stated size is not written', async () => {
  const short = { ...createObject('inquiry.v1', 0, 'sealed'), size: 7 };
  await assert.rejects(encodeToBuffer({ ...bundle, objects: [short] }), { code: 'truncated' });
});
