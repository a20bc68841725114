import assert from 'node:assert/strict';
import test from 'node:test';
import { generateCaseKey } from '../core/case-key.ts';
import { sealEnvelope } from '../core/envelope.ts';
import { deriveWordKeys, generateWords } from '../core/words.ts';
import { buildCaseContent, openCaseObjects, type SealedObject } from './case-content.ts';
import { type CaseActor, messageKinds, validateCaseMessage } from './message.ts';
import { sealCaseMessage } from './sealed-message.ts';

const key = await generateCaseKey(await deriveWordKeys(generateWords()));

function createMessage(text: string) {
  const checked = validateCaseMessage({ text });
  assert.ok('message' in checked);
  return checked.message;
}

function toObject(by: CaseActor, seq: number, sealed: Uint8Array): SealedObject<string> {
  return { kind: messageKinds[by], seq, at: '', readBytes: () => sealed };
}

/** Each side has read everything that was written before. */
async function writeInTurn(
  earlier: readonly SealedObject<string>[],
  ...turns: readonly (readonly [by: CaseActor, text: string])[]
): Promise<SealedObject<string>[]> {
  const objects = [...earlier];
  for (const [by, text] of turns) {
    const { messages } = buildCaseContent(await openCaseObjects(key, objects));
    const { seq, sealed } = await sealCaseMessage(key, messages, { by, message: createMessage(text) });
    objects.push(toObject(by, seq, sealed));
  }
  return objects;
}

async function describeContent(objects: readonly SealedObject<string>[]): Promise<string[]> {
  const { thread } = buildCaseContent(await openCaseObjects(key, objects));
  return thread.map((entry) =>
    'missing' in entry
      ? `${entry.by} ${entry.missing.first} missing`
      : `${entry.link}: ${'content' in entry.said ? entry.said.content.text : entry.said.reason}`,
  );
}

const conversation = await writeInTurn(
  [],
  ['desk', 'Do you know him?'],
  ['buyer', 'No.'],
  ['desk', 'May we contact the subject directly?'],
  ['buyer', 'NEVER contact him.'],
  ['buyer', 'Yes, whatever you think is best about the format.'],
);

test('messages are sealed with their place in the conversation, and linked when they are opened', async () => {
  assert.deepEqual(await describeContent(conversation), [
    'linked: Do you know him?',
    'linked: No.',
    'linked: May we contact the subject directly?',
    'linked: NEVER contact him.',
    'linked: Yes, whatever you think is best about the format.',
  ]);
});

test('a damaged message is reported, and those that follow do not vouch for it', async () => {
  const damaged = conversation.map((object, index) =>
    index === 1 ? { ...object, readBytes: () => new Uint8Array(3) } : object,
  );
  assert.deepEqual((await describeContent(damaged)).slice(1, 3), [
    'unreadable: truncated',
    'altered: May we contact the subject directly?',
  ]);
});

test('messages of the first version, and of programs that do not link, stay readable and can be followed', async () => {
  const first = await sealEnvelope(
    key,
    { kind: messageKinds.desk, seq: 0 },
    { text: 'Hello.', call_windows: [] },
  );
  const mixed = await writeInTurn([toObject('desk', 0, first)], ['buyer', 'Good day.']);
  assert.deepEqual(await describeContent(mixed), ['unlinked: Hello.', 'linked: Good day.']);
});

test('one of the two fields alone links nothing, and a claim of the wrong kind is shown as it is', async () => {
  const describeBody = async (body: object) => {
    const sealed = await sealEnvelope(key, { kind: messageKinds.buyer, seq: 0 }, { text: 'Hi.', ...body });
    return await describeContent([toObject('buyer', 0, sealed)]);
  };
  assert.deepEqual(await describeBody({ seen: 0 }), ['unlinked: Hi.']);
  assert.deepEqual(await describeBody({ thread: '' }), ['unlinked: Hi.']);
  assert.deepEqual(await describeBody({ seen: 0, thread: 'x' }), ['altered: Hi.']);
  for (const seen of [-1, 1.5, 201, '1', 1e300])
    assert.deepEqual(await describeBody({ seen, thread: 'x' }), ['unreadable: unknown_form']);
  assert.deepEqual(await describeBody({ seen: 0, thread: 'x'.repeat(44) }), ['unreadable: unknown_form']);
});

test('two messages of one side at once: the one that is sealed again for the next number links to the other', async () => {
  const { messages } = buildCaseContent(await openCaseObjects(key, conversation));
  const sealNext = async (text: string, read: typeof messages) =>
    await sealCaseMessage(key, read, { by: 'buyer', message: createMessage(text) });
  const [one, refused] = await Promise.all([sealNext('One.', messages), sealNext('Two.', messages)]);
  assert.equal(one.seq, refused.seq);
  const stored = [...conversation, toObject('buyer', one.seq, one.sealed)];
  const again = await sealNext('Two.', buildCaseContent(await openCaseObjects(key, stored)).messages);
  assert.deepEqual(
    (await describeContent([...stored, toObject('buyer', again.seq, again.sealed)])).slice(-2),
    ['linked: One.', 'linked: Two.'],
  );
});
