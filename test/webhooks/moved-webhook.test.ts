/** Events waiting or under way when a webhook is moved or removed concern the previous webhook alone. */
import assert from 'node:assert/strict';
import test, { after, suite } from 'node:test';
import { MINUTE_MS } from '#platform/durations.ts';
import { assertProblem, openAgentCase } from '#test/api/api-testbed.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { listEngineVariables } from '#test/store/engines.ts';
import { startEventReceiver } from './receiver.ts';
import { openWebhookTestbed } from './webhook-testbed.ts';

const cleanUp = withReverseCleanup({ after });
const engines = await listEngineVariables(cleanUp);

for (const [engine, env] of Object.entries(engines)) {
  /** Runs once, while the sender waits for the name service. */
  let meanwhile: (() => Promise<unknown>) | null = null;
  const resolveHost = async () => {
    const work = meanwhile;
    meanwhile = null;
    await work?.();
    return ['127.0.0.1'];
  };
  const testbed = await openWebhookTestbed(cleanUp, { env, resolveHost });
  const { store } = testbed;
  const countWaiting = async () =>
    (await store.records.selectFrom('webhook_events').select('id').execute()).length;

  suite(`moved webhooks on ${engine}`, () => {
    test('what the previous address answers after a move neither ends the webhook nor is shown', async (t) => {
      const [previous, later] = [await startEventReceiver(t), await startEventReceiver(t)];
      for (const status of [410, 500]) {
        const agent = await testbed.createAgent();
        await testbed.setWebhook(agent, previous.url);
        previous.answerWith((response) => {
          const moving = agent.request('PUT', '/callback', { url: later.url });
          void moving.then(() => response.writeHead(status).end());
        });
        const { json } = await agent.request('POST', '/callback/test');
        await testbed.send();
        const shown = await agent.request('GET', '/callback');
        assert.equal(shown.json['url'], later.url);
        assert.equal(Object(shown.json['last_delivery']).state, 'delivered');
        assert.equal(later.received.at(-1)?.headers['webhook-id'], json['id']);
      }
    });

    test('what waits goes with the webhook, and does not reach the next one', async (t) => {
      const [failing, next] = [await startEventReceiver(t), await startEventReceiver(t)];
      failing.answerWith((response) => void response.writeHead(500).end());
      const agent = await testbed.createAgent();
      await testbed.setWebhook(agent, failing.url);
      const opened = await openAgentCase(testbed, agent);
      await testbed.ask(opened);
      await testbed.tell('order');
      await testbed.tell('case');
      assert.equal(failing.received.length, 2);
      assert.equal(await countWaiting(), 2);
      await agent.request('DELETE', '/callback');
      assert.equal(await countWaiting(), 0);
      await testbed.setWebhook(agent, next.url);
      testbed.moveClock(10 * MINUTE_MS);
      await testbed.tell('order');
      await testbed.tell('case');
      assert.deepEqual(next.received, []);
    });

    test('a webhook that is removed or moved while its name is looked up gets nothing more', async (t) => {
      const previous = await startEventReceiver(t, { host: 'previous.example' });
      const next = await startEventReceiver(t, { host: 'next.example' });
      const agent = await testbed.createAgent();
      await testbed.setWebhook(agent, previous.url);
      await agent.request('POST', '/callback/test');
      meanwhile = () => agent.request('PUT', '/callback', { url: next.url });
      await testbed.send();
      assert.deepEqual([previous.received.length, next.received.length], [0, 1]);

      await agent.request('POST', '/callback/test');
      meanwhile = async () => {
        await agent.request('DELETE', '/callback');
        await testbed.setWebhook(agent, previous.url);
      };
      await testbed.send();
      assert.deepEqual([previous.received.length, next.received.length], [0, 1]);
    });

    test('of two first settings at once one makes the webhook and the other changes it', async () => {
      const agent = await testbed.createAgent();
      const choices = ['one', 'other'].map((name) => ({ url: `https://${name}.example/` }));
      const answers = await Promise.all(choices.map((body) => agent.request('PUT', '/callback', body)));
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 201]));
      assert.equal(answers.filter(({ json }) => 'secret' in json).length, 1);
      assert.equal((await agent.request('DELETE', '/callback')).status, 204);
      assertProblem(await agent.request('GET', '/callback'), 404, 'not_found');
    });
  });
}
