/** Signing in by e-mail: six digits to an address, for ten minutes, five guesses, five codes an hour. */
import { oauthLifetimes } from '#clients/lifetimes.ts';
import { isEqualInConstantTime } from '#platform/constant-time.ts';
import { generateId } from '#platform/ids.ts';
import type { MailMessage, MailSender } from '#platform/mail.ts';
import type { Services } from '#services.ts';
import type { Keyring } from '#store/keyring.ts';
import { enqueueOutboxEntry } from '#store/outbox.ts';
import type { OutboxHandler } from '#store/outbox-worker.ts';
import {
  consumeSignInGuess,
  countSignInCodes,
  findSignInCode,
  insertSignInCode,
  invalidateSignInCodes,
  type SignInCode,
} from '#store/sign-in-codes.ts';
import { findOrCreateUser } from '#store/users.ts';

export const SIGN_IN_CODE_TOPIC = 'sign-in code';
const HOUR_MS = 3_600_000;
const CODES_PER_HOUR = 5;
const GUESSES = 5;
const DIGITS = 6;

/** Says nothing about the address: neither whether it is known, nor whether a letter goes out. */
export async function requestSignInCode(
  services: Pick<Services, 'clock' | 'keyring' | 'store'>,
  signIn: string,
  address: string,
): Promise<void> {
  const { store, clock, keyring } = services;
  const now = clock.now();
  const id = generateId();
  const addressTag = keyring.tag('user address', address);
  await store.transaction(async (records) => {
    if ((await countSignInCodes(records, addressTag, now - HOUR_MS)) >= CODES_PER_HOUR) return;
    await insertSignInCode(records, {
      id,
      sign_in_tag: keyring.tag('sign-in', signIn),
      address_tag: addressTag,
      address_box: keyring.seal('user address', address, id),
      tries_left: GUESSES,
      created_at: now,
      expires_at: now + oauthLifetimes.emailCode * 1_000,
    });
    await enqueueOutboxEntry(records, {
      topic: SIGN_IN_CODE_TOPIC,
      dedupe: `${SIGN_IN_CODE_TOPIC} ${id}`,
      payload: { id },
      dueAt: now,
    });
  });
}

export type SignInCodeResult =
  | { readonly right: true; readonly userId: string }
  | { readonly right: false; readonly left: number };

/** The right code makes whoever typed it the user of that address. */
export async function verifySignInCode(
  services: Pick<Services, 'clock' | 'keyring' | 'store'>,
  signIn: string,
  typed: string,
): Promise<SignInCodeResult> {
  const { store, clock, keyring } = services;
  const signInTag = keyring.tag('sign-in', signIn);
  return await store.transaction(async (records) => {
    const code = await consumeSignInGuess(records, signInTag, clock.now());
    if (!code) return { right: false, left: 0 } as const;
    if (!matchesDigits(typed, deriveCodeDigits(keyring, code.id)))
      return { right: false, left: code.tries_left } as const;
    await invalidateSignInCodes(records, signInTag);
    const id = generateId();
    const userId = await findOrCreateUser(records, {
      id,
      address_tag: code.address_tag,
      address_box: keyring.seal('user address', decryptCodeAddress(keyring, code), id),
      created_at: clock.now(),
    });
    return { right: true, userId } as const;
  });
}

/** Derived, so that the code stands nowhere: not in the records, not in the outbox. */
function deriveCodeDigits(keyring: Keyring, id: string): string {
  const bytes = Buffer.from(keyring.tag('sign-in code', id), 'base64url');
  return String(bytes.readUIntBE(0, 6) % 10 ** DIGITS).padStart(DIGITS, '0');
}

function matchesDigits(typed: string, digits: string): boolean {
  return isEqualInConstantTime(typed.replace(/\D/g, ''), digits);
}

function decryptCodeAddress(keyring: Keyring, { id, address_box }: SignInCode): string {
  return keyring.open('user address', address_box, id);
}

interface MailParts extends Pick<Services, 'store' | 'clock' | 'keyring'> {
  readonly siteName: string;
  readonly sendMail: MailSender;
}

/** Sends the letter that a code waits for, unless its time is over. */
export function createSignInCodeMailer({
  store,
  clock,
  keyring,
  siteName,
  sendMail,
}: MailParts): OutboxHandler {
  return async (payload) => {
    const code = await findSignInCode(store.records, (payload as { id: string }).id);
    if (!code || code.expires_at <= clock.now()) return;
    await sendMail(
      buildCodeLetter(decryptCodeAddress(keyring, code), deriveCodeDigits(keyring, code.id), siteName),
    );
  };
}

/** Its subject shows on locked screens, so it says neither the code nor what it is for. */
function buildCodeLetter(to: string, digits: string, siteName: string): MailMessage {
  return {
    to,
    subject: 'Your sign-in code',
    text: `${digits}

is your code for signing in at ${siteName}. It is good for 10 minutes, in the
browser that asked for it. Nobody from ${siteName} will ever ask you for it.

If you did not ask for a code, somebody else typed your address. You need not
do anything: without this code nothing happens.
`,
  };
}
