/** The e-mail with the return link to a paid form: when it is sent, what it says, and what its link opens. */
import assert from 'node:assert/strict';
import test, { after, beforeEach } from 'node:test';
import { redeemVoucher } from '#payments/redeem.ts';
import { createReturnLinkMailer, enqueueReturnLinks, requestReturnLink } from '#payments/return-link.ts';
import { readConfig } from '#platform/config/config.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#platform/durations.ts';
import { RETURN_LINK_MINUTES } from '#platform/expiry.ts';
import { openLog } from '#platform/log.ts';
import { createMailSender } from '#platform/mail/mail.ts';
import type { Services } from '#services.ts';
import { holdUnusedOrders, releaseOrderOnHold } from '#store/orders/orders-to-review.ts';
import { listOutboxEntries } from '#store/outbox.ts';
import { createOutboxWorker } from '#store/outbox-worker.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { createDeskCli } from '#test/cli/desk-cli.ts';
import { startSmtpServer } from '#test/mail/smtp-server.ts';
import { clientCredentialsForm, toOAuthTestApp } from '#test/oauth/oauth-test-app.ts';
import { waitUntil } from '#test/patience.ts';
import { listEngineVariables } from '#test/store/engines.ts';
import { readCheckoutSessionId, startTestShop, type TestShop } from '#test/test-shop.ts';

const cleanUp = withReverseCleanup({ after });
const smtp = await startSmtpServer(cleanUp);
const time = { offset: 0 };
const clock = { now: () => Date.now() + time.offset };
const PAYER = 'payer@example.org';
/** Separate from the shop's log, because it may name the mail server. */
const lines: string[] = [];
const log = openLog({ write: (line) => void lines.push(line) });
cleanUp.after(() => assert.doesNotMatch(lines.join(''), /@|cs_test_|continue/));
const formHeaders = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };

async function openShop(env: Record<string, string> = {}) {
  const shop = await startTestShop(cleanUp, { clock, env });
  const mail = { SMTP_URL: smtp.url, MAIL_FROM: 'office@example.org' };
  const sendMail = createMailSender(readConfig({ DATA_DIR: shop.dataDir, ...mail }));
  const runOnce = async (services: Services = shop.services) => {
    await enqueueReturnLinks(services);
    const handlers = createReturnLinkMailer({ ...services, sendMail });
    await createOutboxWorker({ ...services, log, handlers })();
  };
  const pay = async (how = 'pay', id?: string) => {
    const session = id ?? (await shop.createSession('Dossier'));
    await shop.sandbox.callControl('POST', `sessions/${session}/${how}`, { email: PAYER });
    return session;
  };
  return {
    ...shop,
    pay,
    /** Runs the tasks of two instances at the same time. */
    runTasks: async () => void (await Promise.all([runOnce(), runOnce()])),
    runOnce,
    redeem: (sessionId: string) =>
      shop.store.transaction((records) => redeemVoucher(records, shop.services, { sessionId })),
  };
}

/** The e-mails since the last call. */
function takeEmails() {
  return smtp.received.splice(0).map(({ to, text }) => {
    const plain = text.replaceAll('=\n', '').replaceAll('=3D', '=');
    return { to, text: plain, link: /^https:\/\/localhost:\d+(\/continue\/\S+)$/m.exec(plain)?.[1] ?? '' };
  });
}

/** The one e-mail that has been sent since the last call. */
function takeEmail() {
  const [email, ...others] = takeEmails();
  assert.ok(email);
  assert.deepEqual([email.to, others], [[PAYER], []]);
  return email;
}

/** Presses the button of the page of a link. */
const press = (get: TestShop['get'], link: string, headers = formHeaders) =>
  get(link, { method: 'POST', headers, body: '' });

/** When the e-mail is due for a payment that has just been made. */
async function runWhenDue({ runTasks }: Pick<Awaited<ReturnType<typeof openShop>>, 'runTasks'> = shop) {
  time.offset = RETURN_LINK_MINUTES * MINUTE_MS;
  await runTasks();
}

const engines = Object.entries(await listEngineVariables(cleanUp));
const shops = await Array.fromAsync(engines, async ([engine, env]) => ({ engine, ...(await openShop(env)) }));
const shop = shops[0]!;

beforeEach(async () => {
  time.offset = 0;
  Object.assign(smtp, { refusing: false, losingAnswers: false });
  for (const each of shops) {
    await each.store.records.deleteFrom('outbox').execute();
    await each.store.records.updateTable('orders').set({ return_link_at: null }).execute();
    await each.sandbox.setFaults();
  }
  takeEmails();
});

for (const { engine, findOrder, get, pay, redeem, runTasks, store } of shops) {
  test(`a form that was not sent brings one e-mail an hour after the payment, on ${engine}`, async () => {
    const id = await pay();
    time.offset = HOUR_MS - 2_000;
    await runTasks();
    assert.deepEqual(takeEmails(), [], 'the form is still being filled in');
    time.offset = HOUR_MS;
    await runTasks();
    const { link } = takeEmail();
    assert.match(link, /^\/continue\/[\w-]{43}$/);
    for (const later of [HOUR_MS, DAY_MS, 31 * DAY_MS]) {
      time.offset = later;
      await runTasks();
    }
    assert.deepEqual(takeEmails(), []);
    time.offset = 0;
    const order = await findOrder(id);
    const records = JSON.stringify([order, await store.records.selectFrom('outbox').selectAll().execute()]);
    assert.ok(!records.includes(link.split('/').at(-1) ?? ''));
    assert.ok(!records.includes(PAYER));
  });

  test(`the link opens the form with its button alone, as often as needed until the form is sent, on ${engine}`, async () => {
    const id = await pay();
    await runWhenDue({ runTasks });
    const { link } = takeEmail();
    for (let visit = 0; visit < 3; visit += 1) {
      const page = await get(link);
      assert.deepEqual([page.status, page.headers['set-cookie']], [200, undefined]);
      assert.equal(page.headers['cache-control'], 'no-store');
      assert.match(page.text, new RegExp(`<form method="post" action="${link}">`));
      assert.doesNotMatch(page.text, /Dossier|\$|paid/);
      const opened = await press(get, link);
      assert.deepEqual([opened.status, opened.headers.location], [303, '/inquiry']);
      const cookie = opened.headers['set-cookie']?.[0] ?? '';
      assert.match(
        cookie,
        /^__Host-inquiry=[\w-]+; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      );
      const form = await get('/inquiry', { headers: { cookie: cookie.split(';')[0] ?? '' } });
      assert.match(form.text, /Dossier/);
    }
    await redeem(id);
    assert.equal((await findOrder(id))?.return_link_hash, null);
    const page = await get(link);
    const pressed = await press(get, link);
    const forged = await get(`/continue/${'A'.repeat(43)}`);
    for (const answer of [page, pressed, forged]) {
      assert.deepEqual([answer.status, answer.headers['set-cookie']], [404, undefined]);
      assert.equal(answer.text, forged.text);
    }
    assert.match(forged.text, /href="\/case"[\s\S]*href="\/contact"/);
  });
}

test('the e-mail is announced before Buy, and on the privacy page', async () => {
  const home = (await shop.get('/')).text;
  const announced = home.indexOf(`${RETURN_LINK_MINUTES} minutes after you paid, we send one email`);
  assert.ok(announced > 0 && announced < home.indexOf('>Buy Trace<'));
  assert.match((await shop.get('/privacy')).text, /we don’t keep the address/);
});

test('the e-mail says nothing of what was bought or from whom', async () => {
  await shop.pay();
  await runWhenDue();
  const { text, link } = takeEmail();
  assert.match(text, /^From: office@example\.org$/m);
  assert.match(text, /^Subject: A message for you$/m);
  const [, body = ''] = /\n\n([\s\S]*)$/.exec(text) ?? [];
  assert.doesNotMatch(
    body.replace(link, ''),
    /Trace|Dossier|Sweep|\$|USD|\d\d\.\d\d|pa(?:y|id)|bought|order|inquiry|investigat|confiden|question|answer|words|cs_/i,
  );
});

test('the e-mail is in the language of the page that was bought from, which only the provider remembers', async () => {
  const headers = { ...formHeaders, 'accept-language': 'es' };
  const bought = await shop.get('/buy', { method: 'POST', headers, body: 'tier=Dossier' });
  const session = new URL(bought.headers.location ?? '').pathname.split('/').at(-1) ?? '';
  await shop.pay('pay', session);
  await runWhenDue();
  const email = takeEmail();
  assert.match(email.text, /^Subject: Un mensaje para usted$/m);
  assert.equal((await shop.get(email.link)).status, 200);
  assert.ok(!Object.values((await shop.findOrder(session)) ?? {}).includes('es'));
});

test('nothing is sent if the form was sent, before the e-mail was due or before it left', async () => {
  const early = await shop.pay();
  const late = await shop.pay();
  await shop.redeem(early);
  assert.equal((await shop.findOrder(early))?.return_link_at, null);
  time.offset = RETURN_LINK_MINUTES * MINUTE_MS;
  await enqueueReturnLinks(shop.services);
  await shop.redeem(late);
  await shop.runTasks();
  assert.deepEqual(takeEmails(), []);
  assert.deepEqual(await listOutboxEntries(shop.store.records, { limit: 10 }), []);
});

test('a refund that the provider did not report ends the return link, before the e-mail and after it', async () => {
  const kept = await shop.pay();
  const returned = await shop.pay();
  await shop.sandbox.setFaults({ webhooks: { lose: true } });
  await shop.sandbox.refund(returned);
  assert.equal((await shop.findOrder(returned))?.payment, 'paid');
  await runWhenDue();
  const { link } = takeEmail();
  assert.equal((await shop.findOrder(returned))?.payment, 'refunded');
  // The provider's signatures are valid for minutes.
  time.offset = 0;
  await shop.sandbox.setFaults();
  await shop.sandbox.refund(kept);
  await shop.sandbox.callControl('POST', 'webhooks/flush');
  assert.equal((await shop.get(link)).status, 404);
});

test('an order that a program made with its token brings no e-mail', async () => {
  const testApp = toOAuthTestApp(shop);
  const { json } = await testApp.requestToken(await testApp.createClient(), clientCredentialsForm);
  const authorization = `Bearer ${json['access_token']}`;
  await shop.pay('pay', readCheckoutSessionId(await shop.postCheckout('Trace', { authorization })));
  time.offset = DAY_MS;
  await shop.runTasks();
  assert.deepEqual(takeEmails(), []);
});

test('a delayed payment counts from the day it is confirmed, and a failed one brings nothing', async () => {
  await shop.sandbox.setFaults({ settle_after_ms: 3_600_000 });
  const id = await shop.pay('pay_later');
  assert.equal((await shop.findOrder(id))?.return_link_at, null);
  const failed = await shop.pay('pay_later_fail');
  for (const session of [id, failed]) await shop.sandbox.pay(session, 'settle');
  await waitUntil(
    'both are settled',
    async () =>
      (await shop.findOrder(id))?.payment === 'paid' && (await shop.findOrder(failed))?.payment === 'failed',
  );
  assert.ok((await shop.findOrder(id))?.return_link_at);
  assert.equal((await shop.findOrder(failed))?.return_link_at, null);
  await runWhenDue();
  takeEmail();
});

test('an e-mail whose answer was lost comes again with the same link', async () => {
  await shop.pay();
  time.offset = RETURN_LINK_MINUTES * MINUTE_MS;
  smtp.losingAnswers = true;
  await shop.runOnce();
  smtp.losingAnswers = false;
  time.offset += HOUR_MS;
  await shop.runOnce();
  const emails = takeEmails();
  assert.equal(emails.length, 2);
  assert.equal(new Set(emails.map(({ link }) => link)).size, 1);
  assert.equal(new Set(emails.map(({ text }) => /^Message-ID: .+$/im.exec(text)?.[0])).size, 1);
  assert.equal((await shop.get(emails[0]!.link)).status, 200);
});

test('while the provider is away the e-mail waits, and says why', async () => {
  await shop.pay();
  await shop.sandbox.setFaults({ api: [{ match: 'GET /v1/checkout/sessions/{id}', status: 500 }] });
  time.offset = RETURN_LINK_MINUTES * MINUTE_MS;
  await shop.runOnce();
  const [entry] = await listOutboxEntries(shop.store.records, { limit: 10 });
  assert.equal(entry?.reason, 'The payment provider cannot be asked for the address of a payer.');
  assert.deepEqual(takeEmails(), []);
  await shop.sandbox.setFaults();
  time.offset += HOUR_MS;
  await shop.runOnce();
  takeEmail();
});

test('a payment without a usable address is left alone', async () => {
  const two = 'a@example.org, b@example.org';
  for (const email of ['', 'no address', two, 'a@example.org\r\nBcc: b@example.org']) {
    const id = await shop.createSession();
    await shop.sandbox.callControl('POST', `sessions/${id}/pay`, { email });
  }
  await runWhenDue();
  assert.deepEqual(takeEmails(), []);
  assert.deepEqual(await listOutboxEntries(shop.store.records, { limit: 10 }), []);
});

test('an order that a restore holds gets its e-mail when it is released; a link from before says that it is held', async () => {
  const mailed = await shop.pay();
  await runWhenDue();
  const { link } = takeEmail();
  time.offset = 0;
  const waiting = await shop.pay();
  await holdUnusedOrders(shop.store.records, clock.now());
  time.offset = HOUR_MS;
  await shop.runTasks();
  assert.deepEqual(takeEmails(), []);
  const opened = await press(shop.get, link);
  const cookie = opened.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  assert.equal((await shop.get('/inquiry', { headers: { cookie } })).status, 409);
  for (const id of [mailed, waiting])
    await releaseOrderOnHold(shop.store.records, (await shop.findOrder(id))?.id ?? '');
  await shop.runTasks();
  takeEmail();
});

test('an e-mail that a restore brought back with a held order waits for the release too', async () => {
  const session = await shop.pay();
  time.offset = RETURN_LINK_MINUTES * MINUTE_MS;
  await enqueueReturnLinks({ clock, store: shop.store });
  await holdUnusedOrders(shop.store.records, clock.now());
  await shop.runTasks();
  assert.deepEqual(takeEmails(), []);
  await releaseOrderOnHold(shop.store.records, (await shop.findOrder(session))?.id ?? '');
  await shop.runTasks();
  takeEmail();
});

test('an operator sends the e-mail again with another link, but not of an order that is used or old', async () => {
  const desk = createDeskCli(shop);
  const session = await shop.pay();
  const id = (await shop.findOrder(session))?.id ?? '';
  await runWhenDue();
  const first = takeEmail();
  assert.deepEqual(await desk.runForJson('orders', 'remind', id), { reminded: id });
  await shop.runTasks();
  assert.equal((await shop.get(takeEmail().link)).status, 200);
  assert.equal((await shop.get(first.link)).status, 404);
  await shop.redeem(session);
  for (const wrong of [id, 'nothing'])
    assert.match(await desk.runRefused(1, 'orders', 'remind', wrong), /nothing was changed/);
  time.offset = 0;
  const old = await shop.pay();
  const { services } = shop;
  const oldId = (await shop.findOrder(old))?.id ?? '';
  time.offset = 30 * DAY_MS;
  assert.equal(await requestReturnLink(services, oldId), false);
  time.offset -= HOUR_MS;
  assert.equal(await requestReturnLink(services, oldId), true);
});

test('a link is closed after thirty days, and to anything that is not its own page', async () => {
  await shop.pay();
  await runWhenDue();
  const { link } = takeEmail();
  const foreign = { ...formHeaders, 'sec-fetch-site': 'cross-site' };
  assert.equal((await press(shop.get, link, foreign)).status, 403);
  const others = ['/continue/%2e%2e%2f', `/continue/${'a'.repeat(90)}`];
  for (const path of [`${link}x`, link.slice(0, -1), link.toUpperCase(), ...others])
    assert.equal((await shop.get(path)).status, 404, path);
  time.offset = 30 * DAY_MS - MINUTE_MS;
  assert.equal((await shop.get(link)).status, 200);
  time.offset = 30 * DAY_MS;
  assert.equal((await shop.get(link)).status, 404);
  assert.equal((await press(shop.get, link)).status, 404);
});
