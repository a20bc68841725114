/** Finds the payment that a form belongs to: the cookie holds the sessions, and the form's token selects one. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { refreshOrderBySession } from '#payments/fulfil.ts';
import { isOrderOnHold } from '#payments/redeem.ts';
import { isEqualInConstantTime } from '#platform/text/constant-time.ts';
import type { Services } from '#services.ts';
import { deleteDraftHalf } from '#store/cases/draft-keys.ts';
import type { Keyring } from '#store/keys/keyring.ts';
import type { Order } from '#store/orders/orders.ts';
import { FORM_TOKEN_HEADER, INQUIRY_PATH } from '#wire/inquiry-page.ts';
import {
  addSessionToFormCookie,
  FORM_COOKIE_MAX_AGE_SECONDS,
  FORM_COOKIE_NAME,
  FORM_COOKIE_OPTIONS,
  listFormCookieSessions,
  removeSessionFromFormCookie,
} from './form-cookie.ts';

/** A paid session whose form may be shown. */
export interface OpenInquiryForm {
  readonly sessionId: string;
  readonly order: Order;
}

/** Protects against CSRF: another site can make a browser send the cookie, but does not know this token. */
export function deriveFormToken(keyring: Keyring, sessionId: string): string {
  return keyring.tag('form token', sessionId);
}

export function findFormSession(
  services: Pick<Services, 'clock' | 'keyring'>,
  { cookies }: FastifyRequest,
  token: string,
): string | null {
  const sessions = listFormCookieSessions(services, cookies[FORM_COOKIE_NAME]);
  return (
    sessions.find((session) => isEqualInConstantTime(deriveFormToken(services.keyring, session), token)) ??
    null
  );
}

/** The first session in the cookie that can still be used; else one that is on hold, or whose payment failed. */
export async function findOpenInquiryForm(
  services: Services,
  { cookies }: FastifyRequest,
): Promise<OpenInquiryForm | 'payment failed' | null> {
  let heldForm: OpenInquiryForm | null = null;
  let hasFailed = false;
  for (const sessionId of listFormCookieSessions(services, cookies[FORM_COOKIE_NAME])) {
    const order = await refreshOrderBySession(services, sessionId);
    hasFailed ||= order?.payment === 'failed';
    if (!hasOpenForm(order)) continue;
    if (!isOrderOnHold(services, order)) return { sessionId, order };
    heldForm ??= { sessionId, order };
  }
  return heldForm ?? (hasFailed ? 'payment failed' : null);
}

export function hasOpenForm(order: Order | null): order is Order {
  return (
    order !== null && order.redeemed === 0 && (order.payment === 'paid' || order.payment === 'processing')
  );
}

/** Opens the form in this browser. */
export function redirectToForm(
  services: Pick<Services, 'clock' | 'keyring'>,
  request: FastifyRequest,
  reply: FastifyReply,
  sessionId: string,
): FastifyReply {
  return keepFormInBrowser(services, request, reply, sessionId).redirect(INQUIRY_PATH, 303);
}

/** From now on, the form's address opens the form in this browser. */
export function keepFormInBrowser(
  services: Pick<Services, 'clock' | 'keyring'>,
  request: FastifyRequest,
  reply: FastifyReply,
  sessionId: string,
): FastifyReply {
  const value = addSessionToFormCookie(services, request.cookies[FORM_COOKIE_NAME], sessionId);
  return reply.setCookie(FORM_COOKIE_NAME, value, {
    ...FORM_COOKIE_OPTIONS,
    maxAge: FORM_COOKIE_MAX_AGE_SECONDS,
  });
}

/** Called once the case is open or the buyer closes the form: then nothing in the browser leads to payment or draft. */
export async function clearFormSession(
  services: Pick<Services, 'clock' | 'keyring' | 'store'>,
  request: FastifyRequest,
  reply: FastifyReply,
  sessionId: string,
): Promise<void> {
  // A failure here must not hide that the inquiry is stored. What cannot be deleted now expires within a day.
  await deleteDraftHalf(services.store.records, { keyring: services.keyring, sessionId }).catch(
    () => undefined,
  );
  const value = removeSessionFromFormCookie(services, request.cookies[FORM_COOKIE_NAME], sessionId);
  if (value === null) reply.clearCookie(FORM_COOKIE_NAME, FORM_COOKIE_OPTIONS);
  else
    reply.setCookie(FORM_COOKIE_NAME, value, { ...FORM_COOKIE_OPTIONS, maxAge: FORM_COOKIE_MAX_AGE_SECONDS });
}

/** The session of a request from the form's script. */
export function findSenderSession(
  services: Pick<Services, 'clock' | 'keyring'>,
  request: FastifyRequest,
): string | null {
  const token = request.headers[FORM_TOKEN_HEADER];
  return typeof token === 'string' ? findFormSession(services, request, token) : null;
}
