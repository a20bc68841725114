/** Orders, agents and people over a scripted office: what the pages explain, what they send, and to whom. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { sealRefund } from '#seal/case/refund.ts';
import { computeKeyFingerprint } from '#seal/core/case-key.ts';
import { assertFormTokens, openDeskPages, readPage, readRedirect } from './asked-pages.ts';
import { listPaths } from './hostile-script.ts';
import { answerFromLists, createAgent, createOrder } from './owner-lists.ts';
import { startScriptedOffice } from './scripted-office.ts';

async function createOwnerDesk(t: TestContext, role: 'owner' | 'investigator' = 'owner') {
  const scripted = await startScriptedOffice(t);
  const { people } = scripted;
  people[0] = { ...people[0]!, role };
  const lists: Parameters<typeof answerFromLists>[0] = { orders: [], agents: [], refunds: [] };
  scripted.script = answerFromLists(lists);
  const listActs = () => listPaths(scripted).filter((path) => /^POST \/(orders|agents|refunds)/.test(path));
  return { ...openDeskPages(await scripted.connectConfirmed()), scripted, listActs, ...lists };
}

test('each state of an order is explained in words of the desk, and none leads to a case', async (t) => {
  const { orders, desk, ask, show } = await createOwnerDesk(t);
  assert.match(await show('/orders'), /Nothing is waiting here/);
  assert.equal(desk.describeFrame().counts.orders, undefined);
  for (const why of ['quarantined', 'disputed', 'held', '__proto__', 'toString'])
    orders.push(createOrder(why));
  const { html, title } = readPage(await ask('GET', '/orders'));
  assert.match(html, /1 payment does not match what was sold/);
  assert.match(html, /1 payment is disputed/);
  assert.match(html, /1 order is on hold after a restore/);
  assert.match(html, /2 orders are in a state that this desk does not know/);
  assert.match(html, /client reference of the payment/);
  assert.doesNotMatch(html, /evil\.example|\/cases\//);
  assert.equal(title, 'Desk: orders');
  assert.equal(desk.describeFrame().counts.orders, 5);
  assertFormTokens(html, '/orders');
});

test('an order is marked as done, and released only after a confirmation', async (t) => {
  const { orders, listActs, ask, show } = await createOwnerDesk(t);
  const [wrong, held] = [createOrder('quarantined'), createOrder('held')];
  orders.push(wrong, held);
  assert.equal(readRedirect(await ask('POST', `/orders/${wrong.id}/done`)), '/orders');
  assert.match(await show('/orders'), /listed again if its payment changes/);
  const unsure = readPage(await ask('POST', `/orders/${held.id}/release`));
  assert.equal(unsure.status, 409);
  assert.match(unsure.html, /The order stays on hold\./);
  assert.deepEqual(listActs(), [`POST /orders/${wrong.id}/done`]);
  await ask('POST', `/orders/${held.id}/release`, { sure: 'yes' });
  assert.equal(listActs().at(-1), `POST /orders/${held.id}/release`);
  const again = readPage(await ask('POST', `/orders/${held.id}/release`, { sure: 'yes' }));
  assert.deepEqual([again.status, again.html.includes('The office has no such entry')], [409, true]);
});

test('an investigator sees a sentence instead of orders and agents, and nothing is asked', async (t) => {
  const { orders, scripted, show } = await createOwnerDesk(t, 'investigator');
  orders.push(createOrder('quarantined'));
  for (const path of ['/agents', '/agents/x']) {
    const html = await show(path);
    assert.match(html, /This page is for owners/);
    assert.doesNotMatch(html, /<form|quarantined/);
  }
  assert.doesNotMatch(await show('/orders'), /<form|quarantined/);
  assert.ok(!listPaths(scripted).some((path) => /orders|agents/.test(path)), 'the office was asked');
});

test('refunds of declined cases wait for every investigator until one says that it was made', async (t) => {
  const { refunds, scripted, listActs, desk, ask, show } = await createOwnerDesk(t, 'investigator');
  const refund = { payment_ref: 'IO-<b>-7', tier: 'Trace', declined_on: '2026-11-18' };
  const [mine, others] = ['RefundAAAAAAAAAAAAAAAA', 'RefundBBBBBBBBBBBBBBBB'];
  for (const [id, { recipient }] of [
    [mine, scripted.people[0]!],
    [others, scripted.people[1]!],
  ] as const) {
    const sealed = Buffer.from(await sealRefund(refund, [recipient])).toString('base64url');
    refunds.push({ id, sealed, restored: id === mine });
  }
  const html = await show('/orders');
  assert.match(html, /2 declined cases are to be refunded/);
  assert.match(html, /class="code">IO-&lt;b&gt;-7 <span class="tag">Restored<\/span><\/th>/);
  assert.match(html, /A refund with the tag Restored may have been made already/);
  assert.match(html, /sealed to a colleague/);
  assert.equal(desk.describeFrame().counts.orders, 2);
  assertFormTokens(html, '/orders');
  assert.equal(readRedirect(await ask('POST', `/refunds/${mine}/done`, {})), '/orders');
  assert.deepEqual(listActs(), [`POST /refunds/${mine}/done`]);
  assert.doesNotMatch(await show('/orders'), /IO-|made already/);
});

test('agents that wait for a decision come first; what they say of themselves is text', async (t) => {
  const { agents, desk, ask, show } = await createOwnerDesk(t);
  assert.match(await show('/agents'), /No agent is waiting for a decision/);
  const hostile = createAgent('pending', {
    client_name: '<script>alert(1)</script>\u202ebank',
    contact: 'a@evil.example',
    redirect_uris: ['javascript:alert(1)'],
    created_at: null,
    scopes: ['case:write'],
  });
  agents.push(createAgent('active'), createAgent('toString'), hostile);
  const html = await show('/agents');
  assert.deepEqual(
    html.match(/(?<=class="group">)[^<]+/g)?.map((name) => name.trim()),
    ['Asking to register', 'Active', 'Unknown state'],
  );
  assert.equal(desk.describeFrame().counts.agents, 1);
  const opened = await show(`/agents/${hostile.registration_id}`);
  assert.doesNotMatch(html + opened, /<script|\u202e|href="(?!\/)/);
  assert.match(opened, /a@evil\.example/);
  assert.match(opened, /It asks for <span class="code">case:write</);
  assert.doesNotMatch(opened, / checked/);
  assertFormTokens(opened, '/agents/ID');
  const unknown = await show(`/agents/${agents[1]!.registration_id}`);
  assert.doesNotMatch(unknown, /name="decision"/);
  await assert.rejects(ask('GET', '/agents/q1Zl7yBq3mJx0c2y8l4QxA'), { code: 'refused' });
});

test('an agent is given what is ticked and known; what is lost has to be confirmed', async (t) => {
  const { agents, scripted, listActs, ask, show } = await createOwnerDesk(t);
  const { registration_id: id } = createAgent('pending');
  agents.push(createAgent('pending'));
  const sendDecision = async (fields: Readonly<Record<string, string | readonly string[]>>) =>
    await ask('POST', `/agents/${id}`, fields);
  for (const fields of [
    { decision: 'approve' },
    { decision: 'approve', scope: 'case:read' },
    { decision: 'approve', scope: 'desk', grant: 'password' },
    { decision: 'reject' },
    { decision: 'rotate', sure: 'no' },
  ])
    assert.equal(readPage(await sendDecision(fields)).status, 409, JSON.stringify(fields));
  assert.equal(readRedirect(await sendDecision({ decision: 'delete' })), `/agents/${id}`);
  assert.deepEqual(listActs(), []);
  const readDecision = () => JSON.parse(scripted.received.findLast(({ method }) => method === 'POST')!.body);
  const ticked = { scope: ['pricing:read', 'case:read', 'desk'], grant: ['client_credentials'] };
  assert.equal(readRedirect(await sendDecision({ decision: 'approve', ...ticked })), `/agents/${id}`);
  const access = { scopes: ['case:read', 'pricing:read'], grants: ['client_credentials'] };
  assert.deepEqual(readDecision(), { decision: 'approve', ...access });
  assert.match(await show(`/agents/${id}`), /A link to its secret goes to the contact/);
  assert.equal(readRedirect(await sendDecision({ decision: 'reject', sure: 'yes' })), '/agents');
  assert.deepEqual(readDecision(), { decision: 'reject' });
  assert.deepEqual(listActs(), [`POST /agents/${id}`, `POST /agents/${id}`]);
});

test('people are told by name, role and the digits of their key, and who came or went is marked', async (t) => {
  const { office, desk, show } = await createOwnerDesk(t, 'investigator');
  const session = office.session!;
  const { people } = session;
  const same = await show('/people');
  assert.match(same, /Ada \(you\)/);
  assert.ok(people.every(({ recipient }) => same.includes(computeKeyFingerprint(recipient))));
  assert.match(same, /No one has joined, left or changed/);
  assert.match(same, /office keys reseal --key FILE/);
  assert.equal(desk.describeFrame().counts.people, undefined);
  const stranger = {
    holder: 'C'.repeat(43),
    name: '<b>Max\u202e',
    role: 'owner',
    recipient: 'age1pq1max',
  } as const;
  const peopleChange = {
    came: [stranger],
    went: [{ holder: 'D'.repeat(43), name: null }],
    changed: [{ ...people[1]!, before: { ...people[1]!, name: 'Ines', role: 'owner' as const } }],
    recovery: 'R'.repeat(43),
    isFirst: false,
  };
  Object.defineProperty(office, 'session', {
    value: { ...session, people: [...people, stranger], peopleChange },
  });
  const html = await show('/people');
  assert.match(html, /1 joined, 1 left, 1 changed since/);
  assert.match(html, /&lt;b&gt;Max⟨U\+202E⟩/);
  assert.match(html, /Without a name<\/th><td data-label="Key" class="code">\d{5}(?: \d{5}){3}</);
  assert.match(html, /action="\/people\/confirm"/);
  assert.match(html, /name="person" value="recovery R{43}"/);
  assert.match(html, /A different recovery key: [\d ]+\. Compare it/);
  assert.equal(desk.describeFrame().counts.people, 4);
  assert.match(html, /Changed<\/span> Was Ines, owner/);
  assertFormTokens(html, '/people');
});
