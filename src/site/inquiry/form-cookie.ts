/** The cookie that stands for paid sessions: sealed, for a while, several for who bought more than once. */
import type { Clock } from '#platform/clock.ts';
import { DAY_SECONDS } from '#platform/durations.ts';
import { FORM_DAYS } from '#platform/expiry.ts';
import type { Keyring } from '#store/keyring.ts';

export const FORM_COOKIE_NAME = '__Host-inquiry';
export const FORM_COOKIE_MAX_AGE_SECONDS = FORM_DAYS * DAY_SECONDS;
/** Lax, since the buyer arrives from the provider's site. */
export const FORM_COOKIE_OPTIONS = { path: '/', httpOnly: true, secure: true, sameSite: 'lax' } as const;
const MOST_SESSIONS = 4;

interface Kept {
  readonly session: string;
  /** Epoch milliseconds: the browser's own limit is only a wish. */
  readonly until: number;
}

interface CookieParts {
  readonly clock: Clock;
  readonly keyring: Keyring;
}

/** The sessions in a cookie, newest first; none from one that is missing, forged or too old. */
export function listFormCookieSessions(parts: CookieParts, value: string | undefined): string[] {
  return decryptCookieEntries(parts, value).map(({ session }) => session);
}

export function addSessionToFormCookie(
  parts: CookieParts,
  value: string | undefined,
  session: string,
): string {
  const until = parts.clock.now() + FORM_COOKIE_MAX_AGE_SECONDS * 1_000;
  return encryptCookieEntries(parts, [{ session, until }, ...listOtherEntries(parts, value, session)]);
}

/** Null where no session is left. */
export function removeSessionFromFormCookie(
  parts: CookieParts,
  value: string | undefined,
  session: string,
): string | null {
  const others = listOtherEntries(parts, value, session);
  return others.length > 0 ? encryptCookieEntries(parts, others) : null;
}

function listOtherEntries(parts: CookieParts, value: string | undefined, session: string): Kept[] {
  return decryptCookieEntries(parts, value).filter((kept) => kept.session !== session);
}

function encryptCookieEntries({ keyring }: CookieParts, kept: readonly Kept[]): string {
  const text = JSON.stringify(kept.slice(0, MOST_SESSIONS));
  return Buffer.from(keyring.seal('form cookie', text, FORM_COOKIE_NAME)).toString('base64url');
}

function decryptCookieEntries({ clock, keyring }: CookieParts, value: string | undefined): Kept[] {
  if (!value) return [];
  try {
    const text = keyring.open('form cookie', Buffer.from(value, 'base64url'), FORM_COOKIE_NAME);
    return (JSON.parse(text) as Kept[]).filter(({ until }) => until > clock.now());
  } catch {
    return [];
  }
}
