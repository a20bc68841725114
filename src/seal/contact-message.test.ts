import assert from 'node:assert/strict';
import test from 'node:test';
import { newIdentity, recipientOf, sealedSize } from './age.ts';
import { newCaseKey } from './case-key.ts';
import {
  type ContactMessage,
  openContactMessage,
  sealContactMessage,
  validateContactMessage,
} from './contact-message.ts';
import { sealEnvelope } from './envelope.ts';
import { newWords, wordKeys } from './words.ts';

const message: ContactMessage = {
  topic: 'question',
  message: 'Do you work in Peru?',
  reply_to: 'me@example.org',
};

test('a message needs a topic and ten characters, and an address to reply to may be left out', () => {
  assert.deepEqual(validateContactMessage(message), { message });
  assert.deepEqual(validateContactMessage({ topic: 'press', message: '0123456789' }), {
    message: { topic: 'press', message: '0123456789', reply_to: '' },
  });
});

test('a wrong message is answered field by field', () => {
  const pointersOf = (value: unknown) => {
    const result = validateContactMessage(value);
    return 'errors' in result ? result.errors.map(({ pointer }) => pointer) : [];
  };
  assert.deepEqual(pointersOf({}), ['/topic', '/message']);
  assert.deepEqual(pointersOf(null), ['']);
  assert.deepEqual(pointersOf([]), ['']);
  assert.deepEqual(pointersOf({ ...message, topic: 'other' }), ['/topic']);
  assert.deepEqual(pointersOf({ ...message, message: 'too short' }), ['/message']);
  assert.deepEqual(pointersOf({ ...message, message: 'x'.repeat(4001) }), ['/message']);
  assert.deepEqual(pointersOf({ ...message, reply_to: 'x'.repeat(255) }), ['/reply_to']);
  assert.deepEqual(pointersOf({ ...message, name: 'x' }), ['/name']);
});

test('every investigator opens a sealed message, and its length tells only its class', async () => {
  const [first, second] = await Promise.all([newIdentity(), newIdentity()]);
  const desk = await Promise.all([first, second].map(recipientOf));
  const sealed = await sealContactMessage(message, desk);
  assert.equal(sealed.length, sealedSize(4096, 2));
  for (const identity of [first, second])
    assert.deepEqual(await openContactMessage(sealed, identity), message);
  await assert.rejects(openContactMessage(sealed, await newIdentity()), { code: 'wrong_key' });
  await assert.rejects(sealContactMessage(message, []), { code: 'recipient_refused' });
});

test('a thing of a case does not pass for a contact message', async () => {
  const key = await newCaseKey(await wordKeys(newWords()));
  const sealed = await sealEnvelope(key, { kind: 'contact.v1', seq: 0 }, message);
  await assert.rejects(openContactMessage(sealed, key.identity), { code: 'swapped' });
});
