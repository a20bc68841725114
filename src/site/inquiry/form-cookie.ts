/** The cookies of a purchase: one marks the browser where it began, the other holds its paid sessions, encrypted. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DAY_SECONDS, HOUR_SECONDS } from '#platform/durations.ts';
import { FORM_DAYS, PURCHASE_COOKIE_HOURS } from '#platform/expiry.ts';
import { isOwnVisit } from '#platform/http/form-post.ts';
import type { Services } from '#services.ts';

export const FORM_COOKIE_NAME = '__Host-inquiry';
export const FORM_COOKIE_MAX_AGE_SECONDS = FORM_DAYS * DAY_SECONDS;
/** Lax, because the buyer arrives from the provider's site. */
export const FORM_COOKIE_OPTIONS = { path: '/', httpOnly: true, secure: true, sameSite: 'lax' } as const;
const MAX_SESSIONS = 4;
const PURCHASE_COOKIE_NAME = '__Host-purchase';

interface CookieEntry {
  readonly session: string;
  /** Epoch milliseconds. Checked here too, because a browser need not honour Max-Age. */
  readonly until: number;
}

type CookieServices = Pick<Services, 'clock' | 'keyring'>;

/** Newest first. Empty if the cookie is missing, forged or expired. */
export function listFormCookieSessions(services: CookieServices, value: string | undefined): string[] {
  return decryptCookieEntries(services, value).map(({ session }) => session);
}

export function addSessionToFormCookie(
  services: CookieServices,
  value: string | undefined,
  session: string,
): string {
  const until = services.clock.now() + FORM_COOKIE_MAX_AGE_SECONDS * 1_000;
  return encryptCookieEntries(services, [{ session, until }, ...listOtherEntries(services, value, session)]);
}

/** Returns null if no session is left. */
export function removeSessionFromFormCookie(
  services: CookieServices,
  value: string | undefined,
  session: string,
): string | null {
  const others = listOtherEntries(services, value, session);
  return others.length > 0 ? encryptCookieEntries(services, others) : null;
}

function listOtherEntries(
  services: CookieServices,
  value: string | undefined,
  session: string,
): CookieEntry[] {
  return decryptCookieEntries(services, value).filter((entry) => entry.session !== session);
}

function encryptCookieEntries({ keyring }: CookieServices, entries: readonly CookieEntry[]): string {
  const text = JSON.stringify(entries.slice(0, MAX_SESSIONS));
  return Buffer.from(keyring.seal('form cookie', text, FORM_COOKIE_NAME)).toString('base64url');
}

function decryptCookieEntries({ clock, keyring }: CookieServices, value: string | undefined): CookieEntry[] {
  if (!value) return [];
  try {
    const text = keyring.open('form cookie', Buffer.from(value, 'base64url'), FORM_COOKIE_NAME);
    return (JSON.parse(text) as CookieEntry[]).filter(({ until }) => until > clock.now());
  } catch {
    return [];
  }
}

/** Called when a purchase begins in this browser. */
export function markPurchase(
  { keyring }: Pick<Services, 'keyring'>,
  reply: FastifyReply,
  orderId: string,
): FastifyReply {
  return reply.setCookie(PURCHASE_COOKIE_NAME, keyring.tag('form token', `order ${orderId}`), {
    ...FORM_COOKIE_OPTIONS,
    maxAge: PURCHASE_COOKIE_HOURS * HOUR_SECONDS,
  });
}

/** False if another site, an e-mail or a program may have led here with a payment of its own. */
export function isOwnPurchase(
  { keyring }: Pick<Services, 'keyring'>,
  request: FastifyRequest,
  orderId: string,
): boolean {
  const marked = request.cookies[PURCHASE_COOKIE_NAME] ?? '';
  // The return from the provider also counts as a visit from another site.
  return isOwnVisit(request) || keyring.tag('form token', `order ${orderId}`) === marked;
}
