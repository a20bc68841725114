import assert from 'node:assert/strict';
import test from 'node:test';
import { deriveRecipient, generateAgeIdentity } from './age.ts';
import { computeKeyFingerprint, generateCaseKey } from './case-key.ts';
import {
  computePinListMac,
  createKeyPin,
  deriveDeskTag,
  formatPinFingerprint,
  hasSamePinnedKey,
  isGenuinePin,
  isPinOfCase,
} from './key-pin.ts';
import { deriveWordKeys, generateWords } from './words.ts';

const desk = 'AGE-SECRET-KEY-PQ-1CMY058MXRP05DWE7D6MJE0D0QD3X47QGXKXXCYVJUJEZGGTJSYSQEJTZ22';
const other = await generateAgeIdentity();
const key = await generateCaseKey(await deriveWordKeys(generateWords()));
const pin = createKeyPin(desk, 'A'.repeat(22), key);

test('a pin is genuine only for the desk key that made it, and only unchanged', () => {
  assert.ok(isGenuinePin(desk, pin));
  assert.ok(!isGenuinePin(other, pin));
  for (const name of ['case', 'lookup_hash', 'recipient_hash', 'mac'] as const)
    assert.ok(!isGenuinePin(desk, { ...pin, [name]: `B${pin[name].slice(1)}x` }), name);
  assert.ok(!isGenuinePin(desk, { ...pin, mac: '' }));
});

test('a pin speaks of a case by its id or its words, and of one key', async () => {
  const swapped = createKeyPin(desk, pin.case, { ...key, recipient: await deriveRecipient(other) });
  const renamed = createKeyPin(desk, 'B'.repeat(22), key);
  const foreign = createKeyPin(desk, pin.case, { ...key, case: 'C'.repeat(43) });
  for (const changed of [swapped, renamed, foreign]) {
    assert.ok(isPinOfCase(pin, changed));
    assert.ok(!hasSamePinnedKey(pin, changed));
  }
  assert.ok(!isPinOfCase(renamed, foreign));
  assert.ok(hasSamePinnedKey(pin, createKeyPin(other, pin.case, key)));
});

test('the fingerprint of a pin is that of the case key', () => {
  assert.equal(formatPinFingerprint(pin), computeKeyFingerprint(key.recipient));
});

test('the keys never change: these values come from the first version', () => {
  assert.equal(deriveDeskTag(desk), 'WAqyU-nurVl3uCMc3880mA');
  assert.equal(computePinListMac(desk, 'x'), 'kNCj4nMmBfbUGvPcfZLKQojoM3QezI2iMYPsYd0UsHE');
  assert.equal(
    createKeyPin(desk, 'A'.repeat(22), { ...key, case: 'C'.repeat(43), recipient: 'age1pq1x' }).mac,
    'Q5PKSfDr9ifUx-rUI1HbpR59PoIcp1IPd5bF_sizWI8',
  );
});
