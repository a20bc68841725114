/** Sign-in by e-mail: a short code for one sign-in, and after some of them in a day one long code for the whole day. */
import { oauthLifetimes } from '#clients/lifetimes.ts';
import type { Language } from '#language/language.ts';
import { ENGLISH, findServedLanguage } from '#language/languages.ts';
import { HOUR_SECONDS, MINUTE_SECONDS, SECOND_MS } from '#platform/durations.ts';
import { ServiceError } from '#platform/errors.ts';
import { rateBudgets } from '#platform/http/limits/limits.ts';
import { formatEmailText } from '#platform/mail/email-text.ts';
import type { EmailText, MailSender } from '#platform/mail/mail.ts';
import { isEqualInConstantTime } from '#platform/text/constant-time.ts';
import { generateId } from '#platform/text/ids.ts';
import type { Services } from '#services.ts';
import {
  consumeSignInGuess,
  countShortCodes,
  deleteOldestSignInCodes,
  findLongCodeId,
  findSignInCode,
  insertSignInCode,
  invalidateSignInCodes,
  type SignInCode,
} from '#store/clients/sign-in-codes.ts';
import { findOrCreateUser, findUserId } from '#store/clients/users.ts';
import type { Keyring } from '#store/keys/keyring.ts';
import { enqueueOutboxEntry } from '#store/outbox.ts';
import type { OutboxHandler } from '#store/outbox-worker.ts';
import type { Records } from '#store/schema/tables.ts';

export const SIGN_IN_CODE_TOPIC = 'sign-in code';
/** How many spent codes are deleted at once to make room. */
const BATCH = 100;
const SHORT_DIGITS = 6;
/** Cannot be guessed, so it needs no limit that would lock the owner of the address out. */
const LONG_DIGITS = 18;
const LONG_CODE_MS = oauthLifetimes.longEmailCode * SECOND_MS;

/**
 * Reveals neither whether the address is known nor whether an e-mail is sent. Strangers who enter another person's
 * address use up its short codes; its owner then gets a long code by e-mail, which works in every sign-in.
 */
export async function requestSignInCode(
  services: Pick<Services, 'clock' | 'keyring' | 'store'>,
  signIn: string,
  address: string,
  { tag: language }: Language,
): Promise<void> {
  const { store, clock, keyring } = services;
  const now = clock.now();
  const id = generateId();
  const addressTag = keyring.tag('user address', address);
  const addressCiphertext = keyring.seal('user address', address, id);
  const admission = {
    kind: 'sign_in_codes',
    bytes: addressCiphertext.length,
    // Spent codes count towards the limit by address. Deleting them hardly weakens it: the table must be full, so
    // each further guess takes hundreds of new codes.
    makeRoom: () =>
      store.transaction((records) =>
        deleteOldestSignInCodes(records, now - oauthLifetimes.emailCode * SECOND_MS, BATCH),
      ),
    refusal: () => new ServiceError('storage_full'),
  } as const;
  const storeCode = async (records: Records) => {
    const dayAgo = now - rateBudgets.shortSignInCodes.windowMs;
    const short = (await countShortCodes(records, addressTag, dayAgo)) < rateBudgets.shortSignInCodes.max;
    const mailedLongCode = short ? null : await findLongCodeId(records, addressTag, dayAgo);
    await insertSignInCode(records, {
      id,
      sign_in_tag: keyring.tag('sign-in', signIn),
      address_tag: addressTag,
      address_ciphertext: addressCiphertext,
      long_code_id: short ? null : (mailedLongCode ?? id),
      tries_left: rateBudgets.signInGuesses.max,
      created_at: now,
      expires_at: now + oauthLifetimes.emailCode * SECOND_MS,
    });
    if (mailedLongCode) return;
    await enqueueOutboxEntry(records, {
      topic: SIGN_IN_CODE_TOPIC,
      dedupe: `${SIGN_IN_CODE_TOPIC} ${id}`,
      payload: { id, language },
      dueAt: now,
    });
  };
  await store.gate.admit(admission, () => store.transaction(storeCode));
}

type SignInCodeResult<UserId> =
  | { readonly correct: true; readonly userId: UserId }
  | { readonly correct: false; readonly guessesLeft: number };

/** A correct code signs in the user of that address, who is created if new. */
export const verifySignInCode = createCodeCheck(findOrCreateUser);

/** The same for a visitor who only looks: a new address is not stored, and its user is null. */
export const verifyVisitorCode = createCodeCheck(findUserId);

function createCodeCheck<UserId>(
  resolveUser: (...args: Parameters<typeof findOrCreateUser>) => Promise<UserId>,
) {
  return async (
    services: Pick<Services, 'clock' | 'keyring' | 'store'>,
    signIn: string,
    typed: string,
  ): Promise<SignInCodeResult<UserId>> => {
    const { store, clock, keyring } = services;
    const signInTag = keyring.tag('sign-in', signIn);
    return await store.transaction(async (records) => {
      const code = await consumeSignInGuess(records, signInTag, clock.now());
      if (!code) return { correct: false, guessesLeft: 0 } as const;
      const address = keyring.open('user address', code.address_ciphertext, code.id);
      if (!isEqualInConstantTime(typed.replace(/\D/g, ''), deriveCodeDigits(keyring, code)))
        return { correct: false, guessesLeft: code.tries_left } as const;
      await invalidateSignInCodes(records, signInTag);
      const id = generateId();
      const tag = { address_tag: keyring.tag('user address', address) };
      const ciphertext = keyring.seal('user address', address, id);
      const userId = await resolveUser(records, tag, {
        id,
        ...tag,
        address_ciphertext: ciphertext,
        created_at: clock.now(),
      });
      return { correct: true, userId } as const;
    });
  };
}

/** Derived, so that the code is stored neither in the records nor in the outbox. */
function deriveCodeDigits(keyring: Keyring, { id, long_code_id: longId }: SignInCode): string {
  const count = longId ? LONG_DIGITS : SHORT_DIGITS;
  const bytes = Buffer.from(keyring.tag('sign-in code', longId ?? id), 'base64url');
  return String(bytes.readBigUInt64BE() % 10n ** BigInt(count)).padStart(count, '0');
}

/** Sends the code by e-mail, unless it has expired: after a long failure of the mail server it is not sent late. */
export function createSignInCodeMailer({
  store,
  clock,
  keyring,
  siteName,
  sendMail,
}: Pick<Services, 'store' | 'clock' | 'keyring'> & {
  readonly siteName: string;
  readonly sendMail: MailSender;
}): OutboxHandler {
  return async (payload, emailId) => {
    const { id, language: tag } = payload as { readonly id: string; readonly language?: string };
    const code = await findSignInCode(store.records, id);
    if (!code || !isWorthSending(code, clock.now())) return;
    const to = keyring.open('user address', code.address_ciphertext, code.id);
    const language = findServedLanguage(tag) ?? ENGLISH;
    const text = buildCodeEmail(language, deriveCodeDigits(keyring, code), code, siteName);
    await sendMail({ id: emailId, to, ...text });
  };
}

/** A long code also works in later sign-ins. */
function isWorthSending(
  { long_code_id, created_at, expires_at, tries_left }: SignInCode,
  now: number,
): boolean {
  return long_code_id ? now < created_at + LONG_CODE_MS : now < expires_at && tries_left > 0;
}

/** Locked screens show sender, subject and the first words, so none of them mentions the code or its purpose. */
function buildCodeEmail(
  { say }: Language,
  digits: string,
  code: Pick<SignInCode, 'long_code_id'>,
  site: string,
): Omit<EmailText, 'to'> {
  const shown = code.long_code_id ? digits.replace(/\d{6}(?=\d)/g, '$& ') : digits;
  const about = code.long_code_id
    ? say('email.code.long', { site, hours: oauthLifetimes.longEmailCode / HOUR_SECONDS })
    : say('email.code', { site, minutes: oauthLifetimes.emailCode / MINUTE_SECONDS });
  return {
    unsigned: true,
    subject: say('email.subject'),
    text: formatEmailText([
      say('email.code.first'),
      shown,
      `${about} ${say('email.code.secret', { site })}`,
      say('email.code.unasked'),
    ]),
  };
}
