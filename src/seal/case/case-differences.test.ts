import assert from 'node:assert/strict';
import test from 'node:test';
import { generateCaseKey } from '../core/case-key.ts';
import { openEnvelope, sealEnvelope } from '../core/envelope.ts';
import { deriveWordKeys, generateWords } from '../core/words.ts';
import { buildCaseContent, openCaseObjects, type SealedObject } from './case-content.ts';
import { computeTakenBack, listCaseDifferences } from './case-differences.ts';
import { type DeskMessageAct, messageKinds, validateCaseMessage } from './message.ts';
import { formatCaseMessage } from './message-text.ts';
import { sealCaseMessage, sealDeskMessage } from './sealed-message.ts';

const key = await generateCaseKey(await deriveWordKeys(generateWords()));

interface Turn {
  /** Null for a message of the buyer; `old` for one of the desk that was sealed before the field existed. */
  readonly act: DeskMessageAct | 'old' | null;
  readonly days?: number;
  readonly takenBack?: number;
  readonly isReleased?: boolean;
}

async function sealConversation(turns: readonly Turn[]): Promise<SealedObject<string>[]> {
  const objects: SealedObject<string>[] = [];
  for (const { act, days, takenBack = 0, isReleased = false } of turns) {
    const content = await openAll(objects);
    const by = act === null ? 'buyer' : 'desk';
    const checked = validateCaseMessage({ text: 'Hello.' });
    assert.ok('message' in checked);
    const { message } = checked;
    const { seq, sealed } =
      act === null || act === 'old'
        ? await sealCaseMessage(key, content.messages, { by, message })
        : await sealDeskMessage(key, content, {
            message,
            act,
            ...(days === undefined ? {} : { keepDays: days }),
            seen: 0,
            findingSeq: takenBack,
            isReleased,
          });
    objects.push({ kind: messageKinds[by], seq, at: '', readBytes: () => sealed });
  }
  return objects;
}

async function sealFindingObject(seq: number): Promise<SealedObject<string>> {
  const sealed = await sealEnvelope(key, { kind: 'finding.v1', seq }, { markdown: 'Yes.' });
  return { kind: 'finding.v1', seq, at: '', readBytes: () => sealed };
}

async function openAll(objects: readonly SealedObject<string>[]) {
  return buildCaseContent(await openCaseObjects(key, objects));
}

async function listCodes(turns: readonly Turn[], state: string, days = 30): Promise<string[]> {
  const content = await openAll(await sealConversation(turns));
  return listCaseDifferences(content, { state, keep_days: days }).map(({ code }) => code);
}

test('a state that the desk has not sealed is a difference', async () => {
  assert.deepEqual(await listCodes([{ act: 'message' }], 'declined'), ['declined']);
  assert.deepEqual(await listCodes([], 'declined'), ['declined']);
  assert.deepEqual(await listCodes([{ act: 'decline' }], 'in_progress'), ['not_declined']);
  assert.deepEqual(await listCodes([{ act: 'decline' }, { act: 'message' }], 'delivered'), ['not_declined']);
  assert.deepEqual(await listCodes([{ act: 'message' }], 'awaiting_client'), ['asked']);
  assert.deepEqual(await listCodes([{ act: 'ask' }, { act: null }], 'awaiting_client'), ['asked']);
});

test('a state that the desk has sealed, or may go on from, is none', async () => {
  assert.deepEqual(await listCodes([{ act: 'decline' }], 'declined'), []);
  assert.deepEqual(await listCodes([{ act: 'decline' }, { act: null }, { act: 'message' }], 'declined'), []);
  assert.deepEqual(await listCodes([{ act: 'ask' }, { act: 'message' }], 'awaiting_client'), []);
  for (const state of ['in_progress', 'delivered', 'withdrawn'])
    assert.deepEqual(await listCodes([{ act: 'ask' }], state), [], state);
});

test('messages that were sealed without their meaning stay readable and contradict nothing', async () => {
  for (const state of ['declined', 'awaiting_client', 'in_progress'])
    assert.deepEqual(await listCodes([{ act: 'old' }], state), [], state);
  const content = await openAll(await sealConversation([{ act: 'old' }]));
  assert.ok(content.messages.every(({ said }) => 'content' in said && said.content.act === null));
});

test('other days than the desk has set last are a difference', async () => {
  const turns = [{ act: 'retain', days: 365 }, { act: 'retain', days: 90 }, { act: 'message' }] as const;
  assert.deepEqual(await listCodes(turns, 'in_progress', 30), ['kept']);
  assert.deepEqual(await listCodes(turns, 'in_progress', 90), []);
});

test('a finding that was taken back cannot be shown, nor its successor withheld, once the desk has written', async () => {
  const [zero, one] = [await sealFindingObject(0), await sealFindingObject(1)];
  const listShown = async (turns: readonly Turn[], ...findings: SealedObject<string>[]) => {
    const content = await openAll([...(await sealConversation(turns)), ...findings]);
    return listCaseDifferences(content, { state: 'delivered', keep_days: 30 }).map(({ code }) => code);
  };
  const written = [{ act: 'message', takenBack: 1 }] as const;
  assert.deepEqual(await listShown(written, zero), ['taken_back']);
  assert.deepEqual(await listShown(written, one), []);
  assert.deepEqual(await listShown(written), [], 'the next one may not be delivered yet');
  const released = [{ act: 'message', takenBack: 1, isReleased: true }] as const;
  assert.deepEqual(await listShown(released), ['finding_missing']);
  assert.deepEqual(await listShown(released, zero), ['taken_back']);
  assert.deepEqual(await listShown(released, zero, one), []);
});

test('the number of the next finding is never lower than the desk has sealed', async () => {
  const content = await openAll(await sealConversation([{ act: 'message', takenBack: 2 }]));
  assert.equal(computeTakenBack(content, 0), 2);
  assert.equal(computeTakenBack(content, 3), 3);
  const [{ readBytes, kind, seq }] = (
    await sealConversation([
      { act: 'message', takenBack: 2 },
      { act: 'message', takenBack: 0 },
    ])
  ).slice(1) as [SealedObject<string>];
  const body = (await openEnvelope(key, { kind, seq }, await readBytes())) as Record<string, unknown>;
  assert.deepEqual(body['findings'], { valid: 0, taken_back: 2 });
});

test('only the desk can seal what a message means', () => {
  for (const field of [{ act: 'ask' }, { keep_days: 30 }, { findings: { valid: 0, taken_back: 0 } }]) {
    assert.ok('errors' in validateCaseMessage({ text: 'Hello.', ...field }, { by: 'buyer' }));
    assert.ok('message' in validateCaseMessage({ text: 'Hello.', ...field }, { by: 'desk' }));
  }
});

test('a message is read with what it means', () => {
  const read = (fields: object) => {
    const checked = validateCaseMessage({ text: 'Hello.', ...fields }, { by: 'desk' });
    assert.ok('message' in checked);
    return formatCaseMessage(checked.message);
  };
  assert.deepEqual(read({ act: 'message' }), ['Hello.']);
  assert.deepEqual(read({ act: 'ask' }), ['Hello.', '\n\n', { key: 'meant.ask' }]);
  assert.deepEqual(read({ act: 'retain', keep_days: 90 }), [
    'Hello.',
    '\n\n',
    { key: 'meant.retain', values: { days: 90 } },
  ]);
});

test('a message of the buyer has none of these fields, so that an older desk can read it', async () => {
  const [{ kind, seq, readBytes }] = (await sealConversation([{ act: null }])) as [SealedObject<string>];
  const body = (await openEnvelope(key, { kind, seq }, await readBytes())) as object;
  assert.ok(['act', 'keep_days', 'findings', 'call'].every((name) => !(name in body)));
});
