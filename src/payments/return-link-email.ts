/** E-mails the return link, once to each payer who has not sent the form, to the address that the provider has. */

import { formatEmailText } from '#language/email-text.ts';
import type { Language } from '#language/language.ts';
import { ENGLISH, findServedLanguage } from '#language/languages.ts';
import { ServiceError } from '#platform/errors.ts';
import { FORM_DAYS } from '#platform/expiry.ts';
import { normalizeEmailAddress } from '#platform/mail/email-address.ts';
import type { EmailText, MailSender } from '#platform/mail/mail.ts';
import { MailFault } from '#platform/mail/mail-fault.ts';
import type { Services } from '#services.ts';
import { runInBatches } from '#store/engine/batches.ts';
import { findOrder } from '#store/orders/orders.ts';
import { claimDueReturnLinks, postponeReturnLink } from '#store/orders/return-links.ts';
import { enqueueOutboxEntry } from '#store/outbox.ts';
import type { OutboxHandler } from '#store/outbox-worker.ts';
import { fulfilOrder } from './fulfil.ts';
import { isReturnLinkOpen, recordReturnLink } from './return-link.ts';
import { decryptSessionId } from './session-id.ts';

const TOPIC = 'way back';

/** The outbox has only e-mails that are due. Until then the order stores the time; using the order clears it. */
export async function enqueueReturnLinks({ clock, store }: Pick<Services, 'clock' | 'store'>): Promise<void> {
  const now = clock.now();
  await runInBatches(store, async (records, limit) => {
    const orders = await claimDueReturnLinks(records, { now, limit });
    for (const { id } of orders) {
      const dedupe = `${TOPIC} ${id}`;
      await enqueueOutboxEntry(records, { topic: TOPIC, dedupe, payload: { order: id }, dueAt: now });
    }
    return orders.length;
  });
}

interface MailerOptions
  extends Pick<Services, 'addresses' | 'clock' | 'paymentProvider' | 'keyring' | 'log' | 'store'> {
  readonly sendMail: MailSender;
}

/** Sends nothing if the form was sent meanwhile, the payment was refunded, or there is no address. */
export function createReturnLinkMailer(options: MailerOptions): Readonly<Record<string, OutboxHandler>> {
  const { addresses, clock, keyring, sendMail, store } = options;
  const sendReturnLink: OutboxHandler = async (payload, emailId) => {
    const order = await findOrder(store.records, (payload as { order: string }).order);
    if (!order || !isReturnLinkOpen(order, clock.now())) return;
    // After a restore, the form may already have been sent. Releasing the order requests the e-mail again.
    if (order.on_hold === 1)
      return await store.transaction((records) => postponeReturnLink(records, order, clock.now()));
    const sessionId = decryptSessionId(keyring, order);
    const payer = sessionId && (await readPayer(options, sessionId).catch(toMailFault));
    const token = payer && (await recordReturnLink(options, order, emailId));
    if (token) await sendMail({ id: emailId, ...buildReturnLinkEmail(payer, addresses.returnLink(token)) });
  };
  return { [TOPIC]: sendReturnLink };
}

/** The payer as the provider knows them. */
interface Payer {
  readonly address: string;
  /** The language of the payment page. */
  readonly language: Language;
}

/** Also refreshes the order: its refund may have been missed. Null if there is no address or no such payment. */
async function readPayer(options: MailerOptions, sessionId: string): Promise<Payer | null> {
  const order = await fulfilOrder(options, sessionId);
  if (!order || !isReturnLinkOpen(order, options.clock.now())) return null;
  const { email = null, locale = null } = (await options.paymentProvider.fetchFacts(sessionId))?.payer ?? {};
  const address = normalizeEmailAddress(email ?? '');
  return address ? { address, language: findServedLanguage(locale) ?? ENGLISH } : null;
}

function toMailFault(error: unknown): never {
  if (!(error instanceof ServiceError)) throw error;
  throw new MailFault('The payment provider cannot be asked for the address of a payer.', error);
}

/** Does not say what was bought or where, because others may read a mailbox, or see it on a locked screen. */
function buildReturnLinkEmail({ address, language: { say } }: Payer, link: string): EmailText {
  return {
    to: address,
    unsigned: true,
    subject: say('email.subject'),
    text: formatEmailText([
      say('email.form'),
      link,
      say('email.form.button', { days: FORM_DAYS }),
      say('email.form.words'),
      say('email.form.end'),
    ]),
  };
}
