/** What the case page says about the due time, hour by hour, and about the steps that a case has taken. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { ENGLISH } from '#language/languages.ts';
import { formatTimedText, toShownTime } from '#language/timed-text.ts';
import type { Case } from '#store/cases/cases.ts';
import { createCaseRow } from '#test/cases/seeded-case.ts';
import { toCaseStatus, toCaseSteps } from './status-text.ts';

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

const submitted = received.submitted_at;
const taken = submitted + 2 * HOUR;

function listSteps(record: Partial<Case>, now = submitted + 3 * HOUR): string[] {
  const stored = { ...received, tier: 'Trace', ...record };
  return toCaseSteps(stored, now, ENGLISH).map(
    ({ stage, label, when }) => `${stage}: ${label}, ${formatTimedText(when)}`,
  );
}

const RECEIVED = 'done: We received it, Sunday 15 November, 09:05 UTC';
const ANSWER = 'ahead: You’ll get our answer, by Tuesday 17 November, 09:05 UTC';
const DELETED = 'ahead: We’ll delete everything, 30 days after our answer';
const OPENED = 'done: An investigator opened it, Sunday 15 November, 11:05 UTC';

test('an open case shows what is done, what is going on, and when the answer is due', () => {
  assert.deepEqual(listSteps({}), [RECEIVED, 'current: An investigator will open it, ', ANSWER, DELETED]);
  assert.deepEqual(listSteps({ state: 'in_progress', taken_at: taken }), [
    RECEIVED,
    'current: An investigator is working on it, since Sunday 15 November, 11:05 UTC',
    ANSWER,
    DELETED,
  ]);
  assert.deepEqual(listSteps({ state: 'awaiting_client', taken_at: taken }), [
    RECEIVED,
    OPENED,
    'current: We are waiting for your reply, ',
    ANSWER,
    DELETED,
  ]);
});

test('a case from before that time was recorded has the step without it', () => {
  assert.equal(listSteps({ state: 'in_progress' })[1], 'current: An investigator is working on it, ');
});

test('an answer that is late was due, and no other day is promised', () => {
  assert.equal(
    listSteps({ state: 'in_progress' }, due + HOUR)[2],
    'ahead: You’ll get our answer, was due Tuesday 17 November, 09:05 UTC',
  );
});

test('a case that has ended shows how, and the day on which it is deleted', () => {
  const ends = { purge_at: Date.UTC(2026, 11, 16, 10), taken_at: taken };
  const deleted = 'ahead: We’ll delete everything, Wednesday, 16 December 2026, 10:00 UTC';
  const delivered = { state: 'delivered', delivered_at: Date.UTC(2026, 10, 16, 10), ...ends } as const;
  assert.deepEqual(listSteps(delivered), [
    RECEIVED,
    OPENED,
    'current: You have our answer, Monday 16 November, 10:00 UTC',
    deleted,
  ]);
  assert.deepEqual(listSteps({ state: 'declined', ...ends }), [
    RECEIVED,
    OPENED,
    'current: We couldn’t take this case, ',
    deleted,
  ]);
  assert.deepEqual(listSteps({ state: 'withdrawn', ...ends, taken_at: null }), [
    RECEIVED,
    'current: You withdrew this case, ',
    deleted,
  ]);
});
