import assert from 'node:assert/strict';
import test from 'node:test';
import { bech32 } from '@scure/base';
import { Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import fc from 'fast-check';
import { isLongRun } from '#test/scale.ts';
import {
  computeSealedSize,
  countRecipients,
  decodeIdentity,
  deriveRecipient,
  encodeIdentity,
  generateAgeIdentity,
  isAgeIdentity,
  isAgeRecipient,
  openSealedBytes,
  openSealedStream,
  sealBytes,
  sealStream,
} from './age.ts';

const identity = await generateAgeIdentity();
const recipient = await deriveRecipient(identity);
const classical = await identityToRecipient(await generateX25519Identity());

test('an identity opens what was sealed to its recipient', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (plain) => {
      const sealed = await sealBytes(plain, [recipient]);
      assert.equal(sealed.length, computeSealedSize(plain.length));
      assert.deepEqual(await openSealedBytes(sealed, identity), plain);
    }),
    { numRuns: 10 },
  );
});

test('recipients are counted in a header of post-quantum recipients only', async () => {
  const plain = new Uint8Array(100);
  for (const count of [1, 3])
    assert.equal(countRecipients(await sealBytes(plain, Array<string>(count).fill(recipient))), count);
  const sealed = Buffer.from(await sealBytes(plain, [recipient]));
  const end = sealed.indexOf('\n--- ') + 1;
  const addLine = (line: string) =>
    Buffer.concat([sealed.subarray(0, end), Buffer.from(line), sealed.subarray(end)]);
  assert.equal(countRecipients(addLine('-> mlkem768x25519 abc\nabc\n')), 2);
  const others = ['-> X25519 abc\n', '-> mlkem768x25519x abc\n', '\r-> X25519 abc\n', '\n', '->  X25519\n'];
  for (const line of others) assert.equal(countRecipients(addLine(line)), null, JSON.stringify(line));
  const cut = [0, 10, 22, 60, end].map((length) => sealed.subarray(0, length));
  const start = 'age-encryption.org/v1\n';
  const clear = ['a question in clear', '-----BEGIN AGE ENCRYPTED FILE-----\n'];
  const whole = sealed.toString('latin1');
  const changed = [` ${whole}`, whole.replace('/v1', '/v2')];
  const texts = [`${start}--- \n`, start, `\ufeff${start}`, ...clear, ...changed, '\n'.repeat(1 << 18)];
  for (const bytes of [...cut, ...texts.map((text) => Buffer.from(text, 'latin1'))])
    assert.equal(countRecipients(bytes), null);
  const passphrase = new Encrypter();
  passphrase.setScryptWorkFactor(1);
  passphrase.setPassphrase('a secret');
  assert.equal(countRecipients(await passphrase.encrypt('text')), null);
});

test('a stream is sealed and opened as a stream, with the computed size', async () => {
  const plain = new Uint8Array(200_000).fill(7);
  const sealed = await readBytes(await sealStream(toStream(plain), [recipient, recipient]));
  assert.equal(sealed.length, computeSealedSize(plain.length, 2));
  assert.deepEqual(await readBytes(await openSealedStream(toStream(sealed), identity)), plain);
});

test('each of several recipients can open the file, and no other identity can', async () => {
  const others = await Promise.all([generateAgeIdentity(), generateAgeIdentity()]);
  const recipients = await Promise.all(others.map(deriveRecipient));
  const sealed = await sealBytes(Uint8Array.of(1), recipients);
  for (const other of others) assert.deepEqual(await openSealedBytes(sealed, other), Uint8Array.of(1));
  await assert.rejects(openSealedBytes(sealed, identity), { code: 'wrong_key' });
  await assert.rejects(openSealedStream(toStream(sealed), identity), { code: 'wrong_key' });
});

test('sealing needs recipients, all of them valid post-quantum keys', async () => {
  const refused = [
    [],
    [classical],
    [recipient, classical],
    [classical, recipient],
    [recipient, ''],
    [recipient.slice(0, -1)],
    [` ${recipient}`],
    [`${recipient}\n`],
    [recipient.toUpperCase()],
    [recipient.replace('age1pq1', 'age1tagpq1')],
    [identity],
  ];
  for (const recipients of refused) {
    await assert.rejects(sealBytes(Uint8Array.of(1), recipients), { code: 'recipient_refused' });
    await assert.rejects(sealStream(toStream(Uint8Array.of(1)), recipients), { code: 'recipient_refused' });
  }
});

test('a recipient with one letter changed is refused', () => {
  fc.assert(
    fc.property(
      fc.nat(recipient.length - 1),
      fc.constantFrom(...'qpzry9x8gf2tvdw0s3jn54khce6mua7l'.split('')),
      (index, letter) => {
        const changed = recipient.slice(0, index) + letter + recipient.slice(index + 1);
        assert.equal(isAgeRecipient(changed), changed === recipient);
      },
    ),
    { numRuns: 50 },
  );
});

test('a prefix that only starts with the prefix of a recipient is refused', () => {
  const { words } = bech32.decode(recipient as `age1pq1${string}`, false);
  assert.ok(isAgeRecipient(bech32.encode('age1pq', words, false)));
  assert.ok(!isAgeRecipient(bech32.encode('age1pq1x', words, false)));
});

test('only a post-quantum identity is accepted', async () => {
  assert.ok(isAgeIdentity(identity));
  const refused = [
    '',
    identity.toLowerCase(),
    identity.slice(0, -1),
    `${identity} `,
    await generateX25519Identity(),
  ];
  for (const text of refused) {
    assert.ok(!isAgeIdentity(text));
    await assert.rejects(deriveRecipient(text), { code: 'identity_refused' });
    await assert.rejects(openSealedBytes(new Uint8Array(10), text), { code: 'identity_refused' });
  }
});

test('an identity is encoded from and decoded to its seed', async () => {
  assert.equal(encodeIdentity(decodeIdentity(identity)), identity);
  assert.equal(await deriveRecipient(encodeIdentity(decodeIdentity(identity))), recipient);
  assert.throws(() => encodeIdentity(new Uint8Array(16)), { code: 'identity_refused' });
});

test('a sealed file with a changed byte or a missing end is refused', async () => {
  const sealed = await sealBytes(Uint8Array.of(1, 2, 3), [recipient]);
  await fc.assert(
    fc.asyncProperty(fc.nat(sealed.length - 1), fc.integer({ min: 1, max: 255 }), async (index, change) => {
      const flipped = Uint8Array.from(sealed);
      flipped[index]! ^= change;
      await assert.rejects(openSealedBytes(flipped, identity), { name: 'SealError' });
      await assert.rejects(openSealedBytes(sealed.subarray(0, index), identity), { name: 'SealError' });
    }),
    { numRuns: isLongRun ? 200 : 20 },
  );
});

function toStream(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new Blob([Uint8Array.from(bytes)]).stream();
}

async function readBytes(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
