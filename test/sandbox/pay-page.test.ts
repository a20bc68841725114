/** The hosted pay page as a browser without scripts sees it. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import type { Stripe } from 'stripe';
import { toObjectId } from '#sandbox/state.ts';
import { buildCheckoutParameters, retrieveCharge, startSandboxWithReceiver } from './sandbox-process.ts';

const { sandbox, receiver } = await startSandboxWithReceiver({ after });

const createSession = (changes = {}) =>
  sandbox.stripe.checkout.sessions.create(buildCheckoutParameters(changes));
const retrieveSession = (id: string) => sandbox.stripe.checkout.sessions.retrieve(id);
const pressButton = (session: Stripe.Checkout.Session, action: string, typed: Record<string, string> = {}) =>
  fetch(`${sandbox.origin}/c/pay/${session.id}`, {
    method: 'POST',
    body: new URLSearchParams({ ...typed, action }),
    redirect: 'manual',
  });
const listEventTypes = (id: string) =>
  receiver.events.filter((event) => (event.data.object as { id?: string }).id === id).map(({ type }) => type);

test('it is plain HTML without script, names the order, and its first button pays', async () => {
  const session = await createSession();
  const answer = await fetch(session.url!);
  const page = await answer.text();
  const policy = answer.headers.get('content-security-policy') ?? '';
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /form-action 'self' https:\/\/shop\.example(;|$)/);
  assert.doesNotMatch(policy, /unsafe|script-src/);
  assert.doesNotMatch(page, /<script|<style|style=|\son\w+=/i);
  assert.match(page, /Sandbox: no money moves/);
  assert.match(page, /Deep Sweep/);
  assert.doesNotMatch(page, /stripe/i);
  const buttons = Array.from(page.matchAll(/<button[^>]*>([^<]+)<\/button>/g), (match) => match[1]);
  assert.deepEqual(buttons, [
    'Pay $299.00',
    'Pay later (bank debit, confirms afterwards)',
    'Pay later, and let it fail',
    'Decline the card',
    'Cancel and go back',
  ]);
  const stylesheet = await fetch(`${sandbox.origin}/page.css`);
  assert.equal(stylesheet.headers.get('content-type'), 'text/css; charset=utf-8');
});

test('what the shop calls its product is shown as text, never as markup', async () => {
  const name = '<script>alert("x")</script>';
  const price_data = { currency: 'jpy', unit_amount: 500, product_data: { name } };
  const session = await createSession({ line_items: [{ quantity: 2, price_data }] });
  const page = await (await fetch(session.url!)).text();
  assert.doesNotMatch(page, /<script/);
  assert.match(page, /Pay ¥1,000/);
});

test('paying completes the session, tells the shop first and returns to the very success URL', async () => {
  const session = await createSession({ payment_intent_data: { metadata: { order_id: 'o-1' } } });
  const answer = await pressButton(session, 'pay');
  assert.deepEqual(
    listEventTypes(session.id),
    ['checkout.session.completed'],
    'the webhook came before the redirect',
  );
  assert.equal(answer.status, 303);
  const expected = `https://shop.example/inquiry?tier=Deep%20Sweep&session_id=${session.id}`;
  assert.equal(answer.headers.get('location'), expected);

  assert.partialDeepStrictEqual(await retrieveSession(session.id), {
    status: 'complete',
    payment_status: 'paid',
    url: null,
    customer_details: { email: 'buyer@sandbox.invalid' },
  });
  const { intent, charge } = await retrieveCharge(sandbox, session.id);
  assert.equal(intent.status, 'succeeded');
  assert.equal(intent.amount_received, 29_900);
  assert.deepEqual(intent.metadata, { order_id: 'o-1' });
  assert.equal(charge.paid, true);
  assert.deepEqual(charge.metadata, { order_id: 'o-1' });
  // The redirect waits only for the event of the session.
  const hasCome = ({ id }: { id: string }) => listEventTypes(id).length > 0;
  await receiver.waitUntil(() => hasCome(intent) && hasCome(charge));
  assert.deepEqual(listEventTypes(intent.id), ['payment_intent.succeeded']);
  assert.deepEqual(listEventTypes(charge.id), ['charge.succeeded']);

  const closed = await (await fetch(`${sandbox.origin}/c/pay/${session.id}`)).text();
  assert.match(closed, /This payment is complete/);
  assert.ok(closed.includes(`href="${expected.replaceAll('&', '&#38;')}"`));
});

test('it asks for an e-mail address, which session and charge then have; a wrong one pays nothing', async () => {
  const session = await createSession();
  const page = await (await fetch(session.url!)).text();
  assert.match(page, /<label for="email">E-mail<\/label>/);
  assert.match(page, /<input id="email" name="email" type="email" value="buyer@sandbox.invalid"/);
  for (const email of ['', 'no-address', 'a@b@c', 'a b@example.org', `${'a'.repeat(600)}@example.org`]) {
    const refused = await pressButton(session, 'pay', { email });
    assert.equal(refused.status, 200);
    assert.match(await refused.text(), /role="alert">Enter an e-mail address/);
  }
  assert.equal((await retrieveSession(session.id)).payment_status, 'unpaid');
  assert.equal((await pressButton(session, 'pay', { email: 'payer@example.org' })).status, 303);
  const paid = await retrieveSession(session.id);
  assert.equal(paid.customer_details?.email, 'payer@example.org');
  const { charge } = await retrieveCharge(sandbox, session.id);
  assert.equal(charge.billing_details.email, 'payer@example.org');
});

test('ten clicks on Pay at once make one charge and all return to the shop', async () => {
  const session = await createSession();
  const answers = await Promise.all(Array.from({ length: 10 }, () => pressButton(session, 'pay')));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([303]));
  const events = await sandbox.stripe.events.list({ type: 'charge.succeeded', limit: 100 });
  const { payment_intent } = await retrieveSession(session.id);
  const charges = events.data.filter(
    ({ data }) => (data.object as Stripe.Charge).payment_intent === payment_intent,
  );
  assert.equal(charges.length, 1);
  assert.deepEqual(listEventTypes(session.id), ['checkout.session.completed']);
});

test('a declined card leaves the session open, and the next try uses the same intent', async () => {
  const session = await createSession();
  const answer = await pressButton(session, 'decline');
  assert.equal(answer.status, 200);
  assert.match(await answer.text(), /role="alert">The card was declined/);
  const declined = await retrieveSession(session.id);
  assert.equal(declined.status, 'open');
  assert.deepEqual(listEventTypes(toObjectId(declined.payment_intent)), ['payment_intent.payment_failed']);
  await pressButton(session, 'pay');
  const paid = await retrieveSession(session.id);
  assert.equal(paid.payment_status, 'paid');
  assert.equal(paid.payment_intent, declined.payment_intent);
});

test('cancelling goes back and leaves the session open', async () => {
  const session = await createSession();
  const answer = await pressButton(session, 'cancel');
  assert.equal(answer.status, 303);
  assert.equal(answer.headers.get('location'), 'https://shop.example/');
  assert.equal((await retrieveSession(session.id)).status, 'open');
});

test('paying later completes the session unpaid, and the bank answers afterwards', async () => {
  await sandbox.callControl('PUT', 'faults', { settle_after_ms: 100 });
  for (const [action, type, payment_status] of [
    ['pay_later', 'checkout.session.async_payment_succeeded', 'paid'],
    ['pay_later_fail', 'checkout.session.async_payment_failed', 'unpaid'],
  ] as const) {
    const session = await createSession();
    assert.equal((await pressButton(session, action)).status, 303);
    const [completed] = receiver.events
      .filter((event) => event.type === 'checkout.session.completed')
      .slice(-1);
    assert.equal(completed!.data.object.payment_status, 'unpaid');
    await receiver.waitUntil(() => listEventTypes(session.id).includes(type));
    const settled = await retrieveSession(session.id);
    assert.equal(settled.status, 'complete');
    assert.equal(settled.payment_status, payment_status);
  }
  await sandbox.callControl('PUT', 'faults', {});
});

test('an expired page says so, takes no payment and links back', async () => {
  const session = await createSession();
  await sandbox.callControl('POST', `sessions/${session.id}/expire`);
  for (const answer of [await fetch(session.url!), await pressButton(session, 'pay')]) {
    const page = await answer.text();
    assert.match(page, /This payment page has expired/);
    assert.match(page, /href="https:\/\/shop\.example\/"/);
    assert.doesNotMatch(page, /<button/);
  }
  assert.equal((await retrieveSession(session.id)).payment_intent, null);
  await receiver.waitUntil(() => listEventTypes(session.id).includes('checkout.session.expired'));
});

test('an unknown page is a 404, and the front page explains itself', async () => {
  assert.equal((await fetch(`${sandbox.origin}/c/pay/cs_test_none`)).status, 404);
  assert.match(await (await fetch(sandbox.origin)).text(), /No money moves/);
});
