import assert from 'node:assert/strict';
import test from 'node:test';
import { hex } from '@scure/base';
import { deriveRecipient, generateAgeIdentity, openSealedBytes, sealBytes } from './age.ts';
import { decodeUtf8, encodeUtf8 } from './bytes.ts';
import {
  computeKeyFingerprint,
  createCaseMac,
  generateCaseKey,
  openCaseKey,
  sealCaseKey,
} from './case-key.ts';
import { deriveWordKeys, generateWords } from './words.ts';

const [first, second, recovery, stranger] = await Promise.all([
  generateAgeIdentity(),
  generateAgeIdentity(),
  generateAgeIdentity(),
  generateAgeIdentity(),
]);
const holders = {
  desk: [await deriveRecipient(first), await deriveRecipient(second)],
  recovery: await deriveRecipient(recovery),
};
const words = await deriveWordKeys(generateWords());
const key = await generateCaseKey(words);
const sealed = await sealCaseKey(key, holders);

test('every investigator, the recovery key and the words can open the case key, and no other key can', async () => {
  for (const identity of [first, second, recovery, words.identity])
    assert.deepEqual(await openCaseKey(sealed, identity, words.lookupHash), key);
  await assert.rejects(openCaseKey(sealed, stranger, words.lookupHash), { code: 'wrong_key' });
  const otherWords = await deriveWordKeys(generateWords());
  await assert.rejects(openCaseKey(sealed, otherWords.identity, words.lookupHash), { code: 'wrong_key' });
});

test('the case key of another case is refused', async () => {
  const other = await deriveWordKeys(generateWords());
  await assert.rejects(openCaseKey(sealed, first, other.lookupHash), { code: 'swapped' });
});

test('a case key is not sealed without a desk or to a key that is not post-quantum', async () => {
  await assert.rejects(sealCaseKey(key, { ...holders, desk: [] }), { code: 'recipient_refused' });
  await assert.rejects(sealCaseKey(key, { ...holders, recovery: '' }), { code: 'recipient_refused' });
  await assert.rejects(sealCaseKey({ ...key, words: 'age1x' }, holders), { code: 'recipient_refused' });
});

test('the opened case key is an age identity file with comments', async () => {
  const lines = decodeUtf8(await openSealedBytes(sealed, recovery)).split('\n');
  assert.deepEqual(lines, [
    `# {"v":1,"kind":"case-key.v1","case":"${words.lookupHash}","seq":0}`,
    `# ${words.recipient}`,
    key.identity,
    '',
  ]);
});

test('any text that is not a case key is refused', async () => {
  const header = `# {"v":1,"kind":"case-key.v1","case":"${words.lookupHash}","seq":0}`;
  const texts = {
    tampered: [
      '',
      key.identity,
      `${header}\n${key.identity}\n`,
      `${header}\n# ${words.recipient}\n${key.identity}\nmore\n`,
      `${header}\n# age1x\n${key.identity}\n`,
      `# {\n# ${words.recipient}\n${key.identity}\n`,
      '\ud800',
    ],
    unsupported: [`${header.replace('"v":1', '"v":2')}\n# ${words.recipient}\n${key.identity}\n`],
    identity_refused: [`${header}\n# ${words.recipient}\n${key.identity.slice(1)}\n`],
  };
  for (const [code, cases] of Object.entries(texts)) {
    for (const text of cases) {
      const wrong = await sealBytes(encodeUtf8(text), [words.recipient]);
      await assert.rejects(openCaseKey(wrong, words.identity, words.lookupHash), { code }, text);
    }
  }
});

test('the MAC key never changes: this MAC comes from the first version', () => {
  const identity = 'AGE-SECRET-KEY-PQ-1CMY058MXRP05DWE7D6MJE0D0QD3X47QGXKXXCYVJUJEZGGTJSYSQEJTZ22';
  assert.equal(
    hex.encode(createCaseMac({ identity }).update(encodeUtf8('x')).digest()),
    '261fe81c1542b76a043bb7cbdd6ff2996aaa8c0e051e2f0eae8f68e7afd5e4c6',
  );
});

test('a fingerprint is four groups of five digits of the SHA-256 of the recipient, and never changes', () => {
  assert.equal(computeKeyFingerprint('age1pq1x'), '24404 61788 05331 19940');
  const prints = Array.from({ length: 300 }, (_, index) => computeKeyFingerprint(`age1pq1${index}`));
  for (const print of prints) assert.match(print, /^\d{5}(?: \d{5}){3}$/);
  assert.equal(new Set(prints).size, prints.length);
});
