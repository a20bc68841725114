/** Which payment a form was made for: the cookie holds the sessions, and the form's token says which of them. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { land } from '#payments/landing.ts';
import { isSameText } from '#platform/constant-time.ts';
import type { Services } from '#services.ts';
import type { Keyring } from '#store/keyring.ts';
import type { Order } from '#store/orders.ts';
import {
  cookieWithout,
  FORM_COOKIE,
  FORM_COOKIE_RULES,
  FORM_COOKIE_SECONDS,
  sessionsIn,
} from './form-cookie.ts';

/** A paid session whose form may be shown. */
export interface OpenForm {
  readonly sessionId: string;
  readonly order: Order;
}

/** Another site can make a browser send its cookie, but cannot know this. */
export function formToken(keyring: Keyring, sessionId: string): string {
  return keyring.tag('form token', sessionId);
}

export function sessionOf(
  services: Pick<Services, 'clock' | 'keyring'>,
  { cookies }: FastifyRequest,
  token: string,
): string | null {
  const sessions = sessionsIn(services, cookies[FORM_COOKIE]);
  return sessions.find((session) => isSameText(formToken(services.keyring, session), token)) ?? null;
}

/** The first session of the cookie that can still be used. */
export async function openForm(services: Services, { cookies }: FastifyRequest): Promise<OpenForm | null> {
  for (const sessionId of sessionsIn(services, cookies[FORM_COOKIE])) {
    const order = await land(services, sessionId);
    if (isOpen(order)) return { sessionId, order };
  }
  return null;
}

export function isOpen(order: Order | null): order is Order {
  return (
    order !== null && order.redeemed === 0 && (order.payment === 'paid' || order.payment === 'processing')
  );
}

/** Once its case is open, nothing in the browser tells of the payment any more. */
export function forgetSession(
  services: Pick<Services, 'clock' | 'keyring'>,
  request: FastifyRequest,
  reply: FastifyReply,
  sessionId: string,
): void {
  const value = cookieWithout(services, request.cookies[FORM_COOKIE], sessionId);
  if (value === null) reply.clearCookie(FORM_COOKIE, FORM_COOKIE_RULES);
  else reply.setCookie(FORM_COOKIE, value, { ...FORM_COOKIE_RULES, maxAge: FORM_COOKIE_SECONDS });
}
