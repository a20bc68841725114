/** What the service does again and again, and the e-mails that it sends. */

import { createAlertMailers, enqueueAlerts } from '#cases/desk/desk-alerts.ts';
import { createDigestMailer, enqueueDigest } from '#cases/desk/desk-digest.ts';
import { createMailNotifier } from '#cases/desk/desk-notifier.ts';
import { listDeskPeople } from '#cases/desk/desk-people.ts';
import { createPurger } from '#cases/ending/purge.ts';
import { recordTermsInForce } from '#cases/intake/terms.ts';
import { sweepUploads } from '#cases/intake/uploads.ts';
import { enqueueDueCaseEvents } from '#cases/messages/case-events.ts';
import { createNoticeTasks } from '#cases/notices/notice-emails.ts';
import { sweepRegistrations } from '#clients/registration.ts';
import { createRegistrationMailers } from '#clients/registration-mail.ts';
import { createWebhookSender } from '#clients/webhook-sender.ts';
import { settleWebhooks } from '#clients/webhook-settling.ts';
import { createSignInCodeMailer, SIGN_IN_CODE_TOPIC } from '#oauth/sign-in/email-code.ts';
import { sweepTokens } from '#oauth/sweep.ts';
import { createReturnLinkMailer, enqueueReturnLinks } from '#payments/return-link-email.ts';
import { deleteOldOrders, sweepOrders } from '#payments/sweep.ts';
import type { Config } from '#platform/config/config.ts';
import { explainReleaseAge } from '#platform/config/release-age.ts';
import { HOUR_SECONDS, SECOND_MS } from '#platform/durations.ts';
import { createMailSender, removeOldMail } from '#platform/mail/mail.ts';
import type { PeriodicTask } from '#platform/schedule.ts';
import type { Services } from '#services.ts';
import { deleteOldDraftHalves } from '#store/cases/draft-keys.ts';
import { deleteExpiredDeskRows } from '#store/clients/desk-sessions.ts';
import { deleteExpiredIdempotencyKeys } from '#store/clients/idempotent-request.ts';
import { deleteEndedEvents } from '#store/clients/webhook-events.ts';
import type { ClockAlarm } from '#store/clock-guard.ts';
import { formatClockAlarm } from '#store/clock-skew-text.ts';
import { runInBatches } from '#store/engine/batches.ts';
import { recordMasterKey } from '#store/keys/master-keys.ts';
import { describeBackupAge, readLastBackup } from '#store/last-backup.ts';
import { deleteDeadOutboxEntries } from '#store/outbox.ts';
import { createOutboxWorker, type OutboxHandler } from '#store/outbox-worker.ts';
import type { Records } from '#store/schema/tables.ts';

const OUTBOX_SECONDS = 1;
const RETRY_SECONDS = 1;
const NOTICE_SECONDS = 10;
const EVENT_SECONDS = 1;

/** Rows that go once their time is over, in batches. */
const expiredRows: Readonly<
  Record<string, (records: Records, now: number, limit: number) => Promise<number>>
> = {
  'forget keys': deleteExpiredIdempotencyKeys,
  'forget draft keys': deleteOldDraftHalves,
  'forget dead entries': deleteDeadOutboxEntries,
  'forget events': deleteEndedEvents,
};

/** The outbox does its work after the request that wrote to it has been answered. */
export function createPeriodicTasks(config: Config, services: Services): PeriodicTask[] {
  const { clock: time, clockGuard, log, store } = services;
  // What they delete cannot be brought back, so they wait while there is clock skew.
  const runByDate = (work: (dated: Services) => Promise<void>) => async () => {
    const now = await clockGuard.readTrustedTime();
    if (now !== null) await work({ ...services, clock: { now: () => now } });
  };
  const seconds = config.sweepSeconds;
  const runOutbox = createOutboxWorker({
    store,
    clock: time,
    log,
    handlers: createMailers(config, services),
  });
  const noticeTasks = createNoticeTasks({ ...services, sendMail: createMailSender(config) });
  return [
    ...(services.gateway.configured
      ? [{ name: 'sweep orders', seconds, run: () => sweepOrders(services) }]
      : []),
    {
      name: 'forget orders',
      seconds,
      run: runByDate((dated) => deleteOldOrders(dated, config.ordersKeepDays)),
    },
    ...Object.entries(expiredRows).map(([name, deleteRows]) => ({
      name,
      seconds,
      run: runByDate(async ({ clock }) => {
        const now = clock.now();
        await runInBatches(store, (records, limit) => deleteRows(records, now, limit));
      }),
    })),
    { name: 'hide the order of rows', seconds: HOUR_SECONDS, run: () => store.hideRowOrder() },
    { name: 'count what is stored', seconds, run: () => store.gate.refresh() },
    { name: 'note the terms', seconds: HOUR_SECONDS, run: () => recordTermsInForce(services) },
    { name: 'note the master key', seconds, run: () => recordMasterKey(services) },
    { name: 'try a write', seconds, run: () => store.tryWrite() },
    // So that readiness returns soon after the database does.
    { name: 'try a failed write again', seconds: RETRY_SECONDS, run: () => store.retryFailedWrite() },
    { name: 'note the time', seconds, run: () => clockGuard.recordTime() },
    { name: 'sweep uploads', seconds, run: runByDate(sweepUploads) },
    { name: 'purge', seconds, run: createPurger(services, log).run },
    { name: 'sweep tokens', seconds, run: () => sweepTokens(services) },
    {
      name: 'forget desk sessions',
      seconds,
      // Strangers can ask for challenges, so these go also while there is clock skew.
      run: async () => {
        for (const table of ['desk_challenges', 'desk_sessions'] as const)
          await runInBatches(store, (records, limit) =>
            deleteExpiredDeskRows(records, table, time.now(), limit),
          );
      },
    },
    { name: 'remove old mail', seconds, run: () => removeOldMail(config, time.now()) },
    { name: 'sweep registrations', seconds, run: runByDate(sweepRegistrations) },
    { name: 'write the digest', seconds, run: () => enqueueDigest(services) },
    { name: 'alert the desk', seconds, run: runByDate(enqueueAlerts) },
    { name: 'remind payers', seconds, run: () => enqueueReturnLinks(services) },
    { name: 'tell buyers', seconds: NOTICE_SECONDS, run: noticeTasks.send },
    { name: 'forget addresses', seconds, run: noticeTasks.forget },
    { name: 'settle webhooks', seconds, run: () => settleWebhooks(services) },
    { name: 'find events', seconds: EVENT_SECONDS, run: () => enqueueDueCaseEvents(services) },
    {
      name: 'tell programs',
      seconds: EVENT_SECONDS,
      run: createWebhookSender({ ...services, sweepMs: seconds * SECOND_MS }),
    },
    { name: 'outbox', seconds: OUTBOX_SECONDS, run: async () => void (await runOutbox()) },
  ];
}

/** Each outbox topic with what sends its e-mails. */
function createMailers(config: Config, services: Services): Readonly<Record<string, OutboxHandler>> {
  const { clockGuard, clock, store } = services;
  const sendMail = createMailSender(config);
  const { name: siteName, maintainer } = config.site;
  const notifyDesk = createMailNotifier(config.site.maintainer, sendMail);
  const alarms = [
    async () => describeClockAlarm(clockGuard.getAlarm()),
    async () => describeBackupAge(await readLastBackup(store.records), clock.now()),
    async () => explainReleaseAge(clock.now()),
  ];
  const listPeople = () => listDeskPeople(services, config.seal);
  const mailerOptions = { ...services, siteName, maintainer, alarms, listPeople, notifyDesk, sendMail };
  return {
    [SIGN_IN_CODE_TOPIC]: createSignInCodeMailer(mailerOptions),
    ...createRegistrationMailers(mailerOptions),
    ...createDigestMailer(mailerOptions),
    ...createAlertMailers(mailerOptions),
    ...createReturnLinkMailer(mailerOptions),
  };
}

function describeClockAlarm(alarm: ClockAlarm | null): string | null {
  return alarm && `Clock skew: ${formatClockAlarm(alarm)}. Nothing is purged meanwhile.`;
}
