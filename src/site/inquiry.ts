/** Where the buyer lands after paying: the session id is swapped for a cookie, and the tier is shown. */

import cookie from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { land } from '#payments/landing.ts';
import { isSessionId } from '#payments/session-id.ts';
import type { Till } from '#payments/till.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app.ts';
import type { Order } from '#store/orders.ts';
import {
  cookieWith,
  FORM_COOKIE,
  FORM_COOKIE_RULES,
  FORM_COOKIE_SECONDS,
  sessionsIn,
} from './form-cookie.ts';
import { HTML, sendPage } from './plain-page.ts';

const LANDINGS_PER_MINUTE = 60;
const PROVIDER_AWAY: readonly string[] = ['payment_provider_unavailable', 'payments_not_configured'];

export async function addInquiry(app: App, till: Till): Promise<void> {
  await app.register(cookie);
  const page = { access: 'public', produces: HTML } as const;
  app.get(
    '/inquiry',
    { config: { ...page, rateLimit: { max: LANDINGS_PER_MINUTE } } },
    async (request, reply) => {
      const { session_id: sessionId } = request.query as { session_id?: unknown };
      return await (sessionId === undefined
        ? showForm(till, request, reply)
        : swap(till, sessionId, request, reply)
      ).catch((error: unknown) => explainAbsence(error, reply));
    },
  );
  app.get('/payment-cancelled', { config: page }, async (_request, reply) =>
    sendPage(reply, {
      title: 'Payment cancelled',
      paragraphs: ['Nothing was charged. You can choose again whenever you like.'],
    }),
  );
}

/** A session id in the address would stay in the history and in whatever reads along. */
async function swap(
  till: Till,
  sessionId: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const order = isSessionId(sessionId) ? await land(till, sessionId) : null;
  if (!isSessionId(sessionId) || !isOpen(order)) return noForm(reply);
  const value = cookieWith(till, request.cookies[FORM_COOKIE], sessionId);
  return reply
    .setCookie(FORM_COOKIE, value, { ...FORM_COOKIE_RULES, maxAge: FORM_COOKIE_SECONDS })
    .redirect('/inquiry', 303);
}

async function showForm(till: Till, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const order = await firstOpen(till, sessionsIn(till, request.cookies[FORM_COOKIE]));
  if (!order) return noForm(reply.clearCookie(FORM_COOKIE, FORM_COOKIE_RULES));
  if (order.payment === 'processing')
    return sendPage(reply, {
      title: 'Your payment is on its way',
      paragraphs: [
        'Your bank has not confirmed the payment yet. The form opens here as soon as it does.',
        'You can close this page and come back to it in this browser.',
      ],
    });
  return sendPage(reply, {
    title: 'Your inquiry',
    paragraphs: [`Thank you. Your payment for ${order.tier} has arrived.`],
  });
}

function isOpen(order: Order | null): order is Order {
  return (
    order !== null && order.redeemed === 0 && (order.payment === 'paid' || order.payment === 'processing')
  );
}

async function firstOpen(till: Till, sessions: readonly string[]): Promise<Order | null> {
  for (const session of sessions) {
    const order = await land(till, session);
    if (isOpen(order)) return order;
  }
  return null;
}

/** One answer for an unknown, an unpaid, a foreign and a used session: it tells a guesser nothing. */
function noForm(reply: FastifyReply): FastifyReply {
  return sendPage(reply, {
    status: 404,
    title: 'There is no open form here',
    paragraphs: [
      'A form opens here after a payment, in the browser that was used to pay, and can be sent once.',
      'If you have just paid, wait a minute and open the link from the payment page again.',
    ],
  });
}

function explainAbsence(error: unknown, reply: FastifyReply): FastifyReply {
  if (!(error instanceof ServiceError) || !PROVIDER_AWAY.includes(error.code)) throw error;
  return sendPage(reply.headers(error.headers), {
    status: error.status,
    title: 'One moment, please',
    paragraphs: [
      'We cannot ask the payment provider about your payment right now. If you have paid, nothing is lost.',
      'Reload this page in a minute.',
    ],
  });
}
