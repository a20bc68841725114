/** Notices to buyers: to a sealed address, without content, at four hours of the day, once, purged with the case. */

import assert from 'node:assert/strict';
import test, { after, beforeEach, suite } from 'node:test';
import { takeBackAnswer } from '#cases/delivery.ts';
import { createPurger, purgeCaseNow } from '#cases/ending/purge.ts';
import { removeNoticeAddress, setNoticeAddress } from '#cases/notices/notice-address.ts';
import { createNoticeSender } from '#cases/notices/notice-emails.ts';
import {
  applyCaseAction,
  applyCaseChange,
  requireAnswer,
  updateKeepDays,
  updateNextTimes,
  withdrawCase,
} from '#cases/states.ts';
import { readConfig } from '#platform/config/config.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#platform/durations.ts';
import { openLog } from '#platform/log.ts';
import { createMailSender, type MailSender } from '#platform/mail/mail.ts';
import { generateId } from '#platform/text/ids.ts';
import { type Case, updateCaseIfUnchanged } from '#store/cases/cases.ts';
import { addToCase } from '#store/cases/objects.ts';
import { deleteExpiredRows } from '#store/due-work.ts';
import { enqueueOutboxEntry } from '#store/outbox.ts';
import { createOutboxWorker } from '#store/outbox-worker.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { startSmtpServer } from '#test/mail/smtp-server.ts';
import { listEngines, openTestStore, testKeyring } from '#test/store/engines.ts';
import { createTrustedClock } from '#test/trusted-clock.ts';
import { seedCase, seedCases } from './seeded-case.ts';

const cleanUp = withReverseCleanup({ after });
const smtp = await startSmtpServer(cleanUp);
const ADDRESS = 'canary-address@example.org';
const AT_THREE = Date.UTC(2026, 10, 16, 3);
const SIX = AT_THREE + 3 * HOUR_MS;
const lines: string[] = [];
const log = openLog({ write: (line) => void lines.push(line) });
cleanUp.after(() => assert.doesNotMatch(lines.join(''), /@|canary/));

const mailConfig = readConfig({ SMTP_URL: smtp.url, MAIL_FROM: 'post@mail.example', SITE_NAME: 'Brand' });
const sendMail = createMailSender(mailConfig);

beforeEach(() => {
  smtp.received.length = 0;
  Object.assign(smtp, { refusing: false, losingAnswers: false });
});

function takeEmails() {
  return smtp.received.splice(0).map(({ to, text }) => ({ to: to.join(), text: text.replaceAll('=\n', '') }));
}

const listAddresses = (emails: ReturnType<typeof takeEmails>) => emails.map(({ to }) => to);

for (const engine of await listEngines(cleanUp))
  suite(`notices on ${engine.name}`, async () => {
    const { env } = await engine.createDatabase(cleanUp);
    const store = await openTestStore(cleanUp, { env });
    let now = AT_THREE;
    let isTrusted = true;
    const trusted = createTrustedClock({ now: () => now });
    const clockGuard = {
      ...trusted.clockGuard,
      readTrustedTime: async () => (isTrusted ? now : null),
    };
    const services = { ...trusted, clockGuard, keyring: testKeyring, store, log };
    const createSender = (send: MailSender = sendMail) => createNoticeSender({ ...services, sendMail: send });
    const instances = [createSender(), createSender()];
    /** Runs a purge, then the senders of two instances concurrently. */
    const runAt = async (time: number) => {
      now = time;
      await createPurger(services, log).run();
      if (isTrusted)
        await store.transaction((records) => deleteExpiredRows(records, 'addresses', now, 1_000));
      await Promise.all(instances.map((send) => send()));
      return takeEmails();
    };
    const listNotices = async () => await store.records.selectFrom('notices').selectAll().execute();
    const listOutbox = async () => await store.records.selectFrom('outbox').selectAll().execute();
    const openCase = async (changes: Partial<Case> = {}) => {
      const open = { state: 'in_progress', delivered_at: null, purge_at: null } as const;
      const { record } = await seedCase(store, { submitted_at: now - HOUR_MS, ...open, ...changes });
      return record;
    };
    const openWatchedCase = async (address = ADDRESS) => {
      const record = await openCase();
      const watched = await setNoticeAddress(services, record.id, { address, language: 'en' });
      now += 1;
      return watched;
    };
    const applyByDesk = async (id: string, act: Parameters<typeof applyCaseAction>[2]) =>
      await applyCaseChange(services, id, (records, record) =>
        applyCaseAction(records, record, act, { by: 'desk', now }),
      );
    const ask = async (record: Case) => {
      const place = { id: generateId(), kind: 'desk-message.v1', seq: 0 } as const;
      const message = { ...place, bytes: Buffer.from('x'), now };
      await store.transaction((records) => addToCase(records, message, { record, now }));
      return await applyByDesk(record.id, 'ask');
    };
    const deliver = async ({ id }: Case, releasedAt = now) =>
      await applyCaseChange(services, id, async (records, record) => {
        const answer = requireAnswer(record, 'deliver', { releasedAt, now });
        const changes = { ...answer, changed_at: now };
        return await updateNextTimes(records, await updateCaseIfUnchanged(records, record, changes));
      });

    beforeEach(async () => {
      now = AT_THREE;
      isTrusted = true;
      for (const table of ['notices', 'outbox', 'object_pieces', 'objects', 'cases'] as const)
        await store.records.deleteFrom(table).execute();
    });

    test('an address is stored sealed, in a row that tells neither the case nor its length', async () => {
      const [one, other] = [await openWatchedCase('ä@b.example'), await openWatchedCase()];
      const rows = await listNotices();
      assert.deepEqual(new Set(rows.map(({ id }) => id)), new Set([one.notice_id, other.notice_id]));
      assert.equal(new Set(rows.map(({ address_ciphertext: ciphertext }) => ciphertext.length)).size, 1);
      for (const { address_ciphertext: ciphertext } of rows)
        assert.ok(!Buffer.from(ciphertext).includes('example'));
      await removeNoticeAddress(services, one.id);
      await removeNoticeAddress(services, one.id);
      assert.deepEqual(
        (await listNotices()).map(({ id }) => id),
        [other.notice_id],
      );
    });

    test('what happens while e-mails leave waits for the next of the four hours, too', async () => {
      now = SIX + 20 * MINUTE_MS;
      const record = await openWatchedCase();
      await ask(record);
      assert.deepEqual(await runAt(SIX + 30 * MINUTE_MS), []);
      assert.equal((await runAt(SIX + 6 * HOUR_MS)).length, 1);
    });

    test('what is no single address is refused, and changes nothing', async () => {
      const record = await openCase();
      for (const address of [
        '',
        'no-address',
        '@example.org',
        'a@',
        'a@b@c.example',
        'a@example.org\nBcc: b@example.org',
        'a@example.org\r\nSubject: x',
        'a\n@example.org',
        'a@exa\nmple.org',
        'a@example.org, b@example.org',
        '"a" <a@example.org>',
        'a@example.org>',
        `${'a'.repeat(65)}@example.org`,
        `a@${'b.'.repeat(200)}example`,
        'a'.repeat(1_000_000),
      ])
        await assert.rejects(
          setNoticeAddress(services, record.id, { address, language: 'en' }),
          { code: 'validation_failed' },
          address.slice(0, 80),
        );
      assert.deepEqual(await listNotices(), []);
    });

    test('a question is told at the next of the four hours, once, and the e-mail says nothing', async () => {
      const record = await openWatchedCase();
      await ask(record);
      assert.deepEqual(await runAt(SIX - 1), []);
      const [email, ...others] = await runAt(SIX + 10_000);
      assert.deepEqual([email?.to, others], [ADDRESS, []]);
      const text = stripMessageId(email);
      assert.match(text, /^Subject: There is something new$/m);
      assert.match(text, /^From: post@mail\.example$/m);
      assert.doesNotMatch(text, /Brand|Inquiry|case|Trace|http|Reply-To|question|answer/i);
      assert.ok(!text.includes(record.id) && !text.includes(record.notice_id ?? 'none'));
      for (const later of [SIX + MINUTE_MS, SIX + 6 * HOUR_MS, SIX + DAY_MS])
        assert.deepEqual(await runAt(later), []);
      assert.deepEqual(await listOutbox(), []);
    });

    test('what was there before the buyer asked is not told, nor what the buyer does', async () => {
      const early = await ask(await openCase());
      now += MINUTE_MS;
      await setNoticeAddress(services, early.id, { address: ADDRESS, language: 'en' });
      await applyCaseChange(services, early.id, (records, record) =>
        applyCaseAction(records, record, 'answer', { by: 'buyer', now }),
      );
      assert.deepEqual(await runAt(SIX), []);
    });

    test('several things of one slot make one e-mail, also after an outage of days', async () => {
      const record = await openWatchedCase();
      await ask(record);
      now += HOUR_MS;
      await deliver(record);
      assert.equal((await runAt(SIX)).length, 1);
      const other = await openWatchedCase();
      await ask(other);
      now += DAY_MS;
      await deliver(other);
      assert.equal((await runAt(SIX + 2 * DAY_MS)).length, 1);
    });

    test('a finding that is held is told once the buyer can see it, and not if it is taken back', async () => {
      const kept = await openWatchedCase('kept@example.org');
      const back = await openWatchedCase('back@example.org');
      now = SIX - MINUTE_MS;
      for (const record of [kept, back]) await deliver(record, SIX + 9 * MINUTE_MS);
      assert.deepEqual(await runAt(SIX), []);
      await takeBackAnswer(services, back.id);
      assert.deepEqual(listAddresses(await runAt(SIX + 6 * HOUR_MS)), ['kept@example.org']);
    });

    test('a finding is told once though the question before it was told under a clock ahead', async () => {
      const record = await openWatchedCase();
      now += 2 * DAY_MS;
      const asked = await ask(record);
      assert.equal((await runAt(SIX + 2 * DAY_MS)).length, 1);
      now = AT_THREE + HOUR_MS;
      await deliver(asked);
      assert.equal((await runAt(SIX)).length, 1);
      assert.deepEqual(await runAt(SIX + 6 * HOUR_MS), []);
    });

    test('seven days and 72 hours before the deletion and after it, and then the address is gone', async () => {
      const delivered = await deliver(await openWatchedCase());
      assert.equal((await runAt(SIX)).length, 1);
      const purgeAt = delivered.purge_at ?? 0;
      assert.equal(purgeAt, AT_THREE + 1 + 30 * DAY_MS);
      for (const before of [7 * DAY_MS, 72 * HOUR_MS]) {
        assert.deepEqual(await runAt(purgeAt - before), [], 'not before its hour');
        assert.equal((await runAt(purgeAt - before + 3 * HOUR_MS)).length, 1);
        assert.deepEqual(await runAt(purgeAt - before + 9 * HOUR_MS), []);
      }
      assert.deepEqual(await runAt(purgeAt), []);
      assert.deepEqual(await store.records.selectFrom('cases').select('id').execute(), []);
      const [entry] = await listOutbox();
      assert.ok(entry && !entry.payload.includes(delivered.id));
      const [last, ...others] = await runAt(purgeAt + 3 * HOUR_MS);
      assert.deepEqual([last?.to, others], [ADDRESS, []]);
      assert.match(last?.text ?? '', /this is the last of these messages/);
      assert.doesNotMatch(
        stripMessageId(last),
        /case|everything has been deleted/i,
        'the e-mail does not tell what has ended',
      );
      assert.deepEqual(await listNotices(), []);
      assert.deepEqual(await runAt(purgeAt + 9 * HOUR_MS), []);
    });

    test('a later day of deletion moves the reminders', async () => {
      const delivered = await deliver(await openWatchedCase());
      await runAt(SIX);
      await applyCaseChange(services, delivered.id, (records, record) =>
        updateKeepDays(records, record, 90, now),
      );
      assert.deepEqual(await runAt(SIX + 23 * DAY_MS), []);
      assert.equal((await runAt(SIX + 83 * DAY_MS)).length, 1);
    });

    test('an address that is changed or removed before the hour counts as it is then', async () => {
      const [moved, removed] = [await openWatchedCase(), await openWatchedCase()];
      for (const record of [moved, removed]) await ask(record);
      now += HOUR_MS;
      await setNoticeAddress(services, moved.id, { address: 'new@example.org', language: 'en' });
      await removeNoticeAddress(services, removed.id);
      assert.deepEqual(listAddresses(await runAt(SIX)), ['new@example.org']);
    });

    test('withdrawing and deleting end it at once; a deletion by the desk is told', async () => {
      const withdrawn = await withdrawCase(services, (await openWatchedCase()).id);
      assert.equal(withdrawn.notice_id, null);
      await purgeCaseNow(services, (await deliver(await openWatchedCase())).id);
      assert.deepEqual(await listNotices(), []);
      await assert.rejects(setNoticeAddress(services, withdrawn.id, { address: ADDRESS, language: 'en' }));
      const { id } = await deliver(await openWatchedCase('desk@example.org'));
      await purgeCaseNow(services, id, 'desk');
      assert.deepEqual(listAddresses(await runAt(SIX + 2 * DAY_MS)), ['desk@example.org']);
    });

    test('a mail server that is away is tried in the four hours alone, and the last address goes after three days', async () => {
      smtp.refusing = true;
      const record = await deliver(await openWatchedCase());
      assert.deepEqual(await runAt(SIX), []);
      const [entry] = await listOutbox();
      assert.equal(entry?.attempts, 1);
      await runAt(SIX + 2 * HOUR_MS);
      const [same] = await listOutbox();
      assert.equal(same?.attempts, 1, 'not tried between the hours');
      now = SIX + 3 * HOUR_MS;
      await purgeCaseNow(services, record.id, 'desk');
      const purgedAt = now;
      await runAt(SIX + 6 * HOUR_MS);
      assert.equal((await listNotices()).length, 1);
      await runAt(purgedAt + 3 * DAY_MS);
      assert.deepEqual(await listNotices(), []);
      smtp.refusing = false;
      assert.deepEqual(await runAt(SIX + 4 * DAY_MS), []);
      assert.deepEqual(await listOutbox(), []);
    });

    test('while there is clock skew nothing is told, and one that goes back tells nothing twice', async () => {
      const record = await ask(await openWatchedCase());
      isTrusted = false;
      assert.deepEqual(await runAt(SIX), []);
      isTrusted = true;
      assert.equal((await runAt(SIX)).length, 1);
      now = SIX - 30 * MINUTE_MS;
      await applyByDesk(record.id, 'resume');
      assert.deepEqual(await runAt(SIX + MINUTE_MS), []);
    });

    test('a purge between the hour and the sending leaves one e-mail, the last', async () => {
      const record = await deliver(await openWatchedCase());
      let isHeld = true;
      const slow = createSender(async (message) => {
        if (isHeld) {
          isHeld = false;
          await purgeCaseNow(services, record.id, 'desk');
        }
        await sendMail(message);
      });
      now = SIX + 1_000;
      await slow();
      assert.equal(takeEmails().length, 1, 'it was on its way');
      const emails = await runAt(SIX + 6 * HOUR_MS);
      assert.match(emails.map(({ text }) => text).join(), /last of these messages/);
      assert.equal(emails.length, 1);
    });

    test('hundreds of e-mails in one hour go in batches, and keep no other e-mail waiting', async () => {
      const count = 250;
      const cases = await seedCases(store, count, {
        changes: { state: 'in_progress', submitted_at: now, delivered_at: null, purge_at: null },
        objectBytes: 24,
      });
      for (const { record } of cases)
        await setNoticeAddress(services, record.id, { address: ADDRESS, language: 'en' });
      now += 1;
      for (const { record } of cases) await deliver(record);
      let sent = 0;
      let mostWaiting = 0;
      let codeAfter: number | null = null;
      const handlers = {
        code: async () => {
          codeAfter = sent;
        },
      };
      const sendOthers = createOutboxWorker({ store, clock: services.clock, log, handlers });
      const tasks = createSender(async () => {
        sent += 1;
        if (sent !== 5) return;
        mostWaiting = (await listOutbox()).length;
        await enqueueOutboxEntry(store.records, { topic: 'code', dedupe: 'code', payload: {}, dueAt: now });
        await sendOthers();
      });
      now = SIX;
      await tasks();
      assert.equal(sent, count);
      assert.ok(codeAfter !== null && codeAfter <= 20, `after ${codeAfter}`);
      assert.ok(mostWaiting <= 100, `${mostWaiting} waited`);
    });
  });

/** Removes the message id, because it is random and may contain any text by chance. */
function stripMessageId(email = { text: '' }): string {
  return email.text.replace(/^Message-ID: .+$/im, '');
}
