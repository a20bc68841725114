/** Sign-in by e-mail: a six-digit code, valid for ten minutes and five guesses, at most five per hour. */
import { oauthLifetimes } from '#clients/lifetimes.ts';
import { isEqualInConstantTime } from '#platform/constant-time.ts';
import { HOUR_MS, MINUTE_SECONDS } from '#platform/durations.ts';
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
const MAX_CODES_PER_HOUR = 5;
const MAX_GUESSES = 5;
const DIGITS = 6;

/** Reveals neither whether the address is known nor whether an e-mail is sent. */
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
    if ((await countSignInCodes(records, addressTag, now - HOUR_MS)) >= MAX_CODES_PER_HOUR) return;
    await insertSignInCode(records, {
      id,
      sign_in_tag: keyring.tag('sign-in', signIn),
      address_tag: addressTag,
      address_box: keyring.seal('user address', address, id),
      tries_left: MAX_GUESSES,
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
  | { readonly correct: true; readonly userId: string }
  | { readonly correct: false; readonly guessesLeft: number };

/** A correct code signs in the user of that address, who is created if new. */
export async function verifySignInCode(
  services: Pick<Services, 'clock' | 'keyring' | 'store'>,
  signIn: string,
  typed: string,
): Promise<SignInCodeResult> {
  const { store, clock, keyring } = services;
  const signInTag = keyring.tag('sign-in', signIn);
  return await store.transaction(async (records) => {
    const code = await consumeSignInGuess(records, signInTag, clock.now());
    if (!code) return { correct: false, guessesLeft: 0 } as const;
    if (!matchesDigits(typed, deriveCodeDigits(keyring, code.id)))
      return { correct: false, guessesLeft: code.tries_left } as const;
    await invalidateSignInCodes(records, signInTag);
    const id = generateId();
    const userId = await findOrCreateUser(records, {
      id,
      address_tag: code.address_tag,
      address_box: keyring.seal('user address', decryptCodeAddress(keyring, code), id),
      created_at: clock.now(),
    });
    return { correct: true, userId } as const;
  });
}

/** Derived, so that the code is stored neither in the records nor in the outbox. */
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

interface MailOptions extends Pick<Services, 'store' | 'clock' | 'keyring'> {
  readonly siteName: string;
  readonly sendMail: MailSender;
}

/** Sends the code by e-mail, unless it has expired. */
export function createSignInCodeMailer({
  store,
  clock,
  keyring,
  siteName,
  sendMail,
}: MailOptions): OutboxHandler {
  return async (payload) => {
    const code = await findSignInCode(store.records, (payload as { id: string }).id);
    if (!code || code.expires_at <= clock.now()) return;
    await sendMail(
      buildCodeLetter(decryptCodeAddress(keyring, code), deriveCodeDigits(keyring, code.id), siteName),
    );
  };
}

/** Locked screens show the subject, so it contains neither the code nor its purpose. */
function buildCodeLetter(to: string, digits: string, siteName: string): MailMessage {
  return {
    to,
    subject: 'Your sign-in code',
    text: `${digits}

is your code for signing in at ${siteName}. It is good for ${oauthLifetimes.emailCode / MINUTE_SECONDS} minutes, in the
browser that asked for it. Nobody from ${siteName} will ever ask you for it.

If you did not ask for a code, somebody else typed your address. You need not
do anything: without this code nothing happens.
`,
  };
}
