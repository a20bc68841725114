/** The caps on what strangers may store: one process never exceeds them, and counting reads no growing table. */
import assert from 'node:assert/strict';
import test, { after, suite } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '#platform/errors.ts';
import { generateId } from '#platform/text/ids.ts';
import { insertContactMessage } from '#store/cases/contact-messages.ts';
import { storageCaps } from '#store/limits/storage-caps.ts';
import { createStorageGate, measureStorageUse } from '#store/limits/storage-gate.ts';
import { insertOrder } from '#store/orders/orders.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { openPostgresEngine, openTestStore, silentLog, sqliteUnderTest } from './engines.ts';
import { createSampleOrder } from './sample-order.ts';

const cleanUp = withReverseCleanup({ after });
const engines = [sqliteUnderTest, await openPostgresEngine(cleanUp)];

function createEmptyGate() {
  const use = { number: 0, bytes: 0 };
  const counts = { measured: 0 };
  const measureNow = async () => {
    counts.measured += 1;
    return { ...use };
  };
  const gate = createStorageGate({ measure: measureNow, disk: null, log: silentLog });
  const admitOne = (bytes: number, hold: Promise<unknown> = Promise.resolve()) =>
    gate.admit(
      { kind: 'contact_messages', bytes, refusal: () => new ServiceError('contact_full') },
      async () => {
        await hold;
        use.number += 1;
        use.bytes += bytes;
      },
    );
  return { gate, use, counts, admitOne };
}

test('requests at one moment do not exceed the cap together, and are not counted in the database', async () => {
  const { use, counts, admitOne } = createEmptyGate();
  const most = storageCaps.contact_messages.number;
  const results = await Promise.allSettled(Array.from({ length: most + 500 }, () => admitOne(100)));
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, most);
  assert.equal(use.number, most);
  assert.equal(counts.measured, 1);
});

test('the cap on bytes closes a kind before its cap on number', async () => {
  const { use, admitOne } = createEmptyGate();
  const bytes = 1024 ** 2;
  const most = Math.floor(storageCaps.contact_messages.bytes / (bytes + 1024));
  await Promise.allSettled(Array.from({ length: most + 50 }, () => admitOne(bytes)));
  assert.equal(use.number, most);
});

test('a refresh under steady requests counts each kind once', async () => {
  let measured = 0;
  const gate = createStorageGate({
    measure: async () => {
      measured += 1;
      assert.ok(measured < 10, 'it does not end');
      // A request during a count.
      if (measured > 1) await gate.hasRoom(demand);
      return { number: 0, bytes: 0 };
    },
    disk: null,
    log: silentLog,
  });
  const demand = {
    kind: 'contact_messages',
    bytes: 1,
    refusal: () => new ServiceError('contact_full'),
  } as const;
  await gate.hasRoom(demand);
  await gate.refresh();
  assert.equal(measured, 2);
  await gate.refresh();
  assert.equal(measured, 3, 'what was asked for meanwhile');
});

test('a kind that was emptied opens again, and a failed write keeps no room', async () => {
  const { gate, use, admitOne } = createEmptyGate();
  use.number = storageCaps.contact_messages.number;
  await assert.rejects(admitOne(1), { code: 'contact_full' });
  assert.equal(await gate.hasRoom({ kind: 'contact_messages', bytes: 1 }), false);
  use.number -= 1;
  await gate.refresh();
  assert.equal(await gate.hasRoom({ kind: 'contact_messages', bytes: 1 }), true);
  await assert.rejects(admitOne(1, Promise.reject(new Error('no'))), /no/);
  await gate.refresh();
  await admitOne(1);
  await assert.rejects(admitOne(1), { code: 'contact_full' });
});

test('what gave way makes room even if a count was under way meanwhile', async () => {
  const use = { number: storageCaps.contact_messages.number, bytes: 0 };
  const measureSlowly = async () => {
    const counted = { ...use };
    await sleep(5);
    return counted;
  };
  const gate = createStorageGate({ measure: measureSlowly, disk: null, log: silentLog });
  const makeRoom = async () => {
    void gate.refresh();
    use.number -= 1;
    return 1;
  };
  const request = { kind: 'contact_messages', bytes: 1, makeRoom } as const;
  const full = new ServiceError('contact_full');
  assert.equal(await gate.admit({ ...request, refusal: () => full }, async () => 'stored'), 'stored');
});

test('what is still being stored counts too when the others are counted again', async () => {
  const { gate, use, admitOne } = createEmptyGate();
  use.number = storageCaps.contact_messages.number - 1;
  const begun = Promise.withResolvers<void>();
  const stored = Promise.withResolvers<void>();
  const request = {
    kind: 'contact_messages',
    bytes: 1,
    refusal: () => new ServiceError('contact_full'),
  } as const;
  const slow = gate.admit(request, async () => {
    begun.resolve();
    await stored.promise;
  });
  await begun.promise;
  await gate.refresh();
  await assert.rejects(admitOne(1), { code: 'contact_full' });
  stored.resolve();
  await slow;
});

test('a caller that finds the freed room taken by another frees more', async () => {
  const use = { number: storageCaps.contact_messages.number, bytes: 0 };
  const gate = createStorageGate({ measure: async () => ({ ...use }), disk: null, log: silentLog });
  let freed = 0;
  const makeRoom = async () => {
    freed += 1;
    // Another process immediately takes the first freed place.
    if (freed > 1) use.number -= 1;
    return 1;
  };
  const refuse = () => new ServiceError('contact_full');
  const request = { kind: 'contact_messages', bytes: 1, makeRoom, refusal: refuse } as const;
  assert.equal(await gate.admit(request, async () => 'stored'), 'stored');
  assert.equal(freed, 2);
});

for (const engine of engines)
  suite(`counting on ${engine.name}`, () => {
    test('number and bytes are those of the rows', async (t) => {
      const { records } = await openTestStore(t, await engine.createDatabase(cleanUp));
      for (const payment of ['pending', 'expired', 'failed', 'paid', 'refunded'] as const)
        await insertOrder(records, createSampleOrder({ payment }));
      assert.deepEqual(await measureStorageUse(records, 'unpaid_orders'), { number: 3, bytes: 3 * 1024 });
      const row = { sealed_by: 'browser', received_at: 1, purge_at: 2 } as const;
      for (const size of [1_000, 9_000])
        await insertContactMessage(records, { ...row, id: generateId(), sealed: new Uint8Array(size) });
      assert.deepEqual(await measureStorageUse(records, 'contact_messages'), {
        number: 2,
        bytes: 10_000 + 2 * (4096 + 1024),
      });
      for (const kind of ['registrations', 'sign_ins', 'sign_in_codes'] as const)
        assert.deepEqual(await measureStorageUse(records, kind), { number: 0, bytes: 0 });
    });
  });
