/** What the case page says about the due time, hour by hour. */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { Case } from '#store/cases.ts';
import { formatUtcTime, toCaseStatus } from './status-text.ts';

const HOUR = 3_600_000;
const due = Date.UTC(2026, 10, 17, 9, 5);

const received: Case = {
  id: 'case',
  lookup_hash: 'hash',
  owner: null,
  words_tag: 'words',
  tier: 'Dossier',
  state: 'received',
  call: 'none',
  sealed_by: 'browser',
  keep_days: 30,
  terms_version: '2026-11',
  key_box: new Uint8Array(),
  submitted_at: due - 48 * HOUR,
  due_at: due,
  delivered_at: null,
  released_at: null,
  shortened_from: null,
  held_state: null,
  finding_seq: 0,
  purge_at: null,
  purging: 0,
  shred_slot: null,
  shred_id: null,
  sealed_to: null,
  unanswered_since: null,
};
const formatClockAt = (left: number) => toCaseStatus(received, due - left).clock;

test('a time is formatted with its day and marked as UTC', () => {
  assert.equal(formatUtcTime(due), 'Tuesday 17 November, 09:05 UTC');
  assert.equal(formatUtcTime(Date.UTC(2027, 0, 1)), 'Friday 1 January, 00:00 UTC');
});

test('hours are counted down, and the last one is not counted in minutes', () => {
  const day = 'Due Tuesday 17 November, 09:05 UTC, ';
  assert.equal(formatClockAt(48 * HOUR), `${day}in 48 hours`);
  assert.equal(formatClockAt(48 * HOUR - 1), `${day}in 48 hours`);
  assert.equal(formatClockAt(1.4 * HOUR), `${day}in 1 hour`);
  assert.equal(formatClockAt(HOUR), `${day}in 1 hour`);
  assert.equal(formatClockAt(0.4 * HOUR), `${day}in less than an hour`);
  assert.equal(formatClockAt(0), `${day}in less than an hour`);
});

test('an answer that is late is called late', () => {
  assert.match(formatClockAt(-1) ?? '', /, less than an hour late$/);
  assert.match(formatClockAt(-HOUR) ?? '', /, 1 hour late$/);
  assert.match(formatClockAt(-30 * HOUR) ?? '', /, 30 hours late$/);
});

test('the clock shows the due time of an open case and the purge time of an ended one', () => {
  const purgeAt = Date.UTC(2026, 11, 17, 9, 5);
  const states = {
    received: /^Due /,
    in_progress: /^Due /,
    awaiting_client: /^Due /,
    delivered: /^Erased on Thursday 17 December 2026, 09:05 UTC, in 30 days$/,
    declined: /^Erased on /,
    withdrawn: /^Erased on /,
  } as const;
  for (const [state, says] of Object.entries(states) as [keyof typeof states, RegExp][]) {
    const { title, sentences, clock } = toCaseStatus({ ...received, state, purge_at: purgeAt }, due);
    assert.match(clock, says);
    assert.ok(title !== '' && sentences.every((sentence) => sentence.endsWith('.')), state);
  }
});

test('the call is mentioned until it has taken place, and the purge when it is near', () => {
  const joinSentences = (changes: Partial<Case>, now = due) =>
    toCaseStatus({ ...received, ...changes }, now).sentences.join(' ');
  assert.match(joinSentences({ call: 'offered' }), /choose when it suits you/);
  assert.match(joinSentences({ call: 'booked' }), /We have your times/);
  assert.doesNotMatch(joinSentences({ call: 'held' }), /call/);
  const delivered = { state: 'delivered', purge_at: due + 30 * 24 * HOUR } as const;
  assert.doesNotMatch(joinSentences(delivered), /longer/);
  assert.match(joinSentences(delivered, due + 24 * 24 * HOUR), /ask us to keep it/);
  assert.doesNotMatch(joinSentences(delivered, due + 31 * 24 * HOUR), /longer/);
  assert.equal(toCaseStatus({ ...received, ...delivered }, due + 31 * 24 * HOUR).clock, 'Being erased now');
});
