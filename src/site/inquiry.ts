/** Where the buyer lands after paying: the session id is swapped for a cookie, and the tier is shown. */

import cookie from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { land } from '#payments/landing.ts';
import { isSessionId } from '#payments/session-id.ts';
import type { Till } from '#payments/till.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app.ts';
import type { Order } from '#store/orders.ts';
import { HTML, sendPage } from './plain-page.ts';

const COOKIE = '__Host-inquiry';
const COOKIE_SECONDS = 30 * 86_400;
/** Lax, since the buyer arrives from the provider's site. */
const COOKIE_RULES = { path: '/', httpOnly: true, secure: true, sameSite: 'lax' } as const;
const LANDINGS_PER_MINUTE = 60;

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
        : swap(till, sessionId, reply)
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
async function swap(till: Till, sessionId: unknown, reply: FastifyReply): Promise<FastifyReply> {
  const order = isSessionId(sessionId) ? await land(till, sessionId) : null;
  if (!isSessionId(sessionId) || !isOpen(order)) return noForm(reply);
  const box = till.keyring.seal('form cookie', sessionId, COOKIE);
  return reply
    .setCookie(COOKIE, Buffer.from(box).toString('base64url'), { ...COOKIE_RULES, maxAge: COOKIE_SECONDS })
    .redirect('/inquiry', 303);
}

async function showForm(till: Till, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const sessionId = sessionFrom(till, request.cookies[COOKIE]);
  const order = sessionId === null ? null : await land(till, sessionId);
  if (!isOpen(order)) return noForm(reply.clearCookie(COOKIE, COOKIE_RULES));
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

function sessionFrom({ keyring }: Till, value: string | undefined): string | null {
  if (value === undefined) return null;
  try {
    return keyring.open('form cookie', Buffer.from(value, 'base64url'), COOKIE);
  } catch {
    return null;
  }
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
  if (!(error instanceof ServiceError) || error.code !== 'payment_provider_unavailable') throw error;
  return sendPage(reply.headers(error.headers), {
    status: error.status,
    title: 'One moment, please',
    paragraphs: [
      'We cannot ask the payment provider about your payment right now. If you have paid, nothing is lost.',
      'Reload this page in a minute.',
    ],
  });
}
