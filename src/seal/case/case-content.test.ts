import assert from 'node:assert/strict';
import test from 'node:test';
import { generateCaseKey } from '../core/case-key.ts';
import { type SealedPlace, sealEnvelope } from '../core/envelope.ts';
import { SealError } from '../core/seal-error.ts';
import { deriveWordKeys, generateWords } from '../core/words.ts';
import {
  buildCaseContent,
  type OpenedObject,
  openCaseObjects,
  openWithinBounds,
  type SealedObject,
} from './case-content.ts';
import { validateCaseMessage } from './message.ts';
import { openPart } from './opened-part.ts';

const inquiry = {
  alias: 'Robin',
  question: 'Is this recruiter who she says she is?',
  subject: 'A recruiter',
  identifiers: ['+44 20 7946 0000'],
  background: '',
  jurisdiction: 'FR',
  safety_risk: 'none',
  subject_is_protected: 'no',
  contact: { mode: 'return_only', value: '', safe_times: '' },
  call_number: '',
  call_windows: [],
  lawful_purpose: true,
  payment_ref: 'order',
  files: [],
};
const finding = { markdown: 'She is.', files: [] };
const unknownBody = { version: 2, text: ['a', 'list'] };

const [key, otherKey] = await Promise.all(
  [generateWords(), generateWords()].map(async (words) => await generateCaseKey(await deriveWordKeys(words))),
);
assert.ok(key && otherKey);

function createMessage(text: string) {
  const checked = validateCaseMessage({ text });
  assert.ok('message' in checked);
  return checked.message;
}

/** Leaves out the links between messages, which have separate tests. */
async function openContent(...args: Parameters<typeof openCaseObjects<string>>) {
  const { thread, messages, ...content } = buildCaseContent(await openCaseObjects(...args));
  assert.deepEqual(thread, messages);
  return { ...content, messages: messages.map(({ by, seq, at, said }) => ({ by, seq, at, said })) };
}

async function sealObject(
  kind: SealedPlace['kind'],
  seq: number,
  body: unknown,
  sealedWith = key,
): Promise<SealedObject<string>> {
  assert.ok(sealedWith);
  const sealed = await sealEnvelope(sealedWith, { kind, seq }, body);
  return { kind, seq, at: `${kind} ${seq}`, readBytes: () => sealed };
}

const objects = await Promise.all([
  sealObject('inquiry.v1', 0, inquiry),
  sealObject('desk-message.v1', 0, createMessage('Which name?')),
  sealObject('buyer-message.v1', 0, createMessage('Robin.')),
  sealObject('finding.v1', 0, finding),
]);
const opened = {
  inquiry: { content: inquiry },
  messages: [
    { by: 'desk', seq: 0, at: 'desk-message.v1 0', said: { content: createMessage('Which name?') } },
    { by: 'buyer', seq: 0, at: 'buyer-message.v1 0', said: { content: createMessage('Robin.') } },
  ],
  finding: { content: finding },
  findingSeq: 0,
} as const;

function toUnreadable(code: ConstructorParameters<typeof SealError>[0]) {
  return { unreadable: new SealError(code).message, reason: code, said: { key: `problem.${code}` } };
}

test('everything is opened, messages in their order, but files are not read', async () => {
  const file = {
    kind: 'inquiry-file.v1',
    seq: 0,
    at: '',
    readBytes: () => assert.fail('a file was read'),
  } as const;
  assert.deepEqual(await openContent(key, [...objects, file]), opened);
});

test('a case without messages and without a finding has neither', async () => {
  const content = await openContent(key, objects.slice(0, 1));
  assert.deepEqual(content, { inquiry: opened.inquiry, messages: [], finding: null, findingSeq: 0 });
});

test('a damaged part is reported in its place and does not hide the others', async () => {
  const openWithDamageAt = async (damagedIndex: number) =>
    await openContent(
      key,
      objects.map((object, index) =>
        index === damagedIndex
          ? { ...object, readBytes: async () => flipLastBit(await object.readBytes()) }
          : object,
      ),
    );
  const unreadable = toUnreadable('tampered');
  const [desk, buyer] = opened.messages;
  assert.deepEqual(await openWithDamageAt(0), { ...opened, inquiry: unreadable });
  const [ofDesk, ofBuyer] = [await openWithDamageAt(1), await openWithDamageAt(2)];
  assert.deepEqual(ofDesk, { ...opened, messages: [{ ...desk, said: unreadable }, buyer] });
  assert.deepEqual(ofBuyer, { ...opened, messages: [desk, { ...buyer, said: unreadable }] });
  assert.deepEqual(await openWithDamageAt(3), { ...opened, finding: unreadable });
});

test('of an inquiry, a message and a finding in an unknown format only the length is told', async () => {
  const content = await openContent(
    key,
    await Promise.all(objects.map(async ({ kind, seq }) => await sealObject(kind, seq, unknownBody))),
  );
  const unknown = {
    unreadable: 'Not in the form that this service writes, so it is not shown (33 bytes).',
    reason: 'unknown_form',
    said: { key: 'problem.unknown_form', values: { size: '33 bytes' } },
  };
  assert.deepEqual(content, {
    inquiry: unknown,
    messages: opened.messages.map((message) => ({ ...message, said: unknown })),
    finding: unknown,
    findingSeq: 0,
  });
});

test('of a case with too much text the oldest messages are left out, and what is open is not opened again', async () => {
  const places = [
    { kind: 'inquiry.v1', seq: 0 },
    ...Array.from({ length: 100 }, (_none, seq) => ({ kind: 'buyer-message.v1', seq }) as const),
    { kind: 'finding.v1', seq: 0 },
  ] as const;
  const asked: number[] = [];
  const open = async (batch: readonly SealedPlace[], room: number) => {
    asked.push(batch.length);
    let left = room;
    return batch.map(({ kind, seq }): OpenedObject<number> => {
      const size = 60_000;
      const fits = size <= left;
      left = fits ? left - size : 0;
      const part = fits ? { content: createMessage('Yes.') } : leftOut;
      return { kind, seq, at: 0, hash: new Uint8Array(), size: fits ? size : 0, part };
    });
  };
  const first = await openWithinBounds<number, SealedPlace>(places, [], open);
  const count = first.filter(({ part }) => 'content' in part).length;
  assert.ok(count * 60_000 <= 2 * 1024 * 1024 && (count + 1) * 60_000 > 2 * 1024 * 1024, `${count}`);
  const { messages, inquiry: told, finding: answer } = buildCaseContent(first);
  assert.ok('content' in told && answer && 'content' in answer);
  const readable = messages.map(({ said }) => 'content' in said);
  assert.deepEqual(readable, [...Array(102 - count).fill(false), ...Array(count - 2).fill(true)]);
  assert.ok(Math.max(...asked) <= 16, 'a few at a time');

  asked.length = 0;
  const later = [...places, { kind: 'buyer-message.v1', seq: 100 }] as const;
  const second = await openWithinBounds<number, SealedPlace>(later, first, open);
  assert.equal(second.filter(({ part }) => 'content' in part).length, count);
  assert.ok('content' in second.at(-1)!.part, 'the newest is there');
  assert.equal(
    asked.reduce((sum, batch) => sum + batch),
    1 + 102 - count,
  );
});

const leftOut = {
  unreadable: 'Left out: this case has more text than is opened at once, the newest first.',
  reason: 'left_out',
  said: { key: 'problem.left_out' },
} as const;

test('beyond its room nothing is opened, and what is genuine about the rest stays known', async () => {
  const [told, asked, ...others] = await openCaseObjects(key, objects, 400);
  assert.ok(told && asked && 'content' in told.part);
  assert.deepEqual(
    [asked, ...others].map(({ part, hash }) => [part, hash.length]),
    [leftOut, leftOut, leftOut].map((part) => [part, 32]),
  );
});

test('whatever a body is, it is told as unknown, and one that makes a rule fail as well', async () => {
  const bytes = new Uint8Array(7);
  const fail = () => {
    throw new RangeError('too deep');
  };
  const part = await openPart(async () => ({ bytes, value: {} }), fail);
  assert.ok('reason' in part && part.reason === 'unknown_form' && /7 bytes/.test(part.unreadable));
  const broken = await openPart(
    async () => fail(),
    () => undefined,
  );
  assert.ok('reason' in broken && broken.reason === 'tampered');
});

test('the key of another case opens nothing, and an object sealed with it is reported', async () => {
  const wrong = toUnreadable('wrong_key');
  const content = await openContent(otherKey, objects);
  assert.deepEqual(
    [content.inquiry, ...content.messages.map(({ said }) => said), content.finding],
    [wrong, wrong, wrong, wrong],
  );
  const foreign = await sealObject('buyer-message.v1', 1, createMessage('Me too.'), otherKey);
  assert.deepEqual((await openContent(key, [...objects, foreign])).messages, [
    ...opened.messages,
    { by: 'buyer', seq: 1, at: 'buyer-message.v1 1', said: wrong },
  ]);
});

test('if the key cannot be opened, every part reports that error', async () => {
  const content = await openContent(Promise.reject(new SealError('forged')), objects);
  assert.deepEqual(content, {
    inquiry: toUnreadable('forged'),
    messages: opened.messages.map((message) => ({ ...message, said: toUnreadable('forged') })),
    finding: toUnreadable('forged'),
    findingSeq: 0,
  });
});

test('swapped objects are not shown in each other’s place', async () => {
  const [first, second, third, last] = objects;
  assert.ok(first && second && third && last);
  const content = await openContent(key, [
    first,
    { ...second, readBytes: third.readBytes },
    { ...third, readBytes: second.readBytes },
    last,
  ]);
  assert.deepEqual(content, {
    ...opened,
    messages: opened.messages.map((message) => ({ ...message, said: toUnreadable('swapped') })),
  });
});

test('a missing or truncated part is reported as truncated', async () => {
  assert.deepEqual((await openContent(key, objects.slice(1))).inquiry, toUnreadable('truncated'));
  const [first, ...others] = objects;
  assert.ok(first);
  const cut = { ...first, readBytes: async () => (await first.readBytes()).subarray(1) };
  assert.deepEqual((await openContent(key, [cut, ...others])).inquiry, toUnreadable('truncated'));
});

test('a failure to read the bytes is thrown, not reported as damage', async () => {
  const lost = {
    kind: 'inquiry.v1',
    seq: 0,
    at: '',
    readBytes: () => Promise.reject(new Error('lost')),
  } as const;
  await assert.rejects(openContent(key, [lost]), { message: 'lost' });
});

function flipLastBit(bytes: Uint8Array): Uint8Array {
  return bytes.map((byte, index) => (index === bytes.length - 1 ? byte ^ 1 : byte));
}
