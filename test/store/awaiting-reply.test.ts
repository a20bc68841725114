/** Each case stores since when a buyer's message has been awaiting a reply, also after an answer is taken back. */
import assert from 'node:assert/strict';
import test, { after, suite } from 'node:test';
import { generateId } from '#platform/text/ids.ts';
import type { SealedKind } from '#seal/core/header.ts';
import { countCasesAwaitingReply, findOldestAwaitingReply } from '#store/cases/awaiting-reply.ts';
import { discardCaseObjects } from '#store/cases/object-deletion.ts';
import { addToCase } from '#store/cases/objects.ts';
import { seedCase } from '#test/cases/seeded-case.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { listEngines, openTestStore } from './engines.ts';

const cleanUp = withReverseCleanup({ after });

for (const engine of await listEngines(cleanUp))
  suite(`cases awaiting reply on ${engine.name}`, () => {
    test('a message waits until it is answered, and again when the answer is taken back', async (t) => {
      const store = await openTestStore(t, await engine.createDatabase(cleanUp));
      const { records } = store;
      const { record } = await seedCase(store, { state: 'in_progress', submitted_at: 1 });
      await seedCase(store, { state: 'in_progress', submitted_at: 1 });
      let seq = 1;
      const add = async (kind: SealedKind, now: number) => {
        seq += 1;
        const bytes = Buffer.from('sealed');
        await addToCase(records, { id: generateId(), kind, seq, bytes, now }, { record, now });
        return await findOldestAwaitingReply(records, ['received', 'in_progress']);
      };
      assert.equal(await add('desk-message.v1', 10), null);
      assert.equal(await add('buyer-message.v1', 20), 20);
      assert.equal(await add('buyer-message.v1', 30), 20);
      assert.equal(await countCasesAwaitingReply(records, ['in_progress']), 1);
      assert.equal(await countCasesAwaitingReply(records, ['received']), 0);
      assert.equal(await add('desk-message.v1', 40), null);
      assert.equal(await add('buyer-message.v1', 50), 50);
      assert.equal(await add('finding.v1', 60), null);
      await discardCaseObjects(records, record.id, ['finding.v1', 'finding-file.v1']);
      assert.equal(await findOldestAwaitingReply(records, ['in_progress']), 50);
    });
  });
