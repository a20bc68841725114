/** Receives the e-mail with the return link to a paid form, like the mailbox of the payer. */
import assert from 'node:assert/strict';
import { createReturnLinkMailer, enqueueReturnLinks } from '#payments/return-link.ts';
import type { MailMessage } from '#platform/mail/mail.ts';
import { createOutboxWorker } from '#store/outbox-worker.ts';
import type { TestShop } from '#test/test-shop.ts';

/** Returns the link in the only e-mail that is due. */
export async function receiveReturnLink({ services }: TestShop): Promise<string> {
  const emails: MailMessage[] = [];
  await enqueueReturnLinks(services);
  const sendMail = async (email: MailMessage) => void emails.push(email);
  await createOutboxWorker({ ...services, handlers: createReturnLinkMailer({ ...services, sendMail }) })();
  assert.deepEqual(
    emails.map(({ to }) => to),
    ['buyer@sandbox.invalid'],
  );
  return /^https:\S+$/m.exec(emails[0]?.text ?? '')?.[0] ?? '';
}
