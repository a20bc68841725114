import assert from 'node:assert/strict';
import test from 'node:test';
import { sha256 } from '@noble/hashes/sha2.js';
import { base64urlnopad } from '@scure/base';
import fc from 'fast-check';
import { encodeUtf8, joinBytes } from '../core/bytes.ts';
import { type CaseActor, MAX_MESSAGES } from './message.ts';
import {
  buildThread,
  computeNextSeq,
  createThreadClaim,
  type ThreadEntry,
  type ThreadPart,
} from './thread.ts';

/** Writes the next message of a side that has read `seen` messages of the other side, or all of them. */
function writeMessage(parts: readonly ThreadPart[], by: CaseActor, seen?: number): ThreadPart[] {
  const seq = computeNextSeq(parts, by);
  const claim = createThreadClaim(parts, { by, seq }, seen);
  return [...parts, { by, seq, hash: sha256(encodeUtf8(`${by} ${seq} ${claim.thread}`)), claim }];
}

function writeConversation(...sides: readonly CaseActor[]): ThreadPart[] {
  return sides.reduce<ThreadPart[]>((parts, by) => writeMessage(parts, by), []);
}

function removeMessage(parts: readonly ThreadPart[], by: CaseActor, seq: number): ThreadPart[] {
  return parts.filter((part) => part.by !== by || part.seq !== seq);
}

function isThreadBroken(entries: readonly ThreadEntry<ThreadPart>[]): boolean {
  return entries.some((entry) => 'missing' in entry || entry.link === 'altered');
}

function describeThread(entries: readonly ThreadEntry<ThreadPart>[]): string[] {
  return entries.map((entry) =>
    'missing' in entry
      ? `${entry.by} ${entry.missing.first}-${entry.missing.last} missing`
      : `${entry.by} ${entry.seq} ${entry.link}`,
  );
}

function buildDescription(parts: readonly ThreadPart[]): string[] {
  return describeThread(buildThread(parts));
}

const reviewed = writeConversation('desk', 'buyer', 'desk', 'buyer', 'buyer');

test('a thread is the SHA-256 over the SHA-256s of the own messages, then of the other side', () => {
  const [desk0, buyer0, desk1] = reviewed;
  const hashes = [desk0, desk1, buyer0].map((part) => part?.hash ?? new Uint8Array());
  assert.deepEqual(createThreadClaim(reviewed.slice(0, 3), { by: 'desk', seq: 2 }), {
    seen: 1,
    thread: base64urlnopad.encode(sha256(joinBytes(...hashes))),
  });
  assert.equal(
    createThreadClaim([], { by: 'buyer', seq: 0 }).thread,
    base64urlnopad.encode(sha256(new Uint8Array())),
  );
});

test('a message removed from the middle leaves a gap in its place', () => {
  assert.ok(!isThreadBroken(buildThread(reviewed)));
  const entries = buildThread(removeMessage(reviewed, 'buyer', 1));
  assert.ok(isThreadBroken(entries));
  assert.deepEqual(describeThread(entries), [
    'desk 0 linked',
    'buyer 0 linked',
    'desk 1 linked',
    'buyer 1-1 missing',
    'buyer 2 after_gap',
  ]);
});

test('several missing messages of one side are one gap, and those of the other another', () => {
  const parts = writeConversation('buyer', 'buyer', 'buyer', 'desk', 'desk', 'buyer');
  const kept = parts.filter(({ by, seq }) => by === 'buyer' && seq !== 1 && seq !== 2);
  assert.deepEqual(buildDescription(kept), [
    'buyer 0 linked',
    'buyer 1-2 missing',
    'desk 0-1 missing',
    'buyer 3 after_gap',
  ]);
});

test('messages that crossed are no alarm, and stand in the order in which they were stored', () => {
  const parts = writeMessage(writeConversation('desk', 'buyer'), 'desk', 0);
  assert.deepEqual(buildDescription(parts), ['desk 0 linked', 'buyer 0 linked', 'desk 1 crossed']);
  assert.deepEqual(buildDescription(writeMessage(parts, 'buyer', 2)).at(-1), 'buyer 1 linked');
  assert.ok(!isThreadBroken(buildThread(parts)));
});

test('two messages with one number are both shown, and neither is to be relied on', () => {
  const [first, ...others] = reviewed;
  assert.ok(first);
  assert.deepEqual(buildDescription([first, { ...first }, ...others]).slice(0, 2), [
    'desk 0 altered',
    'desk 0 altered',
  ]);
});

test('messages without a claim are unlinked, but those after them vouch for them', () => {
  const old = writeConversation('desk', 'buyer').map((part) => ({ ...part, claim: 'unlinked' as const }));
  const mixed = writeMessage(writeMessage(old, 'desk'), 'buyer');
  assert.deepEqual(buildDescription(mixed), [
    'desk 0 unlinked',
    'buyer 0 unlinked',
    'desk 1 linked',
    'buyer 1 linked',
  ]);
  assert.ok(isThreadBroken(buildThread(removeMessage(mixed, 'buyer', 0))));
  const gap = removeMessage(writeConversation('desk', 'desk', 'desk'), 'desk', 1);
  const unlinkedGap = gap.map((part) => ({ ...part, claim: 'unlinked' as const }));
  assert.deepEqual(buildDescription(unlinkedGap)[1], 'desk 1-1 missing');
});

test('who writes in spite of a gap is linked to what was left, and the gap stays', () => {
  const after = writeMessage(removeMessage(reviewed, 'buyer', 1), 'desk');
  assert.deepEqual(buildDescription(after).slice(-3), [
    'buyer 1-1 missing',
    'buyer 2 after_gap',
    'desk 2 linked',
  ]);
  const restored = [...after, ...reviewed.filter(({ by, seq }) => by === 'buyer' && seq === 1)];
  assert.equal(buildDescription(restored).at(-1), 'desk 2 altered');
});

test('numbers that no service gives do not stop the reader', () => {
  const [first] = reviewed;
  assert.ok(first);
  for (const seq of [Number.MAX_SAFE_INTEGER, Number.NaN, -1, 0.5]) {
    const entries = buildThread([{ ...first, seq }]);
    assert.ok(entries.length <= 2, String(seq));
  }
  const entries = buildThread([
    { ...first, seq: 0, claim: { seen: MAX_MESSAGES, thread: '' } },
    { ...first, by: 'buyer', seq: 0, claim: { seen: MAX_MESSAGES, thread: '' } },
  ]);
  assert.ok(isThreadBroken(entries));
});

/** Each turn: who writes, and how many unread messages of the other side they read first. */
const conversation = fc
  .array(fc.record({ by: fc.constantFrom<CaseActor>('buyer', 'desk'), reads: fc.nat(3) }), { maxLength: 24 })
  .map((turns) => {
    const read = { buyer: 0, desk: 0 };
    return turns.reduce<ThreadPart[]>((parts, { by, reads }) => {
      read[by] = Math.min(read[by] + reads, computeNextSeq(parts, by === 'buyer' ? 'desk' : 'buyer'));
      return writeMessage(parts, by, read[by]);
    }, []);
  });

test('no conversation with any crossings is an alarm, in whatever order it is listed', () => {
  fc.assert(
    fc.property(
      conversation.chain((parts) =>
        fc.tuple(fc.constant(parts), fc.shuffledSubarray(parts, { minLength: parts.length })),
      ),
      ([parts, shuffled]) => {
        for (const listed of [parts, shuffled]) {
          const entries = buildThread(listed);
          assert.ok(!isThreadBroken(entries));
          for (const [index, entry] of entries.entries()) {
            assert.ok('link' in entry && ['linked', 'crossed'].includes(entry.link));
            const above = entries.slice(0, index).filter(({ by }) => by !== entry.by).length;
            assert.ok(
              typeof entry.claim !== 'string' && above >= entry.claim.seen,
              'what was read stands above',
            );
          }
        }
      },
    ),
  );
});

function isFollowed(parts: readonly ThreadPart[], { by, seq }: ThreadPart): boolean {
  return parts.some((later) =>
    later.by === by ? later.seq > seq : typeof later.claim !== 'string' && later.claim.seen > seq,
  );
}

test('any message that was answered or followed is missed if it is removed or replaced', () => {
  fc.assert(
    fc.property(conversation, fc.nat(), (parts, pick) => {
      const followed = parts.filter((part) => isFollowed(parts, part));
      const victim = followed[pick % followed.length];
      fc.pre(victim !== undefined);
      const removed = buildThread(parts.filter((part) => part !== victim));
      const gaps = removed.flatMap((entry) => ('missing' in entry ? [entry] : []));
      assert.deepEqual(gaps, [{ by: victim.by, missing: { first: victim.seq, last: victim.seq } }]);
      assert.ok(
        removed.every((entry) => 'missing' in entry || entry.link !== 'altered'),
        'a gap is no forgery',
      );
      const replaced = parts.map((part) => (part === victim ? { ...part, hash: sha256(part.hash) } : part));
      assert.ok(isThreadBroken(buildThread(replaced)));
    }),
  );
});
