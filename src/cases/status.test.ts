/** What a case page says of the clock, hour by hour. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { statusOf, timeText } from './status.ts';

const HOUR = 3_600_000;
const due = Date.UTC(2026, 10, 17, 9, 5);
const clockAt = (left: number) => statusOf({ state: 'received', due_at: due }, due - left).clock;

test('a time is told with its day, in UTC, and says so', () => {
  assert.equal(timeText(due), 'Tuesday 17 November, 09:05 UTC');
  assert.equal(timeText(Date.UTC(2027, 0, 1)), 'Friday 1 January, 00:00 UTC');
});

test('hours are counted down, and the last one is not counted in minutes', () => {
  const day = 'Due Tuesday 17 November, 09:05 UTC, ';
  assert.equal(clockAt(48 * HOUR), `${day}in 48 hours`);
  assert.equal(clockAt(48 * HOUR - 1), `${day}in 48 hours`);
  assert.equal(clockAt(1.4 * HOUR), `${day}in 1 hour`);
  assert.equal(clockAt(HOUR), `${day}in 1 hour`);
  assert.equal(clockAt(0.4 * HOUR), `${day}in less than an hour`);
  assert.equal(clockAt(0), `${day}in less than an hour`);
});

test('an answer that is late is called late', () => {
  assert.match(clockAt(-1) ?? '', /, less than an hour late$/);
  assert.match(clockAt(-HOUR) ?? '', /, 1 hour late$/);
  assert.match(clockAt(-30 * HOUR) ?? '', /, 30 hours late$/);
});

test('the clock runs while something is due, and stops when nothing is', () => {
  const states = {
    received: true,
    in_progress: true,
    awaiting_client: true,
    delivered: false,
    declined: false,
    withdrawn: false,
    purged: false,
  } as const;
  for (const [state, runs] of Object.entries(states) as [keyof typeof states, boolean][]) {
    const { title, sentence, clock } = statusOf({ state, due_at: due }, due);
    assert.equal(clock !== null, runs, state);
    assert.ok(title !== '' && sentence.endsWith('.'), state);
  }
});
