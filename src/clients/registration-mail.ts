/** The letters around a registration: one tells the maintainer that somebody waits, one brings a link and no secret. */
import type { PublicAddresses } from '#platform/addresses.ts';
import type { MailMessage, MailSender } from '#platform/mail.ts';
import type { Services } from '#services.ts';
import type { Keyring } from '#store/keyring.ts';
import type { OutboxHandler } from '#store/outbox-worker.ts';
import { countPendingRegistrations, findRegistration, type Registration } from '#store/registrations.ts';

export const AGENTS_REGISTERED_TOPIC = 'agents registered';
export const CREDENTIAL_OFFER_TOPIC = 'agent offer';

interface MailParts extends Pick<Services, 'store' | 'clock' | 'keyring' | 'addresses'> {
  readonly siteName: string;
  readonly maintainer: string;
  readonly sendMail: MailSender;
}

/** Derived, so that the link stands nowhere: not in the records, not in the outbox. */
export function deriveOfferToken(keyring: Keyring, offer: string): string {
  return keyring.tag('registration offer', offer);
}

export function decryptRegistrationContact(
  keyring: Keyring,
  { id, contact_box }: Pick<Registration, 'id' | 'contact_box'>,
): string {
  return keyring.open('registration contact', contact_box, id);
}

export function createRegistrationMailers(parts: MailParts): Readonly<Record<string, OutboxHandler>> {
  return {
    [AGENTS_REGISTERED_TOPIC]: createMaintainerMailer(parts),
    [CREDENTIAL_OFFER_TOPIC]: createOfferMailer(parts),
  };
}

function createMaintainerMailer({ store, siteName, maintainer, sendMail }: MailParts): OutboxHandler {
  return async () => {
    const waiting = await countPendingRegistrations(store.records);
    if (waiting > 0) await sendMail(buildMaintainerLetter(maintainer, waiting, siteName));
  };
}

/** Sends the link of an offer, unless it was used or replaced meanwhile. */
function createOfferMailer({
  store,
  clock,
  keyring,
  addresses,
  siteName,
  sendMail,
}: MailParts): OutboxHandler {
  return async (payload) => {
    const { id, offer } = payload as { id: string; offer: string };
    const found = await findRegistration(store.records, id);
    if (found?.offer !== offer || (found.offer_until ?? 0) <= clock.now()) return;
    const link = addresses.credentialsLink(`${id}.${deriveOfferToken(keyring, offer)}`);
    await sendMail(
      buildOfferLetter({ to: decryptRegistrationContact(keyring, found), link, siteName, addresses }),
    );
  };
}

/** Names nobody: who registers chooses the name, and could choose one that reads like an order. */
function buildMaintainerLetter(to: string, waiting: number, siteName: string): MailMessage {
  return {
    to,
    subject: 'Agents are waiting for approval',
    text: `${waiting === 1 ? 'One registration is waiting' : `${waiting} registrations are waiting`} for your decision at ${siteName}.

  npm run cli -- agents list --status pending
  npm run cli -- agents show ID
  npm run cli -- agents approve ID --scopes "case:read case:write" --grants "client_credentials"
  npm run cli -- agents reject ID
`,
  };
}

interface Offer {
  readonly to: string;
  readonly link: string;
  readonly siteName: string;
  readonly addresses: PublicAddresses;
}

function buildOfferLetter({ to, link, siteName, addresses }: Offer): MailMessage {
  return {
    to,
    subject: 'Your client credentials',
    text: `There are credentials for the program that was registered with this address
at ${siteName}.

${link}

The page has a button that creates the secret and shows it once. The link is
valid for 72 hours. A program that polls its registration does not need it:
whichever of the two comes first ends the other.

How to use them: ${addresses.registration}

If you did not register anything here, ignore this message; the link expires.
`,
  };
}
