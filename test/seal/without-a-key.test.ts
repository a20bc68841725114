/** What can be told of something sealed without a key: how many can open it, and whether its length is one of ours. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { Encrypter, generateIdentity, generateX25519Identity, identityToRecipient } from 'age-encryption';
import fc from 'fast-check';
import {
  computePlainSize,
  computeSealedSize,
  countRecipients,
  deriveRecipient,
  generateAgeIdentity,
  sealBytes,
} from '#seal/core/age.ts';
import { generateCaseKey } from '#seal/core/case-key.ts';
import { computePadmeLength } from '#seal/core/padding.ts';
import { deriveWordKeys, generateWords } from '#seal/core/words.ts';
import { computeSealedFileSize, isSealedFileSize } from '#seal/files/sealed-file.ts';
import { MAX_INQUIRY_FILE_BYTES } from '#seal/form/inquiry-files.ts';

const recipients = await Promise.all(
  Array.from({ length: 4 }, async () => deriveRecipient(await generateAgeIdentity())),
);
const encodeLatin1 = (text: string) => Buffer.from(text, 'latin1');

test('the recipients of a sealed thing are counted, whatever its length', async () => {
  for (const length of [0, 1, 70_000])
    for (const count of [1, 2, 4])
      assert.equal(
        countRecipients(await sealBytes(new Uint8Array(length), recipients.slice(0, count))),
        count,
      );
});

test('the header alone is enough, and less than the header is not', async () => {
  const sealed = await sealBytes(new Uint8Array(10), recipients.slice(0, 2));
  const end = Buffer.from(sealed).indexOf('\n--- ') + 5;
  assert.equal(countRecipients(sealed.subarray(0, end)), 2);
  assert.equal(countRecipients(sealed.subarray(0, end - 1)), null);
});

test('plain text, armour, and other versions are not sealed', async () => {
  const sealed = await sealBytes(new Uint8Array(10), recipients.slice(0, 1));
  for (const text of [
    '',
    'a question in clear',
    'age-encryption.org/v1\n',
    'age-encryption.org/v1\n--- ',
    '-----BEGIN AGE ENCRYPTED FILE-----\n',
    ` ${Buffer.from(sealed).toString('latin1')}`,
    Buffer.from(sealed).toString('latin1').replace('/v1', '/v2'),
  ])
    assert.equal(countRecipients(encodeLatin1(text)), null, text.slice(0, 40));
});

test('one classical recipient, or a passphrase, spoils it', async () => {
  for (const identity of [await generateIdentity(), await generateX25519Identity()]) {
    const recipient = await identityToRecipient(identity);
    if (recipient.startsWith('age1pq')) continue;
    const encrypter = new Encrypter();
    encrypter.addRecipient(recipient);
    assert.equal(countRecipients(await encrypter.encrypt('text')), null);
  }
  const sealed = Buffer.from(await sealBytes(new Uint8Array(1), recipients.slice(0, 2))).toString('latin1');
  const end = sealed.indexOf('\n--- ');
  const added = `${sealed.slice(0, end)}\n-> X25519 abc\nabc${sealed.slice(end)}`;
  assert.equal(countRecipients(encodeLatin1(added)), null);
  const passphrase = new Encrypter();
  passphrase.setScryptWorkFactor(1);
  passphrase.setPassphrase('a secret');
  assert.equal(countRecipients(await passphrase.encrypt('text')), null);
});

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
