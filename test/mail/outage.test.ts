/** A short outage of the mail server loses or duplicates no e-mail; after a long one, unsent e-mails are listed. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { ENGLISH } from '#language/languages.ts';
import { createSignInCodeMailer, requestSignInCode, SIGN_IN_CODE_TOPIC } from '#oauth/sign-in/email-code.ts';
import { readConfig } from '#platform/config/config.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#platform/durations.ts';
import { openLog } from '#platform/log.ts';
import { createMailSender } from '#platform/mail/mail.ts';
import { countOutbox, enqueueOutboxEntry } from '#store/outbox.ts';
import { createOutboxWorker } from '#store/outbox-worker.ts';
import type { CleanupScope } from '#test/cleanup.ts';
import { createDeskCli } from '#test/cli/desk-cli.ts';
import { openTestStore, sqliteUnderTest, testKeyring } from '#test/store/engines.ts';
import { type SmtpServer, startSmtpServer } from './smtp-server.ts';

/** Two instances of the service on one database, a mail server, and a clock that the test advances. */
async function openMailOffice(t: CleanupScope, start: number) {
  const smtp = await startSmtpServer(t);
  const { env } = await sqliteUnderTest.createDatabase(t);
  const store = await openTestStore(t, { env });
  const time = { now: start };
  const clock = { now: () => time.now };
  const log: string[] = [];
  const config = readConfig({ ...env, SMTP_URL: smtp.url, MAIL_FROM: 'office@example.org' });
  const sendMail = createMailSender(config);
  const createInstance = () =>
    createOutboxWorker({
      store,
      clock,
      log: openLog({ write: (line) => void log.push(line) }),
      handlers: {
        email: async (payload, id) =>
          await sendMail({
            id,
            to: 'canary@example.com',
            subject: `E-mail ${payload as number}`,
            text: 'Hello.\n',
          }),
      },
    });
  const instances = [createInstance(), createInstance()];
  const advanceTime = async (ms: number, step: number) => {
    for (const end = time.now + ms; time.now < end; time.now += step)
      await Promise.all(instances.map((run) => run()));
  };
  const enqueue = (number: number) =>
    enqueueOutboxEntry(store.records, {
      topic: 'email',
      dedupe: `email ${number}`,
      payload: number,
      dueAt: time.now,
    });
  return {
    smtp,
    store,
    time,
    clock,
    log,
    sendMail,
    advanceTime,
    enqueue,
    cli: createDeskCli({ dataDir: config.dataDir }),
  };
}

function listSubjects({ received }: SmtpServer): string[] {
  return received.map(({ text }) => /^Subject: (.*)$/m.exec(text)?.[1] ?? '').toSorted();
}

test('a mail server that is away for an hour gets everything once', async (t) => {
  const { smtp, store, clock, advanceTime, enqueue } = await openMailOffice(t, Date.now());
  await smtp.leave();
  for (const number of [1, 2, 3, 4, 5]) {
    await enqueue(number);
    await advanceTime(12 * MINUTE_MS, MINUTE_MS);
  }
  const { waiting, dead, oldestSince } = await countOutbox(store.records, clock.now());
  assert.deepEqual([waiting, dead, clock.now() - (oldestSince ?? 0)], [5, 0, HOUR_MS]);
  await smtp.resume();
  await advanceTime(HOUR_MS, MINUTE_MS);
  assert.deepEqual(listSubjects(smtp), ['E-mail 1', 'E-mail 2', 'E-mail 3', 'E-mail 4', 'E-mail 5']);
  assert.deepEqual(await countOutbox(store.records, clock.now()), { waiting: 0, dead: 0, oldestSince: null });
});

test('after four days e-mails are given up, listed with the reason, and sent once after a retry', async (t) => {
  const office = await openMailOffice(t, Date.now() - 4 * DAY_MS);
  const { smtp, store, clock, cli, log, advanceTime, enqueue } = office;
  await smtp.leave();
  for (const number of [1, 2, 3]) await enqueue(number);
  await advanceTime(4 * DAY_MS, 20 * MINUTE_MS);
  assert.equal((await countOutbox(store.records, clock.now())).dead, 3);

  const text = await cli.runForText('outbox', 'list');
  assert.equal(text.match(/ email +given up .* refuses the connection: it is not running/g)?.length, 3);
  const { entries } = await cli.runForJson<{ entries: { id: string; state: string; reason: string }[] }>(
    'outbox',
    'list',
  );
  assert.deepEqual(new Set(entries.map(({ state }) => state)), new Set(['dead']));
  assert.doesNotMatch(text + JSON.stringify(entries) + log.join(''), /canary|E-mail \d/);

  const [first] = entries.map(({ id }) => id);
  assert.match(await cli.runRefused(1, 'outbox', 'drop', first!, 'A'.repeat(22)), /nothing was changed/);
  assert.equal(await cli.runForText('outbox', 'drop', first!), 'Dropped: 1.\n');
  await enqueue(4);
  assert.equal(
    await cli.runForText('outbox', 'retry', '--all', '--yes'),
    'Will be sent now: 2.\nNot changed: 1 e-mail not tried yet; the service sends them by itself.\n',
  );
  assert.match(await cli.runRefused(64, 'outbox', 'retry'), /ID is missing/);
  await smtp.resume();
  await advanceTime(HOUR_MS, 20 * MINUTE_MS);
  assert.equal(listSubjects(smtp).length, 3);
  assert.equal(await cli.runForText('outbox', 'list'), 'Nothing is waiting.\n');
});

test('a code that has expired while the mail server was away is not sent late', async (t) => {
  const { smtp, store, time, clock, log, sendMail } = await openMailOffice(t, Date.now());
  const services = { store, clock, keyring: testKeyring };
  const options = { ...services, siteName: 'Office', sendMail };
  const run = createOutboxWorker({
    ...services,
    log: openLog({ write: (line) => void log.push(line) }),
    handlers: { [SIGN_IN_CODE_TOPIC]: createSignInCodeMailer(options) },
  });
  await smtp.leave();
  await requestSignInCode(services, 'a sign-in', 'canary@example.com', ENGLISH);
  await run();
  assert.equal((await countOutbox(store.records, clock.now())).waiting, 1);
  await smtp.resume();
  time.now += HOUR_MS;
  await run();
  assert.deepEqual(smtp.received, []);
  assert.equal((await countOutbox(store.records, clock.now())).waiting, 0);
  assert.doesNotMatch(log.join(''), /canary/);
});
