/** The service's periodic tasks, and the queues that send its e-mails. */

import { enqueueDueCaseEvents } from '#cases/case-events.ts';
import { createAlertMailers, enqueueAlerts } from '#cases/desk/desk-alerts.ts';
import { createDigestMailer, enqueueDigest } from '#cases/desk/desk-digest.ts';
import { listDeskPeople } from '#cases/desk/desk-people.ts';
import { createPurger } from '#cases/ending/purge.ts';
import { recordTermsInForce } from '#cases/intake/terms.ts';
import { sweepUploads } from '#cases/intake/uploads.ts';
import { createNoticeSender } from '#cases/notices/notice-emails.ts';
import { isSendingTime, NOTICE_TOPIC } from '#cases/notices/notice-times.ts';
import { createRegistrationMailers } from '#clients/registration-mail.ts';
import { settleWebhooks } from '#clients/webhook-linking.ts';
import { createWebhookSender, listEventTurns } from '#clients/webhook-sender.ts';
import { createSignInCodeMailer, SIGN_IN_CODE_TOPIC } from '#oauth/sign-in/email-code.ts';
import { createReturnLinkMailer, enqueueReturnLinks } from '#payments/return-link.ts';
import { deleteOldOrders, sweepOrders } from '#payments/sweep.ts';
import type { Config } from '#platform/config/config.ts';
import { explainReleaseAge } from '#platform/config/version.ts';
import { HOUR_MS, HOUR_SECONDS, SECOND_MS } from '#platform/durations.ts';
import { toErrorTrace } from '#platform/log.ts';
import { createMailSender, removeOldMail } from '#platform/mail/mail.ts';
import type { PeriodicTask, TaskGroup } from '#platform/schedule.ts';
import type { Services } from '#services.ts';
import { chainAuditEntries } from '#store/audit-log.ts';
import { formatClockAlarm } from '#store/clock-guard.ts';
import {
  type DueName,
  deleteExpiredRows,
  EXPIRED_NAMES,
  type ExpiredName,
  findDueQueues,
  findDueRows,
} from '#store/due-work.ts';
import { runInBatches } from '#store/engine/batches.ts';
import { recordMasterKey } from '#store/keys/master-keys.ts';
import { describeBackupAge, readLastBackup } from '#store/last-backup.ts';
import { recallOrderChecks } from '#store/orders/orders.ts';
import { createOutboxWorker, type OutboxHandler } from '#store/outbox-worker.ts';

/** E-mails, events and notices wait at most this long, even if the queue has been idle. */
const MAX_QUEUE_SECONDS = 2;
const RETRY_SECONDS = 1;

/** Deleted even while there is clock skew: strangers can create these rows, or they give access. */
const GONE_BY_ANY_CLOCK: readonly ExpiredName[] = [
  'desk challenges',
  'desk sessions',
  'provider events',
  'sign-in codes',
  'tokens',
];

export function createPeriodicTasks(config: Config, services: Services): (PeriodicTask | TaskGroup)[] {
  const { clock: time, clockGuard, store } = services;
  const seconds = config.sweepSeconds;
  return [
    createSweeps(config, services),
    createQueues(config, services),
    { name: 'count what is stored', seconds, run: () => store.gate.refresh() },
    { name: 'note the terms', seconds: HOUR_SECONDS, run: () => recordTermsInForce(services) },
    { name: 'note the master key', seconds, run: () => recordMasterKey(services, seconds * SECOND_MS) },
    // Makes the service ready again soon after the database is back.
    { name: 'try a failed write again', seconds: RETRY_SECONDS, run: () => store.retryFailedWrite() },
    { name: 'note the time', seconds, run: () => clockGuard.recordTime() },
    { name: 'remove old mail', seconds, run: () => removeOldMail(config, time.now()) },
  ];
}

/** Only the leading instance runs these. It looks for due work without a lock, because usually there is none. */
function createSweeps(config: Config, services: Services): TaskGroup {
  const { clock: time, clockGuard, log, store, paymentProvider } = services;
  const { ordersKeepDays } = config;
  // Deletion cannot be undone, so these tasks wait while there is clock skew.
  const runByDate = (work: (dated: Services) => Promise<void>) => async () => {
    const now = await clockGuard.readTrustedTime();
    if (now !== null) await work({ ...services, clock: { now: () => now } });
  };
  const runExpired = (name: ExpiredName) => {
    const forget = ({ clock }: Pick<Services, 'clock'>) =>
      runInBatches(store, (records, limit) => deleteExpiredRows(records, name, clock.now(), limit));
    return GONE_BY_ANY_CLOCK.includes(name) ? () => forget(services) : runByDate(forget);
  };
  // Runs at the first sweep that this instance leads, and then every hour.
  let rowsHiddenAt = -Infinity;
  // The purge task deletes these two.
  const swept = EXPIRED_NAMES.filter((name) => name !== 'contact messages' && name !== 'refunds');
  const always = {
    purge: createPurger(services, log).run,
    'chain the audit log': () => chainAuditEntries(store),
    'hide the order of rows': async () => {
      if (performance.now() - rowsHiddenAt < HOUR_MS) return;
      await store.hideRowOrder();
      rowsHiddenAt = performance.now();
    },
    'write the digest': () => enqueueDigest(services),
    'alert the desk': runByDate(enqueueAlerts),
    'settle webhooks': () => settleWebhooks(services),
  };
  const whenDue: Partial<Record<DueName, () => Promise<void>>> = {
    ...(paymentProvider.configured && { 'orders to check': () => sweepOrders(services) }),
    'orders put off': () =>
      runInBatches(store, (records, limit) => recallOrderChecks(records, time.now(), limit)),
    'settled orders': runByDate((dated) => deleteOldOrders(dated, ordersKeepDays)),
    'return links': () => enqueueReturnLinks(services),
    uploads: runByDate(sweepUploads),
    ...Object.fromEntries(swept.map((name) => [name, runExpired(name)])),
  };
  const names = Object.keys(whenDue) as DueName[];
  return {
    name: 'sweep',
    seconds: config.sweepSeconds,
    look: async () => {
      // Even on a full disk there may be something to purge.
      const tried = store.tryWrite();
      await tried.catch((error) => log.event('task_failed', { task: 'try a write', ...toErrorTrace(error) }));
      if (!store.leads()) return [];
      const due = await findDueRows(store.records, names, { now: time.now(), ordersKeepDays }).catch(
        (error) => {
          // A table that cannot be read does not stop the others from being swept.
          log.event('task_failed', { task: 'look for what is due', ...toErrorTrace(error) });
          return names;
        },
      );
      // With clock skew, this instance deletes nothing by date, so one whose clock is right should lead the next sweep.
      if (clockGuard.getAlarm() !== null) await store.resign();
      return [...Object.keys(always), ...due];
    },
    tasks: { ...always, ...whenDue },
  };
}

/** Work that is queued and done after the request that caused it has been answered. */
function createQueues(config: Config, services: Services): TaskGroup {
  const { clock, log, store } = services;
  const sweepMs = config.sweepSeconds * SECOND_MS;
  const handlers = createMailers(config, services);
  const runOutbox = createOutboxWorker({ store, clock, log, handlers });
  const topics = Object.keys(handlers);
  return {
    name: 'look at the queues',
    seconds: Math.min(MAX_QUEUE_SECONDS, config.sweepSeconds),
    look: async () => {
      const now = clock.now();
      const noticeTopic = isSendingTime(now) ? NOTICE_TOPIC : null;
      const queues = { now, topics, noticeTopic, kinds: listEventTurns(now, sweepMs) };
      const due = [...(await findDueQueues(store.records, queues))];
      // The task creates case events and sends none: instances that created them at the same time would only conflict.
      return store.leads() ? due : due.filter((name) => name !== 'case events');
    },
    tasks: {
      outbox: async () => void (await runOutbox()),
      notices: createNoticeSender({ ...services, sendMail: createMailSender(config) }),
      'case events': () => enqueueDueCaseEvents(services),
      'webhook events': createWebhookSender({ ...services, sweepMs }),
    },
  };
}

/** Maps each outbox topic to the function that sends its e-mails. */
function createMailers(config: Config, services: Services): Readonly<Record<string, OutboxHandler>> {
  const { clockGuard, clock, store } = services;
  const sendMail = createMailSender(config);
  const { name: siteName, maintainer } = config.site;
  const alarms = [
    async () => {
      const alarm = clockGuard.getAlarm();
      return alarm && `Clock skew: ${formatClockAlarm(alarm)}. Nothing is purged meanwhile.`;
    },
    async () => describeBackupAge(await readLastBackup(store.records), clock.now(), config.backupHours),
    async () => explainReleaseAge(clock.now()),
  ];
  const listPeople = () => listDeskPeople(services, config.seal);
  const mailerOptions = { ...services, siteName, maintainer, alarms, listPeople, sendMail };
  return {
    [SIGN_IN_CODE_TOPIC]: createSignInCodeMailer(mailerOptions),
    ...createRegistrationMailers(mailerOptions),
    ...createDigestMailer(mailerOptions),
    ...createAlertMailers(mailerOptions),
    ...createReturnLinkMailer(mailerOptions),
  };
}
