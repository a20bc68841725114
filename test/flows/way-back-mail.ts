/** The letter with the way back to a paid form, as it reaches the mailbox of the payer. */
import assert from 'node:assert/strict';
import { createWayBackMailer, enqueueWaysBack } from '#payments/return-link-email.ts';
import type { MailMessage } from '#platform/mail/mail.ts';
import { createOutboxWorker } from '#store/outbox-worker.ts';
import type { TestShop } from '#test/test-shop.ts';

/** The link of the only letter that is due. */
export async function receiveWayBackLink({ services }: TestShop): Promise<string> {
  const letters: MailMessage[] = [];
  await enqueueWaysBack(services);
  const sendMail = async (letter: MailMessage) => void letters.push(letter);
  await createOutboxWorker({ ...services, handlers: createWayBackMailer({ ...services, sendMail }) })();
  assert.deepEqual(
    letters.map(({ to }) => to),
    ['buyer@sandbox.invalid'],
  );
  return /^https:\S+$/m.exec(letters[0]?.text ?? '')?.[0] ?? '';
}
