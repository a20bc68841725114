/** The buyer's return from payment: what opens the form, and what strangers learn (nothing). */
import assert from 'node:assert/strict';
import test, { after, beforeEach } from 'node:test';
import { startCheckout } from '#payments/checkout.ts';
import { redeemVoucher, type Voucher } from '#payments/redeem.ts';
import { cutToDay } from '#platform/text/day.ts';
import { postFormFields } from '#test/cases/plain-form.ts';
import type { HttpsResponse } from '#test/https-client.ts';
import { waitUntil } from '#test/patience.ts';
import { buildTestApp } from '#test/test-app.ts';
import { startTestShop } from '#test/test-shop.ts';

const { get, createSession, findOrder, sandbox, store, services } = await startTestShop({ after });

beforeEach(() => sandbox.setFaults());

async function createPaidSession(tier = 'Trace'): Promise<string> {
  const id = await createSession(tier);
  await sandbox.pay(id);
  return id;
}

/** The cookie of an answer that leads to the form, as it was set. */
function requireCookie({ status, headers }: HttpsResponse): string {
  assert.deepEqual([status, headers.location], [303, '/inquiry']);
  return headers['set-cookie']?.[0] ?? '';
}

const fetchLandingCookie = async (id: string) =>
  requireCookie(await get(`/inquiry?tier=Trace&session_id=${id}`));

/** As a browser would send the cookie back. */
const toHeaders = (cookie: string) => ({ cookie: cookie.split(';')[0] ?? '' });
const fetchInquiryForm = (cookie: string) => get('/inquiry', { headers: toHeaders(cookie) });

const redeem = (voucher: Voucher) =>
  store.transaction((records) => redeemVoucher(records, services, voucher));

/** Starts a checkout as a program does; returns the session of its payment page, too. */
async function buyAsProgram() {
  const owner = { clientId: 'agent', userId: null };
  const { order, url } = await startCheckout(services, { tier: 'Trace', key: null, buyer: owner });
  return { id: url.split('/').at(-1) ?? '', voucher: { orderId: order.id, owner } };
}

async function waitForPayment(id: string, payment: string): Promise<void> {
  await waitUntil(`the payment is ${payment}`, async () => (await findOrder(id))?.payment === payment);
}

test('a paid session is exchanged for a cookie that reveals neither session nor order', async () => {
  const id = await createPaidSession();
  const cookie = await fetchLandingCookie(id);
  assert.match(cookie, /^__Host-inquiry=[\w-]+; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  assert.ok(!cookie.includes(id));
  assert.ok(!Buffer.from(cookie.split('=')[1] ?? '', 'base64url').includes(id));
});

test('the form names the tier that was paid for, whatever the address says', async () => {
  const id = await createPaidSession('Dossier');
  const page = await fetchInquiryForm(
    requireCookie(await get(`/inquiry?tier=Deep%20Sweep&session_id=${id}`)),
  );
  assert.equal(page.status, 200);
  assert.match(page.headers['content-type'] ?? '', /^text\/html/);
  assert.ok(page.text.includes('Dossier') && !page.text.includes('Deep Sweep'));
  assert.equal(page.headers['cache-control'], 'no-store');
  assert.equal(page.headers['referrer-policy'], 'no-referrer');
});

test('an unknown, an unpaid, a malformed and a used session get the same answer', async () => {
  const used = await createPaidSession();
  await redeem({ sessionId: used });
  const unpaid = await createSession();
  const ids = ['cs_test_unknown0000000000', unpaid, used, 'x', '', '<script>', `${used}&session_id=x`];
  const pages = await Promise.all(ids.map((id) => get(`/inquiry?session_id=${id}`)));
  for (const [index, page] of pages.entries()) {
    assert.equal(page.status, 404, ids[index]);
    assert.equal(page.text, pages[0]?.text);
    assert.equal(page.headers['set-cookie'], undefined);
  }
  assert.equal((await get('/inquiry')).text, pages[0]?.text);
});

test('a forged, foreign or damaged cookie opens nothing and is cleared', async () => {
  const cookie = await fetchLandingCookie(await createPaidSession());
  for (const wrong of [
    '__Host-inquiry=',
    '__Host-inquiry=AAAA',
    `${cookie.slice(0, 40)}AAAA${cookie.slice(44)}`,
  ]) {
    const page = await fetchInquiryForm(wrong);
    assert.equal(page.status, 404);
    assert.match(String(page.headers['set-cookie']), /__Host-inquiry=;/);
  }
});

test('when the webhook is lost the landing alone marks the order as paid', async () => {
  await sandbox.setFaults({ webhooks: { lose: true } });
  const id = await createPaidSession();
  assert.equal((await findOrder(id))?.payment, 'pending');
  await fetchLandingCookie(id);
  assert.equal((await findOrder(id))?.payment, 'paid');
});

test('when the provider is down a known payment still opens the form, and an unknown one is asked to wait', async () => {
  const known = await createPaidSession();
  await sandbox.setFaults({ webhooks: { lose: true } });
  const unknown = await createPaidSession();
  await sandbox.setFaults({ api: [{ match: 'GET /v1/checkout/sessions/{id}', status: 500 }] });
  await fetchLandingCookie(known);
  const page = await get(`/inquiry?session_id=${unknown}`);
  assert.equal(page.status, 503);
  assert.ok(page.headers['retry-after']);
  assert.match(page.text, /nothing is lost/);
});

test('a pending payment is reported as pending, and opens the form once it is paid', async () => {
  await sandbox.setFaults({ settle_after_ms: 3_600_000 });
  const id = await createSession();
  await sandbox.pay(id, 'pay_later');
  const cookie = await fetchLandingCookie(id);
  assert.match((await fetchInquiryForm(cookie)).text, /on its way/);
  await sandbox.pay(id, 'settle');
  await waitForPayment(id, 'paid');
  assert.match((await fetchInquiryForm(cookie)).text, /Payment received/);
});

test('the dead end leads to the words, to a person, and says what to quote instead of a story', async () => {
  const { text } = await get('/inquiry');
  assert.match(text, /<a href="\/case">/);
  assert.match(text, /href="\/contact"/);
  assert.match(text, /the day and the time you paid/);
  assert.match(text, /leave your question out/);
  assert.doesNotMatch(text, /open the link from the payment page/);
});

test('a delayed payment that failed says so, at its landing and in its browser, until another is made', async () => {
  await sandbox.setFaults({ settle_after_ms: 3_600_000 });
  const id = await createSession();
  await sandbox.pay(id, 'pay_later_fail');
  const cookie = await fetchLandingCookie(id);
  assert.match((await fetchInquiryForm(cookie)).text, /on its way/);
  await sandbox.pay(id, 'settle');
  await waitForPayment(id, 'failed');
  for (const page of [await fetchInquiryForm(cookie), await get(`/inquiry?session_id=${id}`)]) {
    assert.deepEqual([page.status, page.headers['set-cookie']], [402, undefined]);
    assert.match(page.text, /<h1>Your payment didn’t go through<\/h1>/);
    assert.doesNotMatch(page.text, /wait a minute|There is no open form/);
  }
  const another = `/inquiry?session_id=${await createPaidSession('Dossier')}`;
  const added = requireCookie(await get(another, { headers: toHeaders(cookie) }));
  assert.match((await fetchInquiryForm(added)).text, /Dossier/);
});

test('the payer of an order that a program made reads that it goes on by itself, before and after it does', async () => {
  const { id, voucher } = await buyAsProgram();
  await sandbox.pay(id);
  const openLanding = (from = 'same-origin') =>
    get(`/inquiry?tier=Trace&session_id=${id}`, {
      headers: { 'accept-language': 'es', 'sec-fetch-site': from },
    });
  const asked = await openLanding('cross-site');
  assert.deepEqual([asked.status, asked.headers['set-cookie']], [200, undefined]);
  assert.match(asked.text, /¿Usted pagó Trace\?/);
  const first = await openLanding();
  assert.deepEqual([first.status, first.headers.location], [303, '/payment-received']);
  // The right to use the payment is unchanged: the form opens for a payer who was asked to fill it in.
  const [cookie = ''] = first.headers['set-cookie'] ?? [];
  assert.match((await fetchInquiryForm(cookie)).text, /Payment received/);
  await redeem(voucher);
  const { status, headers } = await openLanding();
  assert.deepEqual([status, headers.location, headers['set-cookie']], [303, '/payment-received', undefined]);
  const page = await get('/payment-received');
  assert.equal(page.status, 200);
  assert.match(
    page.text,
    /program that asked for this payment goes on by itself\. You can close this page\./,
  );
  const spanish = await get('/payment-received', { headers: { 'accept-language': 'es' } });
  assert.match(spanish.text, /Puede cerrar esta página/);
});

test('the payer of a program is led back to it, from a payment on its way and from a cancelled one', async () => {
  await sandbox.setFaults({ settle_after_ms: 3_600_000 });
  const { id } = await buyAsProgram();
  await sandbox.pay(id, 'pay_later');
  const { text } = await fetchInquiryForm(await fetchLandingCookie(id));
  assert.match(text, /on its way/);
  assert.match(text, /Once it does, the program that asked for it carries on by itself/);
  assert.doesNotMatch(text, /form opens here|Check again/);
  assert.match((await get('/payment-cancelled')).text, /program sent you here to pay, go back to it/);
});

test('an order of a program that is not paid tells its payer no more than any other', async () => {
  const { id } = await buyAsProgram();
  const unpaid = await get(`/inquiry?session_id=${id}`);
  assert.equal(unpaid.status, 404);
  assert.equal(unpaid.text, (await get('/inquiry')).text);
});

test('a stranger’s guess costs no call to the provider', async () => {
  await get('/inquiry?session_id=cs_test_guess00000000000');
  await get('/inquiry?session_id=cs_live_guess00000000000');
  assert.deepEqual((await sandbox.readCalls()).counts, {});
});

/** What a browser reports for a visit that begins on the provider's page, on another site or in a mailbox. */
const FOREIGN_VISITS = ['cross-site', 'same-site', 'none'] as const;

for (const from of FOREIGN_VISITS)
  test(`a payment that began elsewhere is shown before a browser keeps it, for a ${from} visit`, async () => {
    const planted = await createPaidSession('Dossier');
    const own = await createPaidSession();
    const { cookie } = toHeaders(await fetchLandingCookie(own));
    const address = `/inquiry?tier=Trace&session_id=${planted}`;
    const page = await get(address, { headers: { 'sec-fetch-site': from, cookie } });
    assert.deepEqual([page.status, page.headers['set-cookie']], [200, undefined]);
    assert.match(page.text, /<h1>Did you pay for Dossier\?<\/h1>/);
    const press = (site: string) => {
      const type = 'application/x-www-form-urlencoded';
      const headers = { 'content-type': type, 'sec-fetch-site': site, cookie };
      return get('/inquiry', { method: 'POST', headers, body: `session_id=${planted}` });
    };
    if (from !== 'none') assert.equal((await press(from)).status, 403);
    const form = await fetchInquiryForm(requireCookie(await press('same-origin')));
    assert.ok(form.text.includes('<dd>Dossier</dd>'));
  });

test('a payment that began in this browser opens its form at once, and no other payment does', async () => {
  const bought = await postFormFields({ get }, '/buy', { tier: 'Trace' });
  const [mark = ''] = bought.headers['set-cookie'] ?? [];
  assert.match(mark, /^__Host-purchase=[\w-]+; Max-Age=7200; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  const own = new URL(bought.headers.location ?? '').pathname.split('/').at(-1) ?? '';
  await sandbox.pay(own);
  const headers = { 'sec-fetch-site': 'cross-site', ...toHeaders(mark) };
  const planted = await createPaidSession();
  const shown = await get(`/inquiry?session_id=${planted}`, { headers });
  assert.deepEqual([shown.status, shown.headers['set-cookie']], [200, undefined]);
  requireCookie(await get(`/inquiry?session_id=${own}`, { headers }));
});

test('a button without a payment opens nothing', async () => {
  for (const body of ['', 'session_id=', 'session_id=cs_test_unknown0000000000']) {
    const answer = await postFormFields({ get }, '/inquiry', Object.fromEntries(new URLSearchParams(body)));
    assert.deepEqual([answer.status, answer.headers['set-cookie']], [404, undefined]);
  }
});

test('with payments switched off the landing answers as for an unknown session, and the webhook is closed', async (t) => {
  const closed = await buildTestApp(t);
  assert.equal((await closed.get('/inquiry?session_id=cs_test_guess00000000000')).status, 404);
  const event = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
  assert.equal((await closed.get('/api/stripe/webhook', event)).json['code'], 'payments_not_configured');
});

test('a refund closes a form that was not sent', async () => {
  const id = await createPaidSession();
  const cookie = await fetchLandingCookie(id);
  await sandbox.refund(id);
  await sandbox.callControl('POST', 'webhooks/flush');
  assert.equal((await fetchInquiryForm(cookie)).status, 404);
});

test('a redeemed order records neither when nor for which case', async () => {
  const id = await createPaidSession();
  const before = await findOrder(id);
  await redeem({ sessionId: id });
  const day = cutToDay(before!.created_at);
  assert.deepEqual(
    { ...(await findOrder(id)) },
    { ...before, redeemed: 1, created_at: day, expires_at: day, return_link_at: null },
  );
});
