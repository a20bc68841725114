/**
 * The return link to a paid form that was not sent, e-mailed once to each payer, at the address that the provider has:
 * it has a token, of which the order stores only the hash.
 */
import { createHash } from 'node:crypto';
import type { Language } from '#language/language.ts';
import { ENGLISH, findServedLanguage } from '#language/languages.ts';
import { DAY_MS } from '#platform/durations.ts';
import { ServiceError } from '#platform/errors.ts';
import { FORM_DAYS } from '#platform/expiry.ts';
import { normalizeEmailAddress } from '#platform/mail/email-address.ts';
import { formatEmailText } from '#platform/mail/email-text.ts';
import type { EmailText, MailSender } from '#platform/mail/mail.ts';
import { MailFault } from '#platform/mail/mail-fault.ts';
import type { Services } from '#services.ts';
import { runInBatches } from '#store/engine/batches.ts';
import {
  claimDueReturnLinks,
  findOrder,
  findOrderByReturnLink,
  makeReturnLinkDue,
  type Order,
  postponeReturnLink,
  setReturnLinkHash,
} from '#store/orders/orders.ts';
import { enqueueOutboxEntry } from '#store/outbox.ts';
import type { OutboxHandler } from '#store/outbox-worker.ts';
import { fulfilOrder } from './fulfil.ts';
import { decryptSessionId } from './session-id.ts';

const TOKEN = /^[\w-]{43}$/;

/** False once the order is used or refunded, and after `FORM_DAYS`. The form itself reports an order on hold. */
function isReturnLinkOpen({ payment, redeemed, created_at }: Order, now: number): boolean {
  return payment === 'paid' && redeemed === 0 && now < created_at + FORM_DAYS * DAY_MS;
}

/** For a payer who asks for the e-mail again. Returns false if the order's form is not open, or a program made it. */
export async function requestReturnLink(
  { clock, store }: Pick<Services, 'clock' | 'store'>,
  id: string,
): Promise<boolean> {
  const now = clock.now();
  const made = { id, now, after: now - FORM_DAYS * DAY_MS };
  return await store.transaction((records) => makeReturnLinkDue(records, made));
}

/**
 * Returns the token for an e-mail, or null if the order was used or is no longer paid. It is derived from the e-mail's
 * id, so that an e-mail that is sent again has the same link, and nothing leads to the token once the e-mail has left
 * the outbox.
 */
export async function recordReturnLink(
  { keyring, store }: Pick<Services, 'keyring' | 'store'>,
  { id }: Pick<Order, 'id'>,
  emailId: string,
): Promise<string | null> {
  const token = keyring.tag('way back', emailId);
  const isRecorded = await store.transaction((records) => setReturnLinkHash(records, id, hashToken(token)));
  return isRecorded ? token : null;
}

/** Returns the session whose form the link opens, or null if it opens none; does not ask the provider. */
export async function findReturnLinkSession(
  { clock, keyring, store }: Pick<Services, 'clock' | 'keyring' | 'store'>,
  token: string,
): Promise<string | null> {
  const order = TOKEN.test(token) ? await findOrderByReturnLink(store.records, hashToken(token)) : undefined;
  return order && isReturnLinkOpen(order, clock.now()) ? decryptSessionId(keyring, order) : null;
}

function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

const TOPIC = 'way back';

/** This e-mail is enqueued only once it is due. Until then the order stores the time; using the order clears it. */
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

/** The payer as the provider knows them, with the language of the payment page. */
interface Payer {
  readonly address: string;
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
