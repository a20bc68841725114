/** E-mails in the outbox are counted, listed, retried and dropped, on both engines and after an upgrade. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { DAY_MS } from '#platform/durations.ts';
import {
  claimOutboxEntries,
  countOutbox,
  discardOutboxEntry,
  dropOutboxEntry,
  enqueueOutboxEntry,
  listFailedOutboxIds,
  listOutboxEntries,
  retryOutboxEntry,
} from '#store/outbox.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { listEngines, openTestStore } from './engines.ts';

const cleanUp = withReverseCleanup({ after });
const DAY = 20_000 * DAY_MS;

for (const engine of await listEngines(cleanUp)) {
  test(`what waits and what was given up is counted, and both can be retried or dropped, on ${engine.name}`, async (t) => {
    const { records } = await openTestStore(t, await engine.createDatabase(cleanUp));
    assert.deepEqual(await countOutbox(records, DAY), { waiting: 0, oldestSince: null, dead: 0 });
    for (const [dedupe, dueAt] of [
      ['x', DAY + 5],
      ['y', DAY + 6],
      ['later', DAY + DAY_MS],
    ] as const)
      await enqueueOutboxEntry(records, { topic: 'sample', dedupe, payload: null, dueAt });
    const now = DAY + 1_000;
    const [x] = await claimOutboxEntries(records, {
      topics: ['sample'],
      worker: 'w',
      now,
      leaseMs: 10,
      limit: 1,
    });
    assert.equal(await retryOutboxEntry(records, x!.id, now), false);
    assert.equal(await dropOutboxEntry(records, x!.id, now), false);
    await discardOutboxEntry(records, { id: x!.id, worker: 'w', reason: 'No.', now });
    assert.deepEqual(await countOutbox(records, now), { waiting: 1, oldestSince: DAY + 6, dead: 1 });
    assert.deepEqual(await listFailedOutboxIds(records), [x!.id]);
    const [first, ...others] = await listOutboxEntries(records, { limit: 10 });
    assert.deepEqual(
      [first?.id, first?.waits_since, first?.due_at, first?.reason, others.length],
      [x!.id, DAY, DAY, 'No.', 2],
    );
    assert.equal(await retryOutboxEntry(records, x!.id, now), true);
    assert.deepEqual(await countOutbox(records, now), { waiting: 2, oldestSince: DAY + 6, dead: 0 });
    assert.equal(await dropOutboxEntry(records, x!.id, now), true);
    assert.equal(await dropOutboxEntry(records, x!.id, now), false);
  });
}
