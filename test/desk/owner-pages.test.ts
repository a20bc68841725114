/** Orders, agents and people over an office in memory: what the pages explain, what they send, and to whom. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { DeskWork } from '#desk/model/desk-work.ts';
import type { OfficeSession } from '#desk/office/office-people.ts';
import { computeKeyFingerprint } from '#seal/core/case-key.ts';
import { assertFormTokens, createPageVisitor, readPage, readRedirect } from './asked-pages.ts';
import { createMadeUpOffice } from './made-up-office.ts';
import { createAgent, createOrder } from './made-up-owner.ts';

function createOwnerDesk(role: 'owner' | 'investigator' = 'owner') {
  const made = createMadeUpOffice();
  const [own, ...others] = made.session!.people;
  const session: OfficeSession = { ...made.session!, people: [{ ...own!, role }, ...others] };
  const office = Object.assign(made, { session });
  const desk = new DeskWork({ office, outFolder: null, templatesFolder: null });
  return { office, desk, ask: createPageVisitor(desk) };
}

test('each state of an order is explained in words of the desk, and none leads to a case', async () => {
  const { office, desk, ask } = createOwnerDesk();
  assert.match(readPage(await ask('GET', '/orders')).html, /Nothing waits here/);
  assert.equal(desk.describeFrame().counts.orders, undefined);
  for (const why of ['quarantined', 'disputed', 'held', '__proto__', 'toString'])
    office.orders.push(createOrder(why));
  const { html, title } = readPage(await ask('GET', '/orders'));
  assert.match(html, /1 payment is not what was sold/);
  assert.match(html, /1 payment is disputed/);
  assert.match(html, /1 order is on hold after a restore/);
  assert.match(html, /2 orders are in a state that this desk does not know/);
  assert.match(html, /client reference of the payment/);
  assert.doesNotMatch(html, /evil\.example|\/cases\//);
  assert.equal(title, 'Desk: orders');
  assert.equal(desk.describeFrame().counts.orders, 5);
  assertFormTokens(html, '/orders');
});

test('an order is marked as done, and released only after a confirmation', async () => {
  const { office, ask } = createOwnerDesk();
  const [wrong, held] = [createOrder('quarantined'), createOrder('held')];
  office.orders.push(wrong, held);
  assert.equal(readRedirect(await ask('POST', `/orders/${wrong.id}/done`)), '/orders');
  assert.match(readPage(await ask('GET', '/orders')).html, /listed again if its payment changes/);
  const unsure = readPage(await ask('POST', `/orders/${held.id}/release`));
  assert.equal(unsure.status, 409);
  assert.match(unsure.html, /so it stays on hold/);
  assert.deepEqual(office.sent, [['done', wrong.id]]);
  await ask('POST', `/orders/${held.id}/release`, { sure: 'yes' });
  assert.deepEqual(office.sent.at(-1), ['release', held.id]);
  const again = readPage(await ask('POST', `/orders/${held.id}/release`, { sure: 'yes' }));
  assert.deepEqual([again.status, again.html.includes('The office does not have this')], [409, true]);
});

test('an investigator sees a sentence instead of orders and agents, and nothing is asked', async () => {
  const { office, ask } = createOwnerDesk('investigator');
  office.orders.push(createOrder('quarantined'));
  office.listOrders = () => assert.fail('the office was asked');
  office.listAgents = () => assert.fail('the office was asked');
  for (const path of ['/agents', '/agents/x']) {
    const { html } = readPage(await ask('GET', path));
    assert.match(html, /This is for owners/);
    assert.doesNotMatch(html, /<form|quarantined/);
  }
  assert.doesNotMatch(readPage(await ask('GET', '/orders')).html, /<form|quarantined/);
});

test('refunds of declined cases wait for every investigator until one says that it was made', async () => {
  const { office, desk, ask } = createOwnerDesk('investigator');
  const refund = { payment_ref: 'IO-<b>-7', tier: 'Trace', declined_on: '2026-11-18' };
  const [mine, others] = ['RefundAAAAAAAAAAAAAAAA', 'RefundBBBBBBBBBBBBBBBB'];
  office.refunds.push(
    { id: mine, refund, isRestored: true },
    { id: others, refund: null, isRestored: false },
  );
  const { html } = readPage(await ask('GET', '/orders'));
  assert.match(html, /2 declined cases are to be refunded/);
  assert.match(html, /class="code">IO-&lt;b&gt;-7 <span class="tag">Restored<\/span><\/th>/);
  assert.match(html, /What came with a backup may have been made already/);
  assert.match(html, /sealed to a colleague/);
  assert.equal(desk.describeFrame().counts.orders, 2);
  assertFormTokens(html, '/orders');
  assert.equal(readRedirect(await ask('POST', `/refunds/${mine}/done`, {})), '/orders');
  assert.deepEqual(office.sent, [['refunded', mine]]);
  assert.doesNotMatch(readPage(await ask('GET', '/orders')).html, /IO-|made already/);
});

test('agents that wait for a decision come first; what they say of themselves is text', async () => {
  const { office, desk, ask } = createOwnerDesk();
  assert.match(readPage(await ask('GET', '/agents')).html, /No agent is waiting for a decision/);
  const hostile = createAgent('pending', {
    client_name: '<script>alert(1)</script>\u202ebank',
    contact: 'a@evil.example',
    redirect_uris: ['javascript:alert(1)'],
    created_at: null,
    scopes: ['case:write'],
  });
  office.agents.push(createAgent('active'), createAgent('toString'), hostile);
  const { html } = readPage(await ask('GET', '/agents'));
  assert.deepEqual(
    html.match(/(?<=class="group">)[^<]+/g)?.map((name) => name.trim()),
    ['Ask to register', 'At work', 'In another state'],
  );
  assert.equal(desk.describeFrame().counts.agents, 1);
  const opened = readPage(await ask('GET', `/agents/${hostile.registration_id}`)).html;
  assert.doesNotMatch(html + opened, /<script|\u202e|href="(?!\/)/);
  assert.match(opened, /a@evil\.example/);
  assert.match(opened, /It asks for <span class="code">case:write</);
  assert.doesNotMatch(opened, / checked/);
  assertFormTokens(opened, '/agents/ID');
  const unknown = readPage(await ask('GET', `/agents/${office.agents[1]!.registration_id}`)).html;
  assert.doesNotMatch(unknown, /name="decision"/);
  await assert.rejects(ask('GET', '/agents/q1Zl7yBq3mJx0c2y8l4QxA'), { code: 'refused' });
});

test('an agent is given what is ticked and known; what is lost has to be confirmed', async () => {
  const { office, ask } = createOwnerDesk();
  const { registration_id: id } = createAgent('pending');
  office.agents.push(createAgent('pending'));
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
  assert.deepEqual(office.sent, []);
  const ticked = { scope: ['pricing:read', 'case:read', 'desk'], grant: ['client_credentials'] };
  assert.equal(readRedirect(await sendDecision({ decision: 'approve', ...ticked })), `/agents/${id}`);
  const access = { scopes: ['case:read', 'pricing:read'], grants: ['client_credentials'] };
  assert.deepEqual(office.sent, [[id, { decision: 'approve', ...access }]]);
  assert.match(readPage(await ask('GET', `/agents/${id}`)).html, /A link to its secret goes to the contact/);
  assert.equal(readRedirect(await sendDecision({ decision: 'reject', sure: 'yes' })), '/agents');
  assert.deepEqual(office.sent.at(-1), [id, { decision: 'reject' }]);
});

test('people are told by name, role and the digits of their key, and who came or went is marked', async () => {
  const { office, desk, ask } = createOwnerDesk('investigator');
  const { people } = office.session;
  const same = readPage(await ask('GET', '/people')).html;
  assert.match(same, /Sam \(you\)/);
  assert.ok(people.every(({ recipient }) => same.includes(computeKeyFingerprint(recipient))));
  assert.match(same, /No one has joined, left or been renamed/);
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
  office.session = { ...office.session, people: [...people, stranger], peopleChange };
  const { html } = readPage(await ask('GET', '/people'));
  assert.match(html, /1 joined, 1 left, 1 changed since/);
  assert.match(html, /&lt;b&gt;Max⟨U\+202E⟩/);
  assert.match(html, /Without a name<\/th><td data-label="Key" class="code">\d{5}(?: \d{5}){3}</);
  assert.match(html, /action="\/people\/confirm"/);
  assert.match(html, /name="person" value="recovery R{43}"/);
  assert.match(html, /Another recovery key: [\d ]+\. Compare it/);
  assert.equal(desk.describeFrame().counts.people, 4);
  assert.match(html, /Changed<\/span> Was Ines, owner/);
  assertFormTokens(html, '/people');
});
