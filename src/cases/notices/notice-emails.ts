/** Notices to buyers who asked for them: e-mails without content, only at four fixed hours of the day. */
import type { Language } from '#language/language.ts';
import { SERVED_LANGUAGES } from '#language/languages.ts';
import type { EmailText, MailSender } from '#platform/mail/mail.ts';
import { repeatInTurns } from '#platform/turns.ts';
import type { Services } from '#services.ts';
import { claimDueNotices, deleteNotice, findCaseByNotice, findNotice } from '#store/cases/notices.ts';
import { BATCH_ROWS } from '#store/engine/batches.ts';
import { createOutboxWorker, type OutboxHandler } from '#store/outbox-worker.ts';
import { openNoticeAddress } from './notice-address.ts';
import {
  enqueueNotice,
  findSlotBefore,
  isSendingTime,
  NOTICE_TOPIC,
  type NoticePayload,
  planNextNotice,
} from './notice-times.ts';

interface NoticeOptions extends Pick<Services, 'clock' | 'clockGuard' | 'keyring' | 'log' | 'store'> {
  readonly sendMail: MailSender;
}

/**
 * Returns a function that sends due notices in the hour after each of the four times, but none while there is clock
 * skew. Notices have a separate worker, so that ten thousand of them do not delay other e-mails.
 */
export function createNoticeSender(options: NoticeOptions): () => Promise<void> {
  const { clock, clockGuard, log, store } = options;
  const handlers = { [NOTICE_TOPIC]: createNoticeMailer(options) };
  const runWorker = createOutboxWorker({ store, clock, log, handlers });
  return async () => {
    if (!isSendingTime(clock.now()) || (await clockGuard.readTrustedTime()) === null) return;
    await repeatInTurns(async () => {
      const claimed = await enqueueDueNotices(options);
      const failed = await runWorker();
      // If the mail server accepts none of them, the rest stays in the outbox.
      return claimed === BATCH_ROWS && failed < claimed && isSendingTime(clock.now());
    });
  };
}

/** One e-mail covers everything up to this hour. Returns the number of e-mails. */
async function enqueueDueNotices({ clock, store }: Pick<NoticeOptions, 'clock' | 'store'>): Promise<number> {
  const now = clock.now();
  return await store.transaction(async (records) => {
    const due = await claimDueNotices(records, { now, toldAt: findSlotBefore(now), limit: BATCH_ROWS });
    for (const { id } of due) {
      await enqueueNotice(records, { notice: id, last: false }, now);
      const record = await findCaseByNotice(records, id);
      if (record) await planNextNotice(records, record);
    }
    return due.length;
  });
}

/** The address is read when the e-mail is sent: a removed address gets nothing, and a changed one takes effect. */
function createNoticeMailer({ keyring, sendMail, store }: NoticeOptions): OutboxHandler {
  return async (payload, emailId) => {
    const { notice: id, last } = payload as NoticePayload;
    const notice = await findNotice(store.records, id);
    // For a purged case, only the last e-mail is sent.
    if (!notice || (notice.ends_at !== null) !== last) return;
    const { address, language: tag } = openNoticeAddress(keyring, notice);
    const language = SERVED_LANGUAGES.find((served) => served.tag === tag) ?? SERVED_LANGUAGES[0];
    await sendMail({ id: emailId, to: address, ...buildNotice(language, last) });
    if (last) await store.transaction((records) => deleteNotice(records, id));
  };
}

/** The same for every case and every kind of news, so that a mailbox reveals neither. */
function buildNotice({ say }: Language, last: boolean): Omit<EmailText, 'to'> {
  const sentences = [say(last ? 'notice.mail.last' : 'notice.mail.new'), say('notice.mail.where')];
  return {
    unsigned: true,
    subject: say('notice.mail.subject'),
    text: `${sentences.join('\n\n')}\n`,
  };
}
