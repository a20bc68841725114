import assert from 'node:assert/strict';
import test from 'node:test';
import { DAY_MS, MINUTE_MS } from '#platform/durations.ts';
import type { Case } from '#store/cases/cases.ts';
import type { StoredObject } from '#store/cases/objects.ts';
import { isAnswerOnHold, listBuyerObjects } from './buyer-view.ts';

const now = Date.UTC(2026, 11, 1);
const record = { state: 'in_progress', state_on_hold: null, delivered_at: null, released_at: null } as Case;

/** The numbers of the desk's messages that the buyer is shown, if they have these times. */
function listShown(...times: readonly number[]): number[] {
  const stored = times.map(
    (keptAt, seq): StoredObject => ({ id: `${seq}`, kind: 'desk-message.v1', seq, size: 1, keptAt }),
  );
  const oldestFirst = stored.toSorted((a, b) => a.keptAt - b.keptAt);
  const shown = listBuyerObjects(record, oldestFirst, now).map(({ seq }) => seq);
  return shown.toSorted((a, b) => a - b);
}

test('a decline that came after its case was read is not shown before its time', () => {
  assert.deepEqual(listShown(now - DAY_MS, now + MINUTE_MS), [0]);
});

test('a clock that went back by days hides no message that was read before', () => {
  assert.deepEqual(listShown(now - DAY_MS, now + 31 * DAY_MS), [0, 1]);
});

test('a clock that went back by days puts no answer on hold that was read before', () => {
  const answered = { ...record, state: 'declined', state_on_hold: 'in_progress' } as const;
  assert.equal(isAnswerOnHold({ ...answered, released_at: now + MINUTE_MS }, now), true);
  assert.equal(isAnswerOnHold({ ...answered, released_at: now + 31 * DAY_MS }, now), false);
});

test('a message that was written while the clock was ahead is not taken for the last one', () => {
  assert.deepEqual(listShown(now + MINUTE_MS, now - MINUTE_MS), [0, 1]);
});
