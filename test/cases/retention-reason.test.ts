/** The desk can change a retention only with a message that explains it, and that the buyer has days to read. */
import assert from 'node:assert/strict';
import test, { after, suite } from 'node:test';
import { deliverSealedFinding, toDeliveryUploader } from '#cases/delivery.ts';
import type { KeepDays } from '#cases/ending/retention.ts';
import { countMessages } from '#cases/messages/messages.ts';
import { requireCase } from '#cases/states.ts';
import { DAY_MS } from '#platform/durations.ts';
import { sealEnvelope } from '#seal/core/envelope.ts';
import { listCaseObjects } from '#store/cases/objects.ts';
import { type AgentCase, openAgentCase, openApiTestbed } from '#test/api/api-testbed.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { listEngineVariables } from '#test/store/engines.ts';
import { addSealedMessage } from './sealed-message.ts';

const cleanUp = withReverseCleanup({ after });
const engines = await listEngineVariables(cleanUp);

let offset = 0;
const clock = { now: () => Date.now() + offset };
// Started before the first test: awaiting between two suites would let the first one end, and with it the service.
const testbeds = await Array.fromAsync(Object.entries(engines), async ([engine, env]) => ({
  engine,
  testbed: await openApiTestbed(cleanUp, { env, clock }),
}));

for (const { engine, testbed } of testbeds) {
  const { services, store } = testbed;

  const updateDays = async ({ id, form }: AgentCase, seq: number, days: KeepDays) => {
    const message = { by: 'desk', seq, retain: days } as const;
    return await addSealedMessage(services, { id, key: form.key }, message);
  };
  const readFacts = async ({ id }: AgentCase) => {
    const { keep_days: days, shortened_from: previous } = await requireCase(store.records, id, clock.now());
    return [days, previous, countMessages(await listCaseObjects(store.records, id)).desk];
  };

  suite(`retention by the desk on ${engine}`, () => {
    test('changes the days and sends the reason together, or neither', async () => {
      const sent = await openAgentCase(testbed, await testbed.createAgent());
      await updateDays(sent, 0, 90);
      assert.deepEqual(await readFacts(sent), [90, null, 1]);
      await updateDays(sent, 1, 30);
      assert.deepEqual(await readFacts(sent), [30, 90, 2]);
      await assert.rejects(updateDays(sent, 1, 365), { code: 'case_changed' });
      assert.deepEqual(await readFacts(sent), [30, 90, 2], 'no change without the message');
    });

    test('leaves the buyer seven days to read the reason', async () => {
      const sent = await openAgentCase(testbed, await testbed.createAgent());
      await updateDays(sent, 0, 90);
      const finding = await sealEnvelope(sent.form.key, { kind: 'finding.v1', seq: 0 }, { markdown: 'x' });
      const uploader = toDeliveryUploader(sent.id);
      await deliverSealedFinding(services, sent.id, { finding, files: [], uploader });
      offset = 24 * DAY_MS;
      await assert.rejects(updateDays(sent, 1, 30), {
        code: 'case_state',
        publicMessage: /less than 7 days/,
      });
      assert.deepEqual(await readFacts(sent), [90, null, 1], 'no message without the change');
      offset = 22 * DAY_MS;
      await updateDays(sent, 1, 30);
      assert.deepEqual(await readFacts(sent), [30, 90, 2]);
      offset = 0;
    });
  });
}
