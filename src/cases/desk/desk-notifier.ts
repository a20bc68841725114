/** How the desk gets its digest and its alerts. E-mail is the only channel; another would be a function beside it. */
import type { MailMessage, MailSender } from '#platform/mail/mail.ts';

/** A notice that is sent again after a failure has the same id. */
export type DeskNotice = Pick<MailMessage, 'id' | 'subject' | 'text'>;
export type DeskNotifier = (notice: DeskNotice) => Promise<void>;

export function createMailNotifier(desk: string, sendMail: MailSender): DeskNotifier {
  return (notice) => sendMail({ ...notice, to: desk });
}
