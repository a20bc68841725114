/** Long work yields to the event loop, however many of its steps follow each other. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { giveWay, repeatInTurns } from './turns.ts';

test('steps that take long are each followed by a turn, and short ones are not', async (t) => {
  replaceTime(t);
  const turns = countTurns();
  for (let step = 0; step < 5; step += 1) {
    time.ms += 10;
    await giveWay();
  }
  const long = turns.stop();
  assert.ok(long >= 4, `${long} turns`);
  const few = countTurns();
  for (let step = 0; step < 1_000; step += 1) await giveWay();
  assert.ok(few.stop() <= 1);
});

test('two works share the time of one turn', async (t) => {
  replaceTime(t);
  let stepsInTurn = 0;
  let most = 0;
  const runSteps = () => {
    let left = 20;
    return repeatInTurns(async () => {
      time.ms += 4;
      stepsInTurn += 1;
      most = Math.max(most, stepsInTurn);
      left -= 1;
      return left > 0;
    });
  };
  const turns = countTurns(() => (stepsInTurn = 0));
  await Promise.all([runSteps(), runSteps()]);
  turns.stop();
  assert.ok(most <= 6, `${most} steps of 4 ms in one turn`);
});

/** Never goes back, because the turn of the previous test may not be over. */
const time = { ms: 0 };

function replaceTime(t: test.TestContext): void {
  time.ms = Math.max(time.ms, performance.now());
  t.mock.method(performance, 'now', () => time.ms);
}

function countTurns(onTurn = () => {}): { stop: () => number } {
  let count = 0;
  let running = true;
  const countTurn = () => {
    count += 1;
    onTurn();
    if (running) setImmediate(countTurn);
  };
  setImmediate(countTurn);
  return {
    stop: () => {
      running = false;
      return count;
    },
  };
}
