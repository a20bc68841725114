import assert from 'node:assert/strict';
import test from 'node:test';
import { deriveRecipient, generateAgeIdentity, openSealedBytes, sealBytes } from '../core/age.ts';
import { generateCaseKey, openCaseKey, sealCaseKey } from '../core/case-key.ts';
import { openEnvelope, sealEnvelope } from '../core/envelope.ts';
import { computeInvestigatorId } from '../core/investigator-id.ts';
import { deriveWordKeys, generateWords } from '../core/words.ts';
import {
  isSealedNote,
  listNotesWithGaps,
  NOTE_KIND,
  openCaseNote,
  resealCaseNote,
  sealCaseNote,
  validateCaseNote,
} from './note.ts';

const [ada, zoe, ruth, recovery] = await Promise.all([
  generateAgeIdentity(),
  generateAgeIdentity(),
  generateAgeIdentity(),
  generateAgeIdentity(),
]);
const desk = [await deriveRecipient(ada), await deriveRecipient(zoe)];
const words = await deriveWordKeys(generateWords());
const key = await generateCaseKey(words);
const note = { text: 'She is not who she says. CANARY-NOTE', by: computeInvestigatorId(desk[0]!) };
const sealed = await sealCaseNote(key, desk, { seq: 0, note });

async function findFault(...args: Parameters<typeof openCaseNote>): Promise<string | null> {
  const opened = await openCaseNote(...args);
  return 'reason' in opened ? opened.reason : null;
}

test('every investigator opens a note, and neither the buyer with the words and the case key nor the recovery key', async () => {
  for (const identity of [ada, zoe])
    assert.deepEqual(await openCaseNote(key, identity, 0, sealed), { content: note });
  const caseKey = await sealCaseKey(key, { desk, recovery: await deriveRecipient(recovery) });
  const buyer = await openCaseKey(caseKey, words.identity, words.lookupHash);
  for (const identity of [words.identity, buyer.identity, recovery, ruth]) {
    await assert.rejects(openSealedBytes(sealed, identity), { code: 'wrong_key' });
    assert.equal(await findFault(buyer, identity, 0, sealed), 'wrong_key');
  }
  await assert.rejects(openEnvelope(buyer, { kind: NOTE_KIND, seq: 0 }, sealed));
});

test('without the case key, which a purge destroys, a desk key opens nothing of a note', async () => {
  const inner = await openSealedBytes(sealed, ada);
  for (const identity of [ada, zoe])
    await assert.rejects(openSealedBytes(inner, identity), { code: 'wrong_key' });
  assert.ok(!Buffer.from(inner).includes('CANARY'));
});

test('a note of the service, of another case or of another number is told', async () => {
  const other = await generateCaseKey(await deriveWordKeys(generateWords()));
  assert.equal(await findFault(key, ada, 1, sealed), 'swapped');
  const foreign = await sealCaseNote(other, desk, { seq: 0, note });
  assert.equal(await findFault(key, ada, 0, foreign), 'wrong_key');
  // The service knows every recipient, but has no key for the MAC.
  const forged = await sealEnvelope(
    { ...other, case: key.case, recipient: key.recipient },
    { kind: NOTE_KIND, seq: 0 },
    note,
  );
  assert.equal(await findFault(key, ada, 0, await sealBytes(forged, desk)), 'forged');
  const plain = await sealBytes(Buffer.from(JSON.stringify(note)), desk);
  assert.equal(await findFault(key, ada, 0, plain), 'truncated');
  const message = await sealEnvelope(key, { kind: 'desk-message.v1', seq: 0 }, note);
  assert.equal(await findFault(key, ada, 0, await sealBytes(message, desk)), 'swapped');
  const odd = await sealEnvelope(key, { kind: NOTE_KIND, seq: 0 }, { text: 'x', by: 'me', more: 1 });
  assert.equal(await findFault(key, ada, 0, await sealBytes(odd, desk)), 'unknown_form');
});

test('a note is taken only for as many keys as the desk has, around an envelope', async () => {
  assert.ok(isSealedNote(sealed, desk));
  assert.ok(isSealedNote(sealed, [...desk, desk[0]!]), 'a key that is listed twice is one key');
  const envelope = await sealEnvelope(key, { kind: NOTE_KIND, seq: 0 }, note);
  for (const recipients of [[...desk, key.recipient], [...desk, words.recipient], desk.slice(1)])
    assert.ok(!isSealedNote(await sealBytes(envelope, recipients), desk));
  assert.ok(!isSealedNote(envelope, desk));
  assert.ok(!isSealedNote(envelope, desk.slice(1)));
  assert.ok(!isSealedNote(await sealBytes(Buffer.from('a short one'), desk), desk));
  for (const bytes of [new Uint8Array(), sealed.subarray(1), new Uint8Array(sealed.length)])
    assert.ok(!isSealedNote(bytes, desk));
});

test('a note sealed again opens for those who came, not for those who went, and is the same inside', async () => {
  const today = [desk[1]!, await deriveRecipient(ruth)];
  const again = await resealCaseNote(sealed, ada, today);
  assert.ok(isSealedNote(again, today));
  for (const identity of [zoe, ruth])
    assert.deepEqual(await openCaseNote(key, identity, 0, again), { content: note });
  assert.equal(await findFault(key, ada, 0, again), 'wrong_key');
  assert.deepEqual(await openSealedBytes(again, ruth), await openSealedBytes(sealed, ada));
  await assert.rejects(resealCaseNote(sealed, recovery, today), { code: 'wrong_key' });
});

test('a note has a text of 1 to 4000 characters and names its author', () => {
  assert.deepEqual(validateCaseNote(note), { note });
  for (const refused of [
    null,
    'text',
    {},
    { ...note, text: ' \n' },
    { ...note, text: 'x'.repeat(4001) },
    { ...note, text: '\ud800' },
    { ...note, by: 'Ada' },
    { text: 'x' },
    { ...note, files: [] },
  ])
    assert.ok('errors' in validateCaseNote(refused), JSON.stringify(refused));
});

test('missing notes are shown in their place', () => {
  const list = (...seqs: number[]) => listNotesWithGaps(seqs.map((seq) => ({ seq })));
  assert.deepEqual(list(), []);
  assert.deepEqual(list(1, 0), [{ seq: 0 }, { seq: 1 }]);
  assert.deepEqual(list(4, 1), [
    { missing: { first: 0, last: 0 } },
    { seq: 1 },
    { missing: { first: 2, last: 3 } },
    { seq: 4 },
  ]);
});
