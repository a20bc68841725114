/** Orders and cases take turns, with a sweep of silence between them. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#platform/durations.ts';
import { computeEventPause, isEventTurn, listEventTurns } from './webhook-sender.ts';

test('an event of an order and one of a case are never less than a sweep apart', () => {
  const turns = Array.from({ length: 1_000 }, (_, index) => ({
    at: index * SECOND_MS,
    kinds: listEventTurns(index * SECOND_MS, MINUTE_MS),
  }));
  const listTimes = (kind: 'order' | 'case') =>
    turns.filter(({ kinds }) => kinds.includes(kind)).map(({ at }) => at);
  const [orders, cases] = [listTimes('order'), listTimes('case')];
  assert.ok(orders.length > 200 && cases.length > 200);
  const gaps = orders.map((order) => Math.min(...cases.map((at) => Math.abs(at - order))));
  assert.ok(Math.min(...gaps) > MINUTE_MS);
});

test('a test has no turn to wait for', () => {
  for (let at = 0; at < HOUR_MS; at += SECOND_MS) assert.ok(isEventTurn('test', at, MINUTE_MS));
});

test('the pause doubles with each failure, up to an hour', () => {
  assert.deepEqual([1, 2, 3, 30].map(computeEventPause), [
    5 * SECOND_MS,
    10 * SECOND_MS,
    20 * SECOND_MS,
    HOUR_MS,
  ]);
});
