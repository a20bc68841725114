/** The command line reports a message that was removed from the store as missing. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import {
  deleteStoredMessage,
  GAP_IN_ITS_PLACE,
  listLinks,
  writeRiskyConversation,
  writeToCase,
} from '#test/cases/conversation.ts';
import { startTestShop } from '#test/test-shop.ts';
import { createDeskCli, sendBuyerMessage, sendCase } from './desk-cli.ts';

interface OpenedJson {
  readonly seen: number;
  readonly messages: readonly { readonly by: string; readonly seq: number; readonly link: string }[];
  readonly missing: readonly unknown[];
}

const shop = await startTestShop({ after });
const desk = createDeskCli(shop);

function listJsonLinks({ messages }: OpenedJson): string[] {
  return messages.map(({ by, seq, link }) => `${by} ${seq} ${link}`);
}

test('a deleted answer is a gap in text and JSON with exit code 65, and the desk can still write', async () => {
  const sent = await sendCase(shop);
  await writeRiskyConversation(shop, sent.words);
  const open = ['cases', 'open', sent.id];
  assert.doesNotMatch(await desk.runForText(...open), /missing|\[/);
  await deleteStoredMessage(shop, sent.words, 'buyer', 1);

  const text = await desk.run(...open);
  assert.equal(text.code, 65);
  assert.match(text.stdout, GAP_IN_ITS_PLACE);
  assert.match(text.stderr, /^A message from the buyer is missing \(number 2\): .*\n$/);
  const json = await desk.run(...open, '--json');
  assert.equal(json.code, 65);
  const opened = JSON.parse(json.stdout) as OpenedJson;
  assert.deepEqual(opened.missing, [{ by: 'buyer', first: 1, last: 1 }]);
  assert.deepEqual(listJsonLinks(opened), [
    'desk 0 linked',
    'buyer 0 linked',
    'desk 1 linked',
    'buyer 2 after_gap',
  ]);

  const write = ['cases', 'message', sent.id, '--text'];
  await desk.runForText(...write, 'A message is missing: what did it say?', '--seen', '3');
  await desk.runForText(...write, 'Are you there?');
  assert.deepEqual((await listLinks(shop, sent.words)).slice(-2), ['desk 2 linked', 'desk 3 linked']);
});

test('a message that does not link is shown as such, and one whose writer saw others ends with 65', async () => {
  const sent = await sendCase(shop);
  await sendBuyerMessage(shop, sent, 0, 'Hello.');
  const open = ['cases', 'open', sent.id];
  assert.match(
    await desk.runForText(...open),
    /Hello\.\n\[Sent without a record of which messages were read before it\.\]/,
  );
  await desk.runForText('cases', 'message', sent.id, '--seen', '1', '--text', 'Good day.');
  await deleteStoredMessage(shop, sent.words, 'buyer', 0);
  await sendBuyerMessage(shop, sent, 0, 'Goodbye.');
  const { code, stderr } = await desk.run(...open);
  assert.equal(code, 65);
  assert.match(stderr, /desk message 1: Do not rely on this/);
});

test('the desk claims only what it says it has read: --seen is asked for once the buyer has written', async () => {
  const sent = await sendCase(shop);
  const { words, id } = sent;
  const write = ['cases', 'message', id, '--text'];
  await desk.runForText(...write, 'Hello.');
  await writeToCase(shop, words, 'buyer', 'Write to him.');
  assert.match(
    await desk.runForText('cases', 'open', id),
    /\n {2}Write to him\.\n\nWhen you write, add --seen 1 to confirm /,
  );
  const opened = await desk.runForJson<OpenedJson>('cases', 'open', id);
  assert.equal(opened.seen, 1);
  await writeToCase(shop, words, 'buyer', 'No, never contact him.');

  const unread = /^The buyer has written since the last message from the desk/;
  assert.match(await desk.runRefused(1, ...write, 'We will.'), unread);
  assert.match(
    await desk.runRefused(1, ...write, 'We will.', '--seen', '3'),
    /more than the buyer has written \(2\)/,
  );
  for (const wrong of ['', '201']) await desk.runRefused(64, ...write, 'We will.', `--seen=${wrong}`);

  assert.match(
    await desk.runRefused(1, ...write, 'We will.', '--seen', '1'),
    /^The buyer has written since you opened the case, so nothing was sent/,
  );
  await desk.runForText(...write, 'We will not.', '--seen', '2');
  assert.match(await desk.runForText(...write, 'We will not.'), /already the last message/);
  await desk.runForText(...write, 'We are sorry.');
  assert.deepEqual(await listLinks(shop, words), [
    'desk 0 linked',
    'buyer 0 linked',
    'buyer 1 linked',
    'desk 1 linked',
    'desk 2 linked',
  ]);
});
