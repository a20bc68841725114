/** The list of steps: what it says about each state, with only those times that are on record. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { ENGLISH } from '#language/languages.ts';
import { formatTimedText } from '#language/timed-text.ts';
import type { Case } from '#store/cases/cases.ts';
import { toCaseSteps } from './status-text.ts';

const HOUR = 3_600_000;
const submitted = Date.UTC(2026, 10, 15, 9, 5);
const due = submitted + 48 * HOUR;
const taken = submitted + 2 * HOUR;

function listSteps(record: Partial<Case>, now = submitted + 3 * HOUR): string[] {
  const stored = {
    tier: 'Trace',
    state: 'received',
    keep_days: 30,
    submitted_at: submitted,
    due_at: due,
    delivered_at: null,
    taken_at: null,
    purge_at: null,
    ...record,
  } as Case;
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
