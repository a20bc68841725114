/** Rules of the agent that need no service: which addresses it follows, what it prints and what it stores. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { lstat, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test from 'node:test';
import { OrderList } from '#api/orders.ts';
import { validateCaseMessage } from '#seal/case/message.ts';
import { sealDeskMessage } from '#seal/case/sealed-message.ts';
import { generateCaseKey, sealCaseKey } from '#seal/core/case-key.ts';
import { deriveWordKeys, generateWords } from '#seal/core/words.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { AgentState, printJson, printText } from '../../examples/agent/agent-state.ts';
import { listMessages, openCase, saveNewFile } from '../../examples/agent/case.ts';
import { isPaid, requireOrderPath } from '../../examples/agent/purchase.ts';
import { fetchBounded } from '../../examples/agent/service.ts';

test('the agent follows the address of its own order, and no other', () => {
  const api = 'https://office.example/api';
  assert.equal(
    requireOrderPath(api, `${api}/orders/q1Zl7yBq3mJx0c2y8l4QxA`),
    '/orders/q1Zl7yBq3mJx0c2y8l4QxA',
  );
  for (const location of [
    null,
    '',
    '/api/orders/q1Zl7yBq3mJx0c2y8l4QxA',
    'https://evil.example/api/orders/q1Zl7yBq3mJx0c2y8l4QxA',
    'https://office.example/api.evil/orders/q1Zl7yBq3mJx0c2y8l4QxA',
    `${api}/orders/../cases`,
    `${api}/orders/q1Zl7yBq3mJx0c2y8l4QxA?x=1`,
    `${api}/cases/q1Zl7yBq3mJx0c2y8l4QxA`,
  ])
    assert.throws(() => requireOrderPath(api, location), /does not say where its order is/, String(location));
});

test('of every status of an order the agent knows what to do, and never asks for a second payment of what is paid', () => {
  const outcomes: Readonly<Record<string, boolean | RegExp>> = {
    paid: true,
    pending: false,
    held: /This payment is under review.*Do not pay again/,
    redeemed: /has opened a case\. Do not pay again/,
    refunded: /was refunded.*Ask the payer/,
    expired: /expired before it was paid.*Run this again for a new one/,
  };
  const { enum: statuses } = OrderList.properties.orders.items.properties.status;
  assert.deepEqual(Object.keys(outcomes).toSorted(), statuses.toSorted());
  const unknown = ['disputed', /Do not pay again before you know/] as const;
  for (const [status, outcome] of [...Object.entries(outcomes), unknown]) {
    const checkOrder = () => isPaid({ id: 'q1Zl7yBq3mJx0c2y8l4QxA', status });
    if (typeof outcome === 'boolean') assert.equal(checkOrder(), outcome, status);
    else assert.throws(checkOrder, outcome, status);
    if (outcome instanceof RegExp)
      assert.throws(checkOrder, ({ message }) => !/buy again/.test(message), status);
  }
});

test('nothing that a service says steers the terminal, hides from a reader or reorders the text', (t) => {
  const printed = t.mock.method(console, 'log', () => undefined).mock;
  const readLast = () => String(printed.calls.at(-1)?.arguments[0]);
  printText('a\u001b[2J\u0007b\u009b31m\r\u007f\tc\nd ñ 🕊');
  assert.equal(readLast(), 'a\uFFFD[2J\uFFFDb\uFFFD31m\uFFFD\uFFFD\tc\nd ñ 🕊');
  const hidden = 'pay\u202e\u2066 now\u2069\u200b\u{e0041}\u{e0042}';
  printText(hidden);
  assert.equal(readLast(), 'pay\uFFFD\uFFFD now\uFFFD\uFFFD\uFFFD\uFFFD');
  printJson({ text: hidden });
  assert.match(readLast(), /^[\x20-\x7e\n]+$/);
  assert.deepEqual(JSON.parse(readLast()), { text: hidden }, 'a program reads what was sent');
});

test('a file that is there is never written over, and no link is followed', async (t) => {
  const folder = await createTemporaryFolder(t);
  const [own, link, target] = ['1-own.txt', '2-link.txt', 'target'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(own, 'mine');
  await symlink(target, link);
  for (const path of [own, link])
    assert.throws(() => saveNewFile(path, Buffer.from('theirs')), /exists already, so it was not saved/);
  assert.equal(await readFile(own, 'utf8'), 'mine');
  await assert.rejects(stat(target), { code: 'ENOENT' });
  saveNewFile(join(folder, '3-new.txt'), Buffer.from('theirs'));
  assert.equal((await stat(join(folder, '3-new.txt'))).mode & 0o777, 0o600);
});

test('what lies in the place of the new state is not written to, be it a world-writable file or a link', async (t) => {
  const folder = await createTemporaryFolder(t);
  const file = join(folder, 'agent.json');
  await writeFile(`${file}.new`, 'left over', { mode: 0o666 });
  new AgentState(file).store({ words: 'legal winner' });
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  const foreign = join(folder, 'foreign');
  await writeFile(foreign, 'theirs');
  await symlink(foreign, `${file}.new`);
  new AgentState(file).store({ orderId: 'q1Zl7yBq3mJx0c2y8l4QxA' });
  assert.equal(await readFile(foreign, 'utf8'), 'theirs');
  assert.ok((await lstat(file)).isFile());
  assert.deepEqual((await readdir(folder)).toSorted(), ['agent.json', 'foreign']);
  const facts = { words: 'legal winner', orderId: 'q1Zl7yBq3mJx0c2y8l4QxA' };
  assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), facts, 'an earlier fact stays');
});

test('pages of messages end: a cursor that comes again, that is none, or more messages than a case can have', async () => {
  let asked = 0;
  const message = { by: 'desk', seq: 0, sent_at: '', sealed: '' };
  const read = async (toNext: (page: number) => string | undefined, count = 1) =>
    await listMessages(
      {
        call: async <Result>() => {
          asked += 1;
          return { messages: Array.from({ length: count }, () => message), next: toNext(asked) } as Result;
        },
      },
      'case',
    );
  await assert.rejects(
    read(() => '0.1'),
    /lead nowhere/,
  );
  assert.equal(asked, 2);
  await assert.rejects(
    read(() => '0.1&x=../..'),
    /lead nowhere/,
  );
  await assert.rejects(
    read((page) => `0.${page}`, 50),
    /more messages than a case can have/,
  );
  await assert.rejects(
    read((page) => `0.${page}`, 0),
    /lead nowhere/,
  );
  assert.equal((await read(() => undefined, 50)).length, 50);
});

test('a state that the desk has not sealed is no state to the agent, unless the next look shows why', async (t) => {
  const words = generateWords();
  const keys = await deriveWordKeys(words);
  const key = await generateCaseKey(keys);
  const { recipient } = await deriveWordKeys(generateWords());
  const caseKey = await sealCaseKey(key, { desk: [recipient], recovery: recipient });
  const sealReply = async (act: 'message' | 'decline') => {
    const checked = validateCaseMessage({ text: 'Hello.' });
    assert.ok('message' in checked);
    const meaning = { message: checked.message, act, seen: 0, findingSeq: 0, isReleased: false };
    const { seq, sealed } = await sealDeskMessage(key, { messages: [] }, meaning);
    return { by: 'desk', seq, sent_at: '', sealed: Buffer.from(sealed).toString('base64url') };
  };
  const state = new AgentState(join(await createTemporaryFolder(t), 'agent.json'));
  state.store({ caseId: 'q1Zl7yBq3mJx0c2y8l4QxA', words });
  const open = async (states: string[], message: object) =>
    await openCase({
      state,
      call: async <Result>(_method: string, path: string) =>
        (path.includes('/messages?')
          ? { messages: [message] }
          : {
              state: states.length > 1 ? states.shift() : states[0],
              keep_days: 30,
              case_key: Buffer.from(caseKey).toString('base64url'),
              files: [],
            }) as Result,
    });
  const [plain, refusal] = [await sealReply('message'), await sealReply('decline')];
  await assert.rejects(
    open(['declined'], plain),
    /says that the case is declined, but the desk has sealed no/,
  );
  await assert.rejects(
    open(['awaiting_client'], plain),
    /waits for an answer, but the desk has asked nothing/,
  );
  await assert.rejects(
    open(['in_progress'], refusal),
    /has declined the case, but the service says otherwise/,
  );
  assert.equal((await open(['in_progress', 'declined'], refusal)).detail.state, 'declined');
});

test('an answer that never ends is given up before it fills the memory', async (t) => {
  let sent = 0;
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const bytes = Buffer.alloc(1024 * 1024, ' ');
    const send = () => {
      while (!response.destroyed) {
        sent += bytes.length;
        if (!response.write(bytes)) return;
      }
    };
    response.on('drain', send);
    send();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const response = await fetchBounded(`http://127.0.0.1:${port}/`);
  await assert.rejects(response.json(), /more than it should/);
  assert.ok(sent < 64 * 1024 * 1024, `${sent} bytes were sent`);
});
