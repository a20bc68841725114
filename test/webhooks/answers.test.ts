/** Whatever a receiver or its name service does, each attempt ends in time, and the next one follows. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { ANSWER_SECONDS } from '#clients/webhook-delivery.ts';
import { MINUTE_MS, SECOND_MS } from '#platform/durations.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { startEventReceiver } from './receiver.ts';
import { openWebhookTestbed } from './webhook-testbed.ts';

const cleanUp = withReverseCleanup({ after });
const ANSWER_MS = 2 * SECOND_MS;

const FAILED = 'The connection to the receiver failed.';
const UPGRADED = 'The receiver answered 101.';
const LATE = `The receiver did not answer within ${ANSWER_SECONDS} seconds.`;
const ANSWERS: Readonly<Record<string, readonly [answer: string | null, detail: string]>> = {
  'another protocol': ['HTTP/1.1 101 x\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n', UPGRADED],
  'a change to no protocol': ['HTTP/1.1 101 x\r\n\r\n', UPGRADED],
  'early hints without end': ['HTTP/1.1 103 x\r\n\r\n'.repeat(50), LATE],
  'a status of no class': ['HTTP/1.1 999 x\r\n\r\n', 'The receiver answered 999.'],
  'half a line': ['HTTP/1.1 2', LATE],
  'no HTTP': ['hello\r\n\r\n', FAILED],
  'a connection that is closed': [null, FAILED],
};

test('every answer ends the attempt, and the event is tried again', async (t) => {
  const testbed = await openWebhookTestbed(cleanUp, { answerMs: ANSWER_MS });
  for (const [what, [text, expected]] of Object.entries(ANSWERS)) {
    const receiver = await startEventReceiver(t);
    receiver.answerWith(({ socket }) => void (text === null ? socket?.destroy() : socket?.write(text)));
    const agent = await testbed.tryWebhook(receiver.url);
    assert.equal((await testbed.readDelivery(agent)).detail, expected, what);
    receiver.answerWith((response) => void response.writeHead(204).end());
    testbed.moveClock(2 * MINUTE_MS);
    await testbed.send();
    assert.equal(receiver.received.length, 2, what);
  }
});

test('a name service that never answers is given up', async () => {
  let isSilent = false;
  const resolveHost = async () => {
    if (isSilent) await new Promise(() => undefined);
    return ['93.184.215.14'];
  };
  const testbed = await openWebhookTestbed(cleanUp, { resolveHost });
  const agent = await testbed.createAgent();
  await testbed.setWebhook(agent, 'https://agent.example/');
  await agent.request('POST', '/callback/test');
  isSilent = true;
  await testbed.send();
  assert.equal((await testbed.readDelivery(agent)).detail, 'The name service gave no address of the host.');
  assert.equal((await agent.request('PUT', '/callback', { url: 'https://agent.example/b' })).status, 422);
});
