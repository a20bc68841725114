/** E-mails about registrations: that some are pending, the link to credentials, and that a webhook was changed. */
import { ENGLISH } from '#language/languages.ts';
import { PROGRAM_NAME } from '#platform/config/program-name.ts';
import { HOUR_SECONDS } from '#platform/durations.ts';
import type { MailSender } from '#platform/mail/mail.ts';
import { DEFAULT_SCOPES } from '#platform/scopes.ts';
import type { Services } from '#services.ts';
import {
  countPendingRegistrations,
  findRegistration,
  findRegistrationByEitherId,
  type Registration,
} from '#store/clients/registrations.ts';
import type { Keyring } from '#store/keys/keyring.ts';
import { enqueueOutboxEntry } from '#store/outbox.ts';
import type { OutboxHandler } from '#store/outbox-worker.ts';
import type { Records } from '#store/schema/tables.ts';
import { oauthLifetimes } from './lifetimes.ts';

export const AGENTS_REGISTERED_TOPIC = 'agents registered';
export const CREDENTIAL_OFFER_TOPIC = 'agent offer';
const WEBHOOK_EMAIL_TOPIC = 'agent callback';

interface MailOptions extends Pick<Services, 'store' | 'clock' | 'keyring' | 'addresses'> {
  readonly siteName: string;
  readonly maintainer: string;
  readonly sendMail: MailSender;
}

/** Derived, so that the link is stored neither in the records nor in the outbox. */
export function deriveOfferToken(keyring: Keyring, offer: string): string {
  return keyring.tag('registration offer', offer);
}

export function decryptRegistrationContact(
  keyring: Keyring,
  { id, contact_ciphertext }: Pick<Registration, 'id' | 'contact_ciphertext'>,
): string {
  return keyring.open('registration contact', contact_ciphertext, id);
}

export function createRegistrationMailers(options: MailOptions): Readonly<Record<string, OutboxHandler>> {
  return {
    [AGENTS_REGISTERED_TOPIC]: createMaintainerMailer(options),
    [CREDENTIAL_OFFER_TOPIC]: createOfferMailer(options),
    [WEBHOOK_EMAIL_TOPIC]: createWebhookMailer(options),
  };
}

/** Contains no names: they are chosen by the programs and could read like an instruction. */
function createMaintainerMailer({ store, siteName, maintainer, sendMail }: MailOptions): OutboxHandler {
  return async (_payload, emailId) => {
    const pending = await countPendingRegistrations(store.records);
    if (pending === 0) return;
    await sendMail({
      id: emailId,
      to: maintainer,
      subject: 'Agents are waiting for approval',
      text: `${pending === 1 ? 'One registration is waiting' : `${pending} registrations are waiting`} for your decision at ${siteName}.

  ${PROGRAM_NAME} agents list --status pending
  ${PROGRAM_NAME} agents show ID
  ${PROGRAM_NAME} agents approve ID --scopes "${DEFAULT_SCOPES.join(' ')}" --grants "client_credentials"
  ${PROGRAM_NAME} agents reject ID
`,
    });
  };
}

/** Sends the link of an offer, unless the offer was used, replaced or has expired. */
function createOfferMailer(options: MailOptions): OutboxHandler {
  const { store, clock, keyring, addresses, siteName, sendMail } = options;
  return async (payload, emailId) => {
    const { id, offer } = payload as { id: string; offer: string };
    const registration = await findRegistration(store.records, id);
    if (registration?.offer !== offer || (registration.offer_until ?? 0) <= clock.now()) return;
    await sendMail({
      id: emailId,
      to: decryptRegistrationContact(keyring, registration),
      subject: ENGLISH.say('email.subject'),
      text: `There are credentials for the program that was registered with this address
at ${siteName}.

${addresses.credentialsLink(`${id}.${deriveOfferToken(keyring, offer)}`)}

The page has a button that creates the secret and shows it once. The link is
valid for ${oauthLifetimes.offer / HOUR_SECONDS} hours. A program that polls its registration does not need it:
whichever of the two comes first ends the other.

How to use them: ${addresses.registration}

If you did not register anything here, ignore this message; the link expires.
`,
    });
  };
}

/** Changes that follow each other before the e-mail is sent share one e-mail. */
export async function enqueueWebhookEmail(records: Records, clientId: string, now: number): Promise<void> {
  const registration = await findRegistrationByEitherId(records, clientId);
  if (!registration) return;
  const { id } = registration;
  const dedupe = `${WEBHOOK_EMAIL_TOPIC} ${id}`;
  await enqueueOutboxEntry(records, { topic: WEBHOOK_EMAIL_TOPIC, dedupe, payload: { id }, dueAt: now });
}

/**
 * Notifies the person responsible for the program, so that a stolen token cannot redirect its events unnoticed. Says
 * neither what was changed nor what the new address is.
 */
function createWebhookMailer({ store, keyring, addresses, siteName, sendMail }: MailOptions): OutboxHandler {
  return async (payload, emailId) => {
    const registration = await findRegistration(store.records, (payload as { id: string }).id);
    if (!registration) return;
    await sendMail({
      id: emailId,
      to: decryptRegistrationContact(keyring, registration),
      subject: 'A setting of your program was changed',
      text: `The webhook of the program that was registered with this address at
${siteName} was set, changed or removed with one of its tokens.

If it was your program, there is nothing to do. If it was not, ask the office
to suspend the program and to give it new credentials: someone else may have
its token or its secret. New credentials leave the webhook as it is: remove it
with them, or set it again with "rotate_secret".

What a webhook is: ${addresses.registration}
`,
    });
  };
}
