import assert from 'node:assert/strict';
import test from 'node:test';
import { computeSealedSize, deriveRecipient, generateAgeIdentity } from '../core/age.ts';
import { generateCaseKey } from '../core/case-key.ts';
import { sealEnvelope } from '../core/envelope.ts';
import { deriveWordKeys, generateWords } from '../core/words.ts';
import {
  type ContactMessage,
  openContactMessage,
  sealContactMessage,
  validateContactMessage,
} from './contact-message.ts';

const message: ContactMessage = {
  topic: 'question',
  message: 'Do you work in Peru?',
  reply_to: 'me@example.org',
};

test('a message needs a topic and ten characters; the reply address is optional', () => {
  assert.deepEqual(validateContactMessage(message), { message });
  assert.deepEqual(validateContactMessage({ topic: 'press', message: '0123456789' }), {
    message: { topic: 'press', message: '0123456789', reply_to: '' },
  });
});

test('an invalid message is reported field by field', () => {
  const listErrorPointers = (value: unknown) => {
    const result = validateContactMessage(value);
    return 'errors' in result ? result.errors.map(({ pointer }) => pointer) : [];
  };
  assert.deepEqual(listErrorPointers({}), ['/topic', '/message']);
  assert.deepEqual(listErrorPointers(null), ['']);
  assert.deepEqual(listErrorPointers([]), ['']);
  assert.deepEqual(listErrorPointers({ ...message, topic: 'other' }), ['/topic']);
  assert.deepEqual(listErrorPointers({ ...message, message: 'too short' }), ['/message']);
  assert.deepEqual(listErrorPointers({ ...message, message: 'x'.repeat(4001) }), ['/message']);
  assert.deepEqual(listErrorPointers({ ...message, reply_to: 'x'.repeat(255) }), ['/reply_to']);
  assert.deepEqual(listErrorPointers({ ...message, name: 'x' }), ['/name']);
});

test('every investigator can open a sealed message, and its length reveals only its size class', async () => {
  const [first, second] = await Promise.all([generateAgeIdentity(), generateAgeIdentity()]);
  const desk = await Promise.all([first, second].map(deriveRecipient));
  const sealed = await sealContactMessage(message, desk);
  assert.equal(sealed.length, computeSealedSize(4096, 2));
  for (const identity of [first, second])
    assert.deepEqual(await openContactMessage(sealed, identity), message);
  await assert.rejects(openContactMessage(sealed, await generateAgeIdentity()), { code: 'wrong_key' });
  await assert.rejects(sealContactMessage(message, []), { code: 'recipient_refused' });
});

test('an envelope of a case is not accepted as a contact message', async () => {
  const key = await generateCaseKey(await deriveWordKeys(generateWords()));
  const sealed = await sealEnvelope(key, { kind: 'contact.v1', seq: 0 }, message);
  await assert.rejects(openContactMessage(sealed, key.identity), { code: 'swapped' });
});
