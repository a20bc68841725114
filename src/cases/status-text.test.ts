/** What the case page says about the due time, hour by hour. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { ENGLISH } from '#language/languages.ts';
import { formatTimedText, toShownTime } from '#language/timed-text.ts';
import type { Case } from '#store/cases/cases.ts';
import { createCaseRow } from '#test/cases/seeded-case.ts';
import { toCaseStatus } from './status-text.ts';

const HOUR = 3_600_000;
const due = Date.UTC(2026, 10, 17, 9, 5);

const received = createCaseRow({
  tier: 'Dossier',
  state: 'received',
  submitted_at: due - 48 * HOUR,
  due_at: due,
  delivered_at: null,
  purge_at: null,
});
const formatClockAt = (left: number) => formatTimedText(toCaseStatus(received, due - left, ENGLISH).clock);

test('a time is formatted with its day and marked as UTC', () => {
  assert.deepEqual(toShownTime(ENGLISH, due), {
    datetime: '2026-11-17T09:05:00.000Z',
    text: 'Tuesday 17 November, 09:05 UTC',
  });
  assert.equal(toShownTime(ENGLISH, Date.UTC(2027, 0, 1)).text, 'Friday 1 January, 00:00 UTC');
});

test('hours are counted down, and the last one is not counted in minutes', () => {
  const day = 'Our answer is due Tuesday 17 November, 09:05 UTC, ';
  assert.equal(formatClockAt(48 * HOUR), `${day}in 48 hours`);
  assert.equal(formatClockAt(48 * HOUR - 1), `${day}in 48 hours`);
  assert.equal(formatClockAt(1.4 * HOUR), `${day}in 1 hour`);
  assert.equal(formatClockAt(HOUR), `${day}in 1 hour`);
  assert.equal(formatClockAt(0.4 * HOUR), `${day}in less than an hour`);
  assert.equal(formatClockAt(0), `${day}in less than an hour`);
});

test('an answer that is late is called late, and the buyer is told so warmly', () => {
  const readSentences = (state: Case['state']) =>
    toCaseStatus({ ...received, state }, due + HOUR, ENGLISH).sentences.join(' ');
  assert.match(readSentences('received'), /longer than we promised, and we are sorry/);
  assert.match(
    readSentences('awaiting_client'),
    /Please answer it below\. Our answer is late, and we are sorry/,
  );
  assert.match(formatClockAt(-1) ?? '', /^Our answer was due .*, and is less than an hour late$/);
  assert.match(formatClockAt(-HOUR) ?? '', /, and is 1 hour late$/);
  assert.match(formatClockAt(-30 * HOUR) ?? '', /, and is 30 hours late$/);
});

test('an open case says when it is due, and an ended one when it is deleted', () => {
  const purgeAt = Date.UTC(2026, 11, 17, 9, 5);
  const states = {
    received: /^Our answer is due /,
    in_progress: /^Our answer is due /,
    awaiting_client: /^Our answer is due /,
    delivered: /^We will delete this case on Thursday, 17 December 2026, 09:05 UTC, 30 days from now\.$/,
    declined: /^We will delete this case on /,
    withdrawn: /^We will delete this case on /,
  } as const;
  for (const [state, says] of Object.entries(states) as [keyof typeof states, RegExp][]) {
    const isOpen = says.source === '^Our answer is due ';
    const ended = { ...received, state, purge_at: isOpen ? null : purgeAt };
    const { title, sentences, clock, deletion } = toCaseStatus(ended, due, ENGLISH);
    assert.match(formatTimedText(isOpen ? clock : deletion), says);
    if (isOpen) assert.deepEqual(deletion, ['We will delete this case 30 days after our answer.']);
    else assert.deepEqual(clock, []);
    assert.ok(title !== '' && sentences.every((sentence) => sentence.endsWith('.')), state);
  }
});

test('the call is mentioned until it has taken place, and the purge when it is near', () => {
  const joinSentences = (changes: Partial<Case>, now = due) =>
    toCaseStatus({ ...received, ...changes }, now, ENGLISH).sentences.join(' ');
  assert.match(joinSentences({ call: 'offered' }), /tell us below, under “Your call”, when would suit you/);
  assert.match(joinSentences({ call: 'proposed' }), /We have your times/);
  assert.match(joinSentences({ call: 'booked' }), /Your call is booked/);
  assert.doesNotMatch(joinSentences({ call: 'held' }), /call/);
  const delivered = { state: 'delivered', purge_at: due + 30 * 24 * HOUR } as const;
  assert.doesNotMatch(joinSentences(delivered), /longer/);
  assert.match(joinSentences(delivered, due + 24 * 24 * HOUR), /need it longer/);
  const longest = joinSentences({ ...delivered, keep_days: 365 }, due + 24 * 24 * HOUR);
  assert.match(longest, /delete this case soon/);
  assert.doesNotMatch(longest, /later day/);
  assert.doesNotMatch(joinSentences(delivered, due + 31 * 24 * HOUR), /longer/);
  assert.deepEqual(toCaseStatus({ ...received, ...delivered }, due + 31 * 24 * HOUR, ENGLISH).deletion, [
    'Nobody can open this case any more. The last of it is being deleted right now.',
  ]);
});
