/** The effects of tool calls: nothing twice, no order without an owner, no page that another caller has chosen. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test, { after } from 'node:test';
import { applyCallStep } from '#cases/desk/desk-acts.ts';
import { addCaseMessage } from '#cases/messages/messages.ts';
import { requireCase } from '#cases/states.ts';
import { HOUR_MS } from '#platform/durations.ts';
import { deriveWordLookup } from '#seal/core/words.ts';
import { samplePlainInquiry } from '#test/api/api-testbed.ts';
import { deliverToPlainCase, openPlainCase, readPlainCase } from '#test/api/plain-case.ts';
import { CALL_NUMBER, createCallTimes } from '#test/cases/call-times.ts';
import { CURRENT_TERMS } from '#test/cases/current-terms.ts';
import { hostileBodies, sealHostileBody } from '#test/cases/hostile-parts.ts';
import { openStoredCaseKey } from '#test/cases/stored-case.ts';
import { waitUntil } from '#test/patience.ts';
import { openRawConnection } from '#test/raw-connection.ts';
import { openMcpTestbed, readResult, type ToolResult } from './mcp-testbed.ts';

let offset = 0;
const testbed = await openMcpTestbed({ after }, { clock: { now: () => Date.now() + offset } });
const { send, callTool } = testbed;
const agent = await testbed.createAgent();
const own = { authorization: agent.authorization };
const ownCase = await openPlainCase(agent);
const asked = { case_id: ownCase.id, words: ownCase.words };
const inquiry = { terms_version: CURRENT_TERMS, inquiry: samplePlainInquiry };

async function listOwnOrders(): Promise<readonly { readonly tier: string }[]> {
  const { output } = await callTool('list_orders', { limit: 100 }, own);
  return output['orders'] as { tier: string }[];
}

test('an order is paid once and used once, and a model is told what to do instead of paying again', async () => {
  const pending = await callTool('create_checkout', { tier: 'Trace' }, own);
  const early = { order_id: pending.output['order_id'], ...inquiry };
  const unpaid = await callTool('submit_inquiry', early, own);
  assert.match(unpaid.text, /^payment_required: .*get_order/);
  const { order_id: orderId, submission_key: key, url } = pending.output;
  await testbed.sandbox.pay(String(url).split('/').at(-1) ?? '');
  const submission = { order_id: orderId, submission_key: key, ...inquiry };
  const first = await callTool('submit_inquiry', submission, own);
  const second = await callTool('submit_inquiry', submission, own);
  assert.equal(String(first.output['words']).split(' ').length, 12, first.text);
  assert.equal('repeated' in first.output, false);
  assert.deepEqual(
    second.output,
    { ...first.output, repeated: true },
    'a lost answer can be had again, and says that nothing new was sent',
  );
  const other = await callTool('create_checkout', { tier: 'Trace' }, own);
  for (const wrong of [other.output['submission_key'], '', randomUUID(), `${key}A`]) {
    const refused = await callTool('submit_inquiry', { ...submission, submission_key: wrong }, own);
    assert.match(refused.text, /^validation_failed: .*submission_key/s);
  }
  const used = await callTool('submit_inquiry', { order_id: orderId, ...inquiry }, own);
  assert.match(used.text, /^order_redeemed: .*Do not pay again: .*list_cases lists/);
});

/** Sends a request and cuts the connection once its case is stored, without having read a byte of the answer. */
async function loseAnswer(path: string, body: object, headers: Record<string, string>): Promise<void> {
  const countCases = async () =>
    (await testbed.store.records.selectFrom('cases').select('id').execute()).length;
  const before = await countCases();
  const text = JSON.stringify(body);
  const { socket } = await openRawConnection(testbed.port, 'tls');
  socket.pause();
  const fields = {
    host: `localhost:${testbed.port}`,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(text)),
    accept: 'application/json, text/event-stream',
    ...own,
    ...headers,
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  socket.write([`POST ${path} HTTP/1.1`, ...lines, '', text].join('\r\n'));
  await waitUntil('the case is stored', async () => (await countCases()) > before);
  socket.destroy();
}

test('a client that loses the answer to its inquiry repeats it, and reads the finding with the same words', async () => {
  const { orderId } = await agent.buy();
  const plain = { order_id: orderId, terms_version: CURRENT_TERMS, plain: { inquiry: samplePlainInquiry } };
  const repeated = { 'idempotency-key': randomUUID() };
  await loseAnswer('/api/inquiries', plain, repeated);
  const { json } = await agent.request('POST', '/inquiries', plain, repeated);

  const checkout = (await callTool('create_checkout', { tier: 'Trace' }, own)).output;
  await testbed.sandbox.pay(String(checkout['url']).split('/').at(-1) ?? '');
  const { order_id, submission_key } = checkout;
  await waitUntil('the order is paid', async () => {
    const { output } = await callTool('get_order', { order_id }, own);
    return output['status'] === 'paid';
  });
  const input = { order_id, submission_key, ...inquiry };
  const params = { name: 'submit_inquiry', arguments: input };
  await loseAnswer('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, {});
  // A model hardly ever writes the same text twice.
  const other = { ...inquiry, inquiry: { ...inquiry.inquiry, question: 'The same, in other words?' } };
  const again = { order_id, submission_key, ...other, keep_days: 30 };
  const { output } = await callTool('submit_inquiry', again, own);

  for (const opened of [json, output]) {
    assert.equal(opened['repeated'], true, 'also with another text, which was not sent');
    const found = { id: String(opened['id']), words: String(opened['words']) };
    await deliverToPlainCase(testbed, found);
    const read = await callTool('get_finding', { case_id: found.id, words: found.words }, own);
    assert.deepEqual(
      (read.output['finding'] as { markdown: string } | undefined)?.markdown,
      '# Found',
      read.text,
    );
  }
});

test('a file of a finding is read as content, and one that is too large leads to the case page', async () => {
  for (const [content, isSmall] of [
    ['name,place\nAnn,Lyon\n', true],
    ['x'.repeat(1024 ** 2 + 1), false],
  ] as const) {
    const opened = await openPlainCase(agent);
    await deliverToPlainCase(testbed, opened, { content });
    const input = { case_id: opened.id, words: opened.words };
    const { output } = await callTool('get_finding', input, own);
    const [file] = (output['finding'] as { files: { id: string; name: string }[] }).files;
    const read = await callTool('get_finding_file', { ...input, file_id: file?.id }, own);
    const facts = { name: file?.name, mime: 'text/plain' };
    const place = { url: `${testbed.origin}/case` };
    assert.deepEqual(read.output, isSmall ? facts : { ...facts, ...place });
    const resource = { uri: `case-file:${file?.id}`, mimeType: 'text/plain', text: content };
    assert.deepEqual(read.content.slice(1), isSmall ? [{ type: 'resource', resource }] : []);
    const others = await callTool('get_finding_file', { ...input, file_id: opened.id }, own);
    assert.match(others.text, /^not_found: /);
  }
});

test('a repeated message with its key is sent once, and another one with it is refused', async () => {
  const key = { idempotency_key: 'a-key' };
  for (const text of ['once', 'once', 'other']) {
    const sent = await callTool('send_case_message', { ...asked, text, ...key }, own);
    assert.equal(sent.isError ?? false, text === 'other', sent.text);
    assert.equal(/^idempotency_key_reused: .*use a new key/.test(sent.text), text === 'other');
  }
  const read = await callTool('read_messages', asked, own);
  const messages = read.output['messages'] as { text: string }[];
  assert.deepEqual(
    messages.map(({ text }) => text),
    ['once'],
  );
  const later = await callTool('read_messages', { ...asked, after: read.output['cursor'] }, own);
  assert.deepEqual(later.output['messages'], []);
  assert.equal('finding' in later.output, false);
});

test('times for a call that the desk offers are proposed by a tool and in plain text, with the checks of the site', async () => {
  const dossier = await openPlainCase(agent, 'Dossier');
  const input = { case_id: dossier.id, words: dossier.words, text: 'These suit me.' };
  const { window } = createCallTimes();
  const times = { call_number: CALL_NUMBER, call_windows: [window] };
  const postPlain = (body: object) =>
    agent.request('POST', `/cases/${dossier.id}/plain/messages`, {
      words: dossier.words,
      text: 'These do.',
      ...body,
    });
  for (const [wrong, pointer] of [
    [{ call_windows: [window] }, '/call_number'],
    [{ ...times, call_windows: [{ ...window, start: '2020-01-01T10:00' }] }, '/call_windows/0/start'],
  ] as const) {
    const refused = await callTool('send_case_message', { ...input, ...wrong }, own);
    assert.match(refused.text, new RegExp(`^validation_failed: .*^${pointer}: `, 'ms'));
    assert.match((await postPlain(wrong)).text, new RegExp(`"pointer":"${pointer}"`));
  }
  for (const propose of [
    async () => (await callTool('send_case_message', { ...input, ...times }, own)).output,
    async () => (await postPlain(times)).json,
  ]) {
    await applyCallStep(testbed.services, dossier.id, 'offer', 'anna');
    assert.equal((await propose())['call'], 'proposed');
  }
  const read = await callTool('read_messages', { case_id: dossier.id, words: dossier.words }, own);
  const { messages = [] } = read.output as { messages?: object[] };
  assert.equal(messages.length, 2);
  for (const message of messages) assert.deepEqual({ ...message, ...times }, message);
  const none = await callTool('send_case_message', { ...asked, text: 'Call me.', ...times }, own);
  assert.match(none.text, /^case_state: Trace includes no call\./);
});

test('a checkout without a token is for the browser, and no client finds its order here', async () => {
  const input = { tier: 'Deep Sweep', in_browser: true, idempotency_key: randomUUID() };
  const answer = await callTool('create_checkout', input);
  assert.deepEqual(Object.keys(answer.output), ['url']);
  const withToken = await callTool('create_checkout', { ...input, idempotency_key: randomUUID() }, own);
  assert.deepEqual(Object.keys(withToken.output), ['url']);
  const orders = await listOwnOrders();
  assert.ok(orders.length > 0 && orders.every(({ tier }) => tier !== 'Deep Sweep'));
});

test('a checkout that is repeated after the payment says that it is paid, and still gives a key to submit with', async () => {
  const input = { tier: 'Trace', idempotency_key: randomUUID() };
  const first = (await callTool('create_checkout', input, own)).output;
  await testbed.sandbox.pay(String(first['url']).split('/').at(-1) ?? '');
  const { output: again } = await callTool('create_checkout', input, own);
  const { submission_key, ...facts } = again;
  assert.deepEqual(facts, { order_id: first['order_id'], status: 'paid' });
  const shown = await send({
    method: 'tools/call',
    params: { name: 'create_checkout', arguments: input },
    capabilities: { elicitation: { url: {} } },
    headers: own,
  });
  assert.equal((readResult(shown) as ToolResult).structuredContent?.['status'], 'paid', 'no page to open');
  const submission = { order_id: first['order_id'], submission_key, ...inquiry };
  const opened = await callTool('submit_inquiry', submission, own);
  assert.equal(opened.output['words_repeatable'], true, opened.text);
});

test('a client that can show a page is asked to, and what it sends back is believed only if it was given it', async () => {
  const call = (params: object, headers: Record<string, string> = own) =>
    send({
      method: 'tools/call',
      params: { name: 'create_checkout', arguments: { tier: 'Trace' }, ...params },
      capabilities: { elicitation: { url: {} } },
      headers,
    });
  const asking = readResult(await call({})) as {
    requestState: string;
    inputRequests: { page: { params: Record<string, string> } };
  };
  const { mode, url, message } = asking.inputRequests.page.params;
  assert.equal(mode, 'url');
  assert.match(String(message), /payment provider/);
  const { requestState } = asking;
  for (const [action, text] of [
    ['accept', /agreed to open/],
    ['decline', /did not open/],
    ['cancel', /did not open/],
  ] as const) {
    const inputResponses = { page: { action } };
    const { structuredContent, content } = readResult(
      await call({ requestState, inputResponses }),
    ) as ToolResult;
    assert.equal(structuredContent?.['url'], url);
    assert.match(content[1]?.text ?? '', text);
    assert.match(content[2]?.text ?? '', /is not known here: look with list_orders before/);
    assert.doesNotMatch(JSON.stringify(content), /nothing is paid/i);
  }
  const orders = await listOwnOrders();
  const spoilt = `${requestState.startsWith('A') ? 'B' : 'A'}${requestState.slice(1)}`;
  const stranger = { authorization: (await testbed.createAgent()).authorization };
  const answers = [
    await call({ requestState: spoilt }),
    await call({ requestState }, stranger),
    await call({ requestState, arguments: { tier: 'Dossier' } }),
    await call({ requestState, arguments: { tier: 'Trace', in_browser: true } }),
  ];
  offset = HOUR_MS + 1;
  const authorization = await testbed.oauth.obtainBearer(agent.client);
  answers.push(await call({ requestState }, { authorization }));
  offset = 0;
  for (const answer of answers) assert.match(answer.text, /Invalid or expired requestState/);
  assert.deepEqual(await listOwnOrders(), orders, 'no order came of it');
});

test('withdrawing a case twice is the same as once, and its retention can no longer be set', async () => {
  const ended = await openPlainCase(agent);
  const input = { case_id: ended.id };
  for (let times = 0; times < 2; times += 1)
    assert.equal((await callTool('withdraw_case', input, own)).output['state'], 'withdrawn');
  const { text } = await callTool('request_retention', { ...input, keep_days: 90 }, own);
  assert.match(text, /^case_state: /);
});

test('messages that nest, or spread, are a line each, for models and for programs', async () => {
  const spoilt = await openPlainCase(agent);
  const asking = { case_id: spoilt.id, words: spoilt.words };
  const record = await requireCase(testbed.store.records, spoilt.id, Date.now() + offset);
  const key = await openStoredCaseKey(testbed, record, deriveWordLookup(spoilt.words).identity);
  const bodies = Object.values(hostileBodies);
  for (const [seq, createBody] of bodies.entries()) {
    const sealed = await sealHostileBody(key, { kind: 'buyer-message.v1', seq }, createBody(14_000));
    await addCaseMessage(testbed.services, spoilt.id, { by: 'buyer', seq, sealed });
  }
  const { output, text } = await callTool('read_messages', asking, own);
  const plain = await readPlainCase(agent, spoilt);
  for (const messages of [output['messages'], plain.json['messages']] as {
    unreadable?: string;
  }[][]) {
    assert.equal(messages.length, bodies.length);
    assert.ok(messages.filter(({ unreadable }) => unreadable?.endsWith('(14 KB).')).length > 6);
  }
  assert.ok(plain.text.length < 16_000 && text.length < 16_000);
  assert.equal(
    (await callTool('send_case_message', { ...asking, text: 'Still here.' }, own)).isError,
    undefined,
  );
});
