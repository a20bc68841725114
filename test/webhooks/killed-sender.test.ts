/** A sender that is killed after it sent an event and before it recorded that sends the same event again. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { MINUTE_MS } from '#platform/durations.ts';
import { generateMasterKey } from '#store/keys/keyring.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { startProgram } from '#test/service-process.ts';
import { startEventReceiver } from './receiver.ts';
import { openWebhookTestbed } from './webhook-testbed.ts';

test('an event arrives at least once, always with the same id', async (t) => {
  const masterKey = generateMasterKey();
  const testbed = await openWebhookTestbed(t, { env: { MASTER_KEY: masterKey } });
  const receiver = await startEventReceiver(t);
  const caFile = join(await createTemporaryFolder(t), 'receiver.crt');
  await writeFile(caFile, receiver.certificate);
  const agent = await testbed.createAgent();
  await testbed.setWebhook(agent, receiver.url);
  const { json } = await agent.request('POST', '/callback/test');

  const env = { DATA_DIR: testbed.dataDir, MASTER_KEY: masterKey, NODE_EXTRA_CA_CERTS: caFile };
  const program = startProgram(t, 'test/webhooks/event-sender.ts', env);
  receiver.answerWith(() => void program.process.kill('SIGKILL'));
  assert.equal(await program.ended, 'SIGKILL', program.readOutput());
  assert.equal(receiver.received.length, 1);

  receiver.answerWith((response) => void response.writeHead(204).end());
  await testbed.send();
  assert.equal(receiver.received.length, 1, 'the killed one may still be at it');
  testbed.moveClock(2 * MINUTE_MS);
  await testbed.send();
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  assert.deepEqual(ids, [json['id'], json['id']]);
  await testbed.send();
  assert.equal(receiver.received.length, 2);
});
