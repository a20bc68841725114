import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { isLongRun } from '#test/scale.ts';
import { sealBytes } from './age.ts';
import { generateCaseKey } from './case-key.ts';
import { ENVELOPE_SIZES, openEnvelope, type SealedPlace, sealEnvelope } from './envelope.ts';
import { encodeFrame } from './frame.ts';
import { deriveWordKeys, generateWords } from './words.ts';

const key = await generateCaseKey(await deriveWordKeys(generateWords()));
const place: SealedPlace = { kind: 'buyer-message.v1', seq: 3 };
const header = { ...place, case: key.case };

test('any JSON is the same after sealing and opening', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ stringUnit: 'binary' }), async (body) => {
      const opened = await openEnvelope(key, place, await sealEnvelope(key, place, body));
      assert.deepEqual(opened, JSON.parse(JSON.stringify(body)));
    }),
    { numRuns: isLongRun ? 50 : 10 },
  );
});

test('a size class is filled to its last byte, and one byte more takes the next class', async () => {
  const overhead = encodeFrame(header, '', 32).indexOf(10) + 1 + 4 + 2 + 32;
  const lengths = [4096 - overhead, 4097 - overhead].map((length) =>
    sealEnvelope(key, place, 'a'.repeat(length)),
  );
  assert.deepEqual(
    (await Promise.all(lengths)).map(({ length }) => length),
    ENVELOPE_SIZES.slice(0, 2),
  );
  await assert.rejects(sealEnvelope(key, place, 'a'.repeat(262_145 - overhead)), { code: 'too_large' });
});

test('a newer version and a damaged envelope are different errors', async () => {
  const frame = new TextEncoder().encode(`{"v":2,"kind":"${place.kind}","case":"${key.case}","seq":3}\n`);
  await assert.rejects(openEnvelope(key, place, await sealFrame(frame)), { code: 'unsupported' });
  for (const text of ['', '\n', '{"v":1', '{}\n', 'null\n', '[1]\n', '{"v":1}'])
    await assert.rejects(
      openEnvelope(key, place, await sealFrame(new TextEncoder().encode(text))),
      { code: 'tampered' },
      text,
    );
});

test('the service knows the recipient, but cannot forge an envelope', async () => {
  const frame = encodeFrame(header, { from: 'the service' }, 32);
  await assert.rejects(openEnvelope(key, place, await sealBytes(frame, [key.recipient])), { code: 'forged' });
  const impostor = await generateCaseKey(await deriveWordKeys(generateWords()));
  const sealed = await sealEnvelope({ ...impostor, case: key.case, recipient: key.recipient }, place, 'x');
  await assert.rejects(openEnvelope(key, place, sealed), { code: 'forged' });
});

test('an envelope with a changed byte or a different length is refused', async () => {
  const sealed = await sealEnvelope(key, place, { text: 'x' });
  await fc.assert(
    fc.asyncProperty(fc.nat(sealed.length - 1), fc.integer({ min: 1, max: 255 }), async (index, change) => {
      const flipped = Uint8Array.from(sealed);
      flipped[index]! ^= change;
      await assert.rejects(openEnvelope(key, place, flipped), { name: 'SealError' });
      await assert.rejects(openEnvelope(key, place, sealed.subarray(0, index)), { code: 'truncated' });
    }),
    { numRuns: isLongRun ? 200 : 20 },
  );
  await assert.rejects(openEnvelope(key, place, new Uint8Array([...sealed, 0])), { code: 'truncated' });
});

test('two envelopes with the same content differ', async () => {
  const [one, other] = await Promise.all([sealEnvelope(key, place, 'x'), sealEnvelope(key, place, 'x')]);
  assert.notDeepEqual(one, other);
});

async function sealFrame(start: Uint8Array): Promise<Uint8Array> {
  const frame = new Uint8Array(4096);
  frame.set(start);
  return await sealBytes(frame, [key.recipient]);
}
