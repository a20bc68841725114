import assert from 'node:assert/strict';
import test from 'node:test';
import { generateAgeIdentity } from './age.ts';
import { computeKeyFingerprint, generateCaseKey } from './case-key.ts';
import {
  computePinListMac,
  computePinTags,
  createDeskTagger,
  createKeyPin,
  deriveDeskTag,
  findOtherPin,
  formatPinFingerprint,
  isPinOfCase,
} from './key-pin.ts';
import { deriveWordKeys, generateWords } from './words.ts';

const desk = 'AGE-SECRET-KEY-PQ-1CMY058MXRP05DWE7D6MJE0D0QD3X47QGXKXXCYVJUJEZGGTJSYSQEJTZ22';
const other = await generateAgeIdentity();
const key = await generateCaseKey(await deriveWordKeys(generateWords()));
const pin = createKeyPin('A'.repeat(22), key);

test('a pin speaks of a case by its id or its words, and of one key', () => {
  const tag = createDeskTagger(desk);
  const tagged = computePinTags(tag, pin);
  const swapped = computePinTags(tag, { ...pin, recipient_hash: 'B'.repeat(43) });
  const renamed = computePinTags(tag, { ...pin, case: 'B'.repeat(22) });
  const foreign = computePinTags(tag, { ...pin, lookup_hash: 'C'.repeat(43) });
  for (const changed of [swapped, renamed, foreign]) {
    assert.ok(isPinOfCase(tagged, changed));
    assert.equal(findOtherPin([tagged], changed), tagged);
  }
  assert.ok(!isPinOfCase(renamed, foreign));
  assert.equal(findOtherPin([tagged, { ...renamed, words: 'x' }], computePinTags(tag, pin)), undefined);
});

test('a tag needs the desk key, and differs by kind and by value', () => {
  const [tag, others] = [createDeskTagger(desk), createDeskTagger(other)];
  const tags = [tag('case', 'a'), tag('seen', 'a'), tag('draft', 'a'), tag('case', 'b'), others('case', 'a')];
  assert.equal(new Set(tags).size, tags.length);
  assert.equal(tag('case', 'a'), createDeskTagger(desk)('case', 'a'));
});

test('the fingerprint of a pin is that of the case key', () => {
  assert.equal(formatPinFingerprint(pin), computeKeyFingerprint(key.recipient));
});

test('the keys never change: these values come from the first version that had them', () => {
  assert.equal(createDeskTagger(desk)('case', 'x'), 'vFgUgZmmzckV-AjoBEdBUg46mlZyy_hQHCF-jDEqn8Q');
  assert.equal(deriveDeskTag(desk), 'WAqyU-nurVl3uCMc3880mA');
  assert.equal(computePinListMac(desk, 'x'), 'kNCj4nMmBfbUGvPcfZLKQojoM3QezI2iMYPsYd0UsHE');
});
