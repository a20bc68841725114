/** Resealing one case: the same key and notes for other people, or the reason why it fails. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { deriveRecipient, generateAgeIdentity } from '../core/age.ts';
import { generateCaseKey, openCaseKey, sealCaseKey } from '../core/case-key.ts';
import { openCaseNote, sealCaseNote } from './note.ts';
import { hashSealedKey, isResealedCase, openKeyToReseal, resealOpenedCase } from './resealed-case.ts';

const lookupHash = 'l'.repeat(43);
const createPerson = async () => {
  const identity = await generateAgeIdentity();
  return { identity, recipient: await deriveRecipient(identity) };
};
const [leaving, staying, coming, recovery, words] = await Promise.all(
  Array.from({ length: 5 }, createPerson),
);
assert.ok(leaving && staying && coming && recovery && words);
const key = await generateCaseKey({ lookupHash, recipient: words.recipient });
const previous = { desk: [leaving.recipient, staying.recipient], recovery: recovery.recipient };
const holders = { desk: [staying.recipient, coming.recipient], recovery: recovery.recipient };
const caseKey = await sealCaseKey(key, previous);
const note = { text: 'Ask her bank.', by: 'b'.repeat(43) };
const notes = [{ seq: 0, sealed: await sealCaseNote(key, previous.desk, { seq: 0, note }) }];
const readNotes = async () => notes;

test('a new investigator opens the key and the notes, one who left neither, and the words still the key', async () => {
  const { identity } = staying;
  const opened = await openKeyToReseal({ caseKey, lookupHash }, identity);
  assert.ok(typeof opened === 'object');
  const resealed = await resealOpenedCase({ readNotes }, opened, { identity, holders });
  assert.ok(resealed);
  assert.equal(resealed.isWhole, true);
  for (const person of [staying, coming, recovery, words])
    assert.equal((await openCaseKey(resealed.caseKey, person.identity, lookupHash)).recipient, key.recipient);
  await assert.rejects(openCaseKey(resealed.caseKey, leaving.identity, lookupHash), { code: 'wrong_key' });
  assert.deepEqual(await openCaseNote(key, coming.identity, 0, resealed.notes[0]!.sealed), { content: note });
  assert.notEqual(hashSealedKey(resealed.caseKey), hashSealedKey(caseKey));
  assert.equal(isResealedCase(resealed, holders.desk), true);
  assert.equal(isResealedCase(resealed, [...holders.desk, leaving.recipient]), false);
  assert.equal(isResealedCase({ caseKey, notes: resealed.notes }, [staying.recipient]), false);
});

test('a key that does not open says why, and a note that does not leaves the case in part', async () => {
  assert.equal(await openKeyToReseal({ caseKey: null, lookupHash }, staying.identity), 'damaged');
  assert.equal(await openKeyToReseal({ caseKey, lookupHash }, coming.identity), 'other_key');
  const foreign = { caseKey, lookupHash: 'm'.repeat(43) };
  assert.equal(await openKeyToReseal(foreign, staying.identity), 'damaged', 'the key of another case');
  const { identity } = recovery;
  const part = await resealOpenedCase({ readNotes }, key, { identity, holders });
  assert.deepEqual([part?.isWhole, part?.notes], [false, []]);
  const lost = await resealOpenedCase({ readNotes: async () => [{ seq: 0, sealed: null }] }, key, {
    identity,
    holders,
  });
  assert.equal(lost?.isWhole, false);
  assert.equal(await resealOpenedCase({ readNotes: async () => null }, key, { identity, holders }), null);
});
