/** Mail server and payment provider are away for a day and return: work that waited is done, and done once. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { createPeriodicTasks } from '#periodic-tasks.ts';
import { readConfig } from '#platform/config/config.ts';
import { HOUR_MS, MINUTE_MS } from '#platform/durations.ts';
import { countOutbox } from '#store/outbox.ts';
import { postRegistration, sampleRegistration } from '#test/agents/sample-registration.ts';
import { openPlainForm, sendPlainForm } from '#test/cases/plain-form.ts';
import type { HttpsResponse } from '#test/https-client.ts';
import { startSmtpServer } from '#test/mail/smtp-server.ts';
import { listPeriodicRuns } from '#test/periodic-runs.ts';
import { silentLog } from '#test/store/engines.ts';
import { startTestShop } from '#test/test-shop.ts';

const STEP_MS = 30 * MINUTE_MS;
/** Each call to a provider that is away is retried a few times, which takes seconds. */
const AWAY_STEP_MS = 3 * HOUR_MS;
/** A failed e-mail waits for an hour at most, and a digest for half a day. */
const SETTLING_MS = 13 * HOUR_MS;
const PURCHASES = 3;
const PROVIDER_CALLS = [
  'POST /v1/checkout/sessions',
  'GET /v1/checkout/sessions/{id}',
  'POST /v1/checkout/sessions/{id}/expire',
];

/** The service and the provider share a clock, which the test advances. */
async function openOffice(t: TestContext) {
  const readClock = Date.now;
  let ahead = 0;
  t.mock.method(Date, 'now', () => readClock() + ahead);
  const smtp = await startSmtpServer(t);
  const mail = { SMTP_URL: smtp.url, MAIL_FROM: 'office@example.org' };
  const shop = await startTestShop(t);
  const settings = { PORT: String(shop.port), DATA_DIR: shop.dataDir, ...shop.sandbox.env, ...mail };
  // A silent log, because that of a failed e-mail may name the mail server.
  const tasks = listPeriodicRuns(
    createPeriodicTasks(readConfig(settings), { ...shop.services, log: silentLog }),
  );
  const flushWebhooks = async () =>
    (await shop.sandbox.callControl<{ pending: number }>('POST', 'webhooks/flush')).pending;
  return {
    ...shop,
    smtp,
    flushWebhooks,
    moveClock: async (ms: number, step: number) => {
      for (const end = Date.now() + ms; Date.now() < end; ) {
        ahead += step;
        for (const { run } of tasks) await run();
        await flushWebhooks();
      }
    },
    leave: async () => {
      await smtp.leave();
      await shop.sandbox.setFaults({ api: PROVIDER_CALLS.map((match) => ({ match, reset: true })) });
    },
    comeBack: async () => {
      await smtp.resume();
      await shop.sandbox.setFaults();
    },
  };
}

function assertToldToComeAgain({ status, headers, text }: HttpsResponse): void {
  assert.equal(status, 503, text);
  assert.ok(headers['retry-after'], text);
}

test('mail server and provider away for a day: every e-mail comes once, every webhook is taken, every order is settled', async (t) => {
  const office = await openOffice(t);
  const { sandbox, smtp, store } = office;
  const pay = (session: string, email: string) =>
    sandbox.callControl('POST', `sessions/${session}/pay`, { email });
  const createSessions = () => Promise.all(Array.from({ length: PURCHASES }, () => office.createSession()));
  const [submitted, paidBefore, paidMeanwhile, unpaid] = [
    await createSessions(),
    await createSessions(),
    await createSessions(),
    await createSessions(),
  ];
  for (const [index, session] of submitted.entries()) {
    await pay(session, `submitted${index}@example.com`);
    const sent = await sendPlainForm(office, await openPlainForm(office, session));
    assert.equal(sent.status, 200, sent.text);
  }
  for (const [index, session] of paidBefore.entries()) await pay(session, `before${index}@example.com`);
  await office.moveClock(STEP_MS, STEP_MS);
  assert.equal(await office.flushWebhooks(), 0);

  await office.leave();
  for (const [index, session] of paidMeanwhile.entries()) await pay(session, `meanwhile${index}@example.com`);
  assertToldToComeAgain(await office.postCheckout('Trace'));
  assert.equal((await postRegistration(office.get, sampleRegistration)).status, 202);
  await office.moveClock(12 * HOUR_MS, AWAY_STEP_MS);
  assert.ok((await office.flushWebhooks()) >= PURCHASES, 'what could not be checked is not taken');
  for (const session of paidMeanwhile)
    assert.equal(
      (await office.findOrder(session))?.payment,
      'pending',
      'only the provider says that it is paid',
    );
  await office.moveClock(12 * HOUR_MS, AWAY_STEP_MS);
  const received = smtp.received.length;

  await office.comeBack();
  await office.moveClock(SETTLING_MS, STEP_MS);
  assert.equal(await office.flushWebhooks(), 0);
  const states = async (sessions: readonly string[]) =>
    new Set(await Promise.all(sessions.map(async (each) => (await office.findOrder(each))?.payment)));
  assert.deepEqual(await states([...submitted, ...paidBefore, ...paidMeanwhile]), new Set(['paid']));
  assert.deepEqual(await states(unpaid), new Set(['expired']));
  const { waiting, dead } = await countOutbox(store.records, Date.now());
  assert.deepEqual([waiting, dead], [0, 0]);

  const late = smtp.received.slice(received);
  const countTo = (name: string) =>
    late.filter(({ to }) => to.some((address) => address.startsWith(name))).length;
  assert.equal(countTo('submitted'), 0, 'who has sent the form needs no way back to it');
  for (let index = 0; index < PURCHASES; index += 1)
    for (const name of ['before', 'meanwhile'])
      assert.equal(countTo(`${name}${index}@`), 1, `${name} ${index}`);
  const ids = smtp.received.map(({ text }) => /^Message-ID: (\S+)$/m.exec(text)?.[1]);
  assert.equal(new Set(ids).size, ids.length, 'none comes twice');
  for (const session of paidMeanwhile) {
    const sent = await sendPlainForm(office, await openPlainForm(office, session));
    assert.equal(sent.status, 200, sent.text);
  }
  t.diagnostic(`${late.length} e-mails came late, ${smtp.received.length} in all`);
});
