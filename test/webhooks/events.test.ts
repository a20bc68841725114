/** Each event reaches the webhook of its client with the id alone; orders and cases are reported at different times. */
import assert from 'node:assert/strict';
import test, { after, beforeEach, suite } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { enqueueDueCaseEvents } from '#cases/case-events.ts';
import { takeBackAnswer } from '#cases/delivery.ts';
import { createPurger } from '#cases/ending/purge.ts';
import { updateKeepDaysById, withdrawCase } from '#cases/states.ts';
import { enqueueOrderEvent } from '#payments/order-events.ts';
import { DAY_MS, HOUR_MS } from '#platform/durations.ts';
import { acceptClock } from '#store/clock-guard.ts';
import { type ApiAgent, openAgentCase, type PaidCheckout } from '#test/api/api-testbed.ts';
import { createAgentForAddress } from '#test/api/people.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { listEngineVariables } from '#test/store/engines.ts';
import { readCheckoutSessionId } from '#test/test-shop.ts';
import { startEventReceiver } from './receiver.ts';
import { openWebhookTestbed } from './webhook-testbed.ts';

const cleanUp = withReverseCleanup({ after });
const engines = await listEngineVariables(cleanUp);

for (const [engine, env] of Object.entries(engines)) {
  const testbed = await openWebhookTestbed(cleanUp, { env });
  const { services, store, tell } = testbed;
  const receiver = await startEventReceiver(cleanUp);
  const purge = createPurger(services, services.log).run;

  /** The events that the receiver got about an order or a case. */
  const listTold = (id: string) =>
    receiver.received
      .map(({ body }) => JSON.parse(body) as { type: string; data: { id: string } })
      .filter(({ data }) => data.id === id)
      .map(({ type }) => type);
  const openAgent = async () => {
    const agent = await testbed.createAgent();
    return { agent, secret: await testbed.setWebhook(agent, receiver.url) };
  };
  /** A case whose client has a webhook. */
  const openCase = async () => await openAgentCase(testbed, (await openAgent()).agent);
  const tellOf = async (id: string) => {
    await tell('case');
    return listTold(id);
  };
  /** A checkout that is not paid yet. */
  const startCheckout = async ({ authorization }: ApiAgent): Promise<PaidCheckout> => {
    const sessionId = readCheckoutSessionId(await testbed.postCheckout('Trace', { authorization }));
    return { sessionId, orderId: (await testbed.findOrder(sessionId))?.id ?? '' };
  };
  const countLinks = async () => ({
    cases: (await store.records.selectFrom('case_webhooks').select('case_id').execute()).length,
    orders: (await store.records.selectFrom('order_webhooks').select('order_id').execute()).length,
  });

  suite(`events on ${engine}`, () => {
    beforeEach(testbed.resetClock);

    test('a paid order, a message, a question, a finding and both ends of a case are told, each once', async () => {
      const { agent, secret } = await openAgent();
      const opened = await openAgentCase(testbed, agent);
      await tell('order');
      assert.deepEqual(listTold(opened.orderId), ['order.paid']);
      await testbed.write(opened, { seq: 0 });
      assert.deepEqual(await tellOf(opened.id), ['case.message']);
      await testbed.ask(opened, 1);
      assert.deepEqual((await tellOf(opened.id)).slice(1), ['case.question']);
      await testbed.deliver(opened);
      await tell('case');
      assert.deepEqual((await tellOf(opened.id)).slice(1), ['case.question', 'case.delivered']);
      testbed.moveClock(23 * DAY_MS);
      assert.deepEqual((await tellOf(opened.id)).slice(3), ['case.purge_soon']);
      testbed.moveClock(7 * DAY_MS);
      await purge();
      assert.deepEqual((await tellOf(opened.id)).slice(4), ['case.purged']);
      assert.deepEqual(listTold(opened.orderId), ['order.paid']);
      const sent = receiver.received.filter(
        ({ body }) => body.includes(opened.id) || body.includes(opened.orderId),
      );
      assert.equal(sent.length, 6);
      const verifier = new Webhook(secret);
      for (const { body, headers, path } of sent) {
        assert.match(body, /^\{"type":"[a-z_.]+","timestamp":"[\d:.TZ-]+","data":\{"id":"[\w-]{22}"\}\}$/);
        assert.equal(path, '/events');
        assert.match(headers['webhook-signature'] ?? '', /^v1,/);
        assert.doesNotMatch(JSON.stringify({ body, headers }), /CANARY|Trace|recruiter/);
      }
      verifier.verify(sent[0]!.body, sent[0]!.headers);
    });

    test('a held finding is told when the buyer can read it, and never if it is taken back', async () => {
      const opened = await openCase();
      await testbed.deliver(opened, HOUR_MS);
      assert.deepEqual(await tellOf(opened.id), []);
      await takeBackAnswer(services, opened.id);
      testbed.moveClock(2 * HOUR_MS);
      assert.deepEqual(await tellOf(opened.id), []);
      await testbed.deliver(opened, HOUR_MS, 1);
      assert.deepEqual(await tellOf(opened.id), []);
      testbed.moveClock(HOUR_MS);
      assert.deepEqual(await tellOf(opened.id), ['case.delivered']);
    });

    for (const what of ['finding', 'message'] as const)
      test(`a ${what} is told though the question before it was told under a clock ahead`, async () => {
        const opened = await openCase();
        testbed.moveClock(2 * DAY_MS);
        await testbed.ask(opened);
        await tell('case');
        testbed.resetClock();
        await acceptClock(store, testbed.now());
        if (what === 'finding') await testbed.deliver(opened);
        else await testbed.write(opened, { seq: 1 });
        const event = what === 'finding' ? 'case.delivered' : 'case.question';
        assert.deepEqual(await tellOf(opened.id), ['case.question', event]);
      });

    test('a decline is told when the buyer can read it, and not the question before it', async () => {
      const opened = await openCase();
      await testbed.ask(opened);
      await testbed.write(opened, { seq: 1, act: 'decline', undoMs: HOUR_MS });
      assert.deepEqual(await tellOf(opened.id), []);
      testbed.moveClock(HOUR_MS);
      await tell('case');
      // Both are sent at the same moment.
      assert.deepEqual(listTold(opened.id).toSorted(), ['case.declined', 'case.purge_soon']);
      testbed.moveClock(HOUR_MS);
      await testbed.write(opened, { seq: 2 });
      assert.deepEqual((await tellOf(opened.id)).slice(2), ['case.message']);
    });

    test('a question that waits to be told is told while an answer is on hold', async () => {
      const [declined, answered] = [await openCase(), await openCase()];
      for (const opened of [declined, answered]) await testbed.ask(opened);
      await enqueueDueCaseEvents(services);
      await testbed.write(declined, { seq: 1, act: 'decline', undoMs: HOUR_MS });
      await testbed.deliver(answered, HOUR_MS);
      await tell('case');
      for (const { id } of [declined, answered]) assert.deepEqual(listTold(id), ['case.question']);
    });

    test('a longer time to keep a case moves the day on which its end is told', async () => {
      const opened = await openCase();
      await testbed.deliver(opened);
      await tell('case');
      await updateKeepDaysById(services, opened.id, 90);
      testbed.moveClock(24 * DAY_MS);
      assert.deepEqual(await tellOf(opened.id), ['case.delivered']);
      testbed.moveClock(60 * DAY_MS);
      assert.deepEqual(await tellOf(opened.id), ['case.delivered', 'case.purge_soon']);
    });

    test('of a case that its client withdrew only the purge is told', async () => {
      const opened = await openCase();
      await testbed.ask(opened);
      await withdrawCase(services, opened.id);
      await tell('case');
      testbed.moveClock(25 * HOUR_MS);
      await purge();
      assert.deepEqual(await tellOf(opened.id), ['case.purged']);
    });

    test('what is no longer so when its turn comes is not told', async () => {
      const [withdrawn, kept] = [await openCase(), await openCase()];
      await testbed.ask(withdrawn);
      await testbed.deliver(kept);
      await tell('case');
      assert.deepEqual(listTold(withdrawn.id), ['case.question']);
      await testbed.ask(withdrawn, 1);
      testbed.moveClock(23 * DAY_MS);
      await enqueueDueCaseEvents(services);
      await withdrawCase(services, withdrawn.id);
      await updateKeepDaysById(services, kept.id, 365);
      await tell('case');
      assert.deepEqual([listTold(withdrawn.id), listTold(kept.id)], [['case.question'], ['case.delivered']]);
    });

    test('an order that is paid after it failed or was disputed is told of', async () => {
      const { agent } = await openAgent();
      for (const first of ['failed', 'disputed'] as const) {
        const { orderId: id } = await startCheckout(agent);
        for (const payment of [first, 'paid'] as const)
          await store.transaction((records) => enqueueOrderEvent(services, records, { id }, payment));
        await tell('order');
        assert.deepEqual(listTold(id), ['order.paid'], first);
      }
    });

    test('cases and orders from before the webhook are told of, and none of a person or of another client', async () => {
      const agent = await testbed.createAgent();
      const opened = await openAgentCase(testbed, agent);
      const waiting = await startCheckout(agent);
      const other = await openAgentCase(testbed, await testbed.createAgent());
      const person = await createAgentForAddress(testbed, agent.client, `ana-${engine}@example.org`);
      const theirs = await openAgentCase(testbed, person);
      await testbed.setWebhook(agent, receiver.url);
      const later = await openAgentCase(testbed, person);
      for (const each of [opened, other, theirs, later]) await testbed.ask(each);
      await testbed.sandbox.pay(waiting.sessionId);
      await tell('order');
      assert.deepEqual(await tellOf(opened.id), ['case.question']);
      assert.deepEqual(
        [other, theirs, later].map(({ id }) => listTold(id)),
        [[], [], []],
      );
      assert.deepEqual(
        [theirs, later, opened].map(({ orderId }) => listTold(orderId)),
        [[], [], []],
      );
      assert.deepEqual(listTold(waiting.orderId), ['order.paid']);
    });

    test('removing the webhook stops what waits, and no case or order keeps its client', async () => {
      const before = await countLinks();
      const { agent } = await openAgent();
      const opened = await openAgentCase(testbed, agent);
      await startCheckout(agent);
      assert.deepEqual(await countLinks(), { cases: before.cases + 1, orders: before.orders + 1 });
      await testbed.ask(opened);
      await agent.request('DELETE', '/callback');
      assert.deepEqual(await countLinks(), before);
      await tell('order');
      await tell('case');
      assert.deepEqual([listTold(opened.id), listTold(opened.orderId)], [[], []]);
    });

    test('the records name neither the client nor the target nor what an event is about', async () => {
      const { agent, secret } = await openAgent();
      const opened = await openAgentCase(testbed, agent);
      await testbed.ask(opened);
      await startCheckout(agent);
      await tell('test');
      const tables = ['webhooks', 'case_webhooks', 'order_webhooks', 'webhook_events'] as const;
      const rows = await Array.fromAsync(tables, (table) =>
        store.records.selectFrom(table).selectAll().execute(),
      );
      assert.ok(rows.every((found) => found.length > 0));
      // Not as JSON, in which a ciphertext is a list of numbers.
      const showValue = (value: unknown) =>
        value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value);
      const toText = (found: readonly object[]) =>
        found.flatMap((row) => Object.values(row).map(showValue)).join('\n');
      assert.ok(toText([{ ciphertext: Buffer.from(opened.id) }]).includes(opened.id));
      const text = toText(rows.flat());
      for (const hidden of [agent.client.clientId, receiver.url, secret, 'case.question', 'order.paid'])
        assert.ok(!text.includes(hidden), hidden);
      const events = toText(rows[3] ?? []);
      for (const hidden of [opened.id, opened.orderId]) assert.ok(!events.includes(hidden), hidden);
      const sizes = (rows[3] as { ciphertext: Uint8Array }[]).map(({ ciphertext }) => ciphertext.length);
      assert.equal(new Set(sizes).size, 1);
      const log = testbed.readLog();
      assert.ok(!log.includes(agent.client.clientId) && !log.includes(String(receiver.port)));
    });
  });
}
