/** The cookie that stands for paid sessions: sealed, for thirty days, several for who bought more than once. */
import type { Clock } from '#platform/clock.ts';
import type { Keyring } from '#store/keyring.ts';

export const FORM_COOKIE = '__Host-inquiry';
export const FORM_COOKIE_SECONDS = 30 * 86_400;
/** Lax, since the buyer arrives from the provider's site. */
export const FORM_COOKIE_RULES = { path: '/', httpOnly: true, secure: true, sameSite: 'lax' } as const;
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
export function sessionsIn(parts: CookieParts, value: string | undefined): string[] {
  return keptIn(parts, value).map(({ session }) => session);
}

export function cookieWith(parts: CookieParts, value: string | undefined, session: string): string {
  const until = parts.clock.now() + FORM_COOKIE_SECONDS * 1_000;
  return sealed(parts, [{ session, until }, ...othersIn(parts, value, session)]);
}

/** Null where no session is left. */
export function cookieWithout(parts: CookieParts, value: string | undefined, session: string): string | null {
  const others = othersIn(parts, value, session);
  return others.length > 0 ? sealed(parts, others) : null;
}

function othersIn(parts: CookieParts, value: string | undefined, session: string): Kept[] {
  return keptIn(parts, value).filter((kept) => kept.session !== session);
}

function sealed({ keyring }: CookieParts, kept: readonly Kept[]): string {
  const text = JSON.stringify(kept.slice(0, MOST_SESSIONS));
  return Buffer.from(keyring.seal('form cookie', text, FORM_COOKIE)).toString('base64url');
}

function keptIn({ clock, keyring }: CookieParts, value: string | undefined): Kept[] {
  if (!value) return [];
  try {
    const text = keyring.open('form cookie', Buffer.from(value, 'base64url'), FORM_COOKIE);
    return (JSON.parse(text) as Kept[]).filter(({ until }) => until > clock.now());
  } catch {
    return [];
  }
}
