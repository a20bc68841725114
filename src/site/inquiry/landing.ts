/** Where the buyer lands after paying: the session id is swapped for a cookie, and the form is shown. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { refreshOrderBySession } from '#payments/landing.ts';
import { isSessionId } from '#payments/session-id.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app.ts';
import type { Services } from '#services.ts';
import { renderMessagePage } from '#site/message-page.ts';
import { HTML_MEDIA_TYPE, type Page, type PageFrame, sendPage } from '#view/page.ts';
import { INQUIRY_PATH } from '#wire/inquiry-page.ts';
import {
  addSessionToFormCookie,
  FORM_COOKIE_MAX_AGE_SECONDS,
  FORM_COOKIE_NAME,
  FORM_COOKIE_OPTIONS,
} from './form-cookie.ts';
import { findOpenInquiryForm, hasOpenForm } from './form-session.ts';
import { renderNewInquiryPage } from './page.ts';

const LANDINGS_PER_MINUTE = 60;
const PROVIDER_AWAY: readonly string[] = ['payment_provider_unavailable', 'payments_not_configured'];

export function addInquiryPageRoutes(app: App, services: Services, frame: PageFrame): void {
  const page = { access: 'public', produces: HTML_MEDIA_TYPE } as const;
  app.get(
    INQUIRY_PATH,
    { config: { ...page, rateLimit: { max: LANDINGS_PER_MINUTE } } },
    async (request, reply) => {
      const { session_id: sessionId } = request.query as { session_id?: unknown };
      const landed =
        sessionId === undefined
          ? renderOpenForm(services, request, reply)
          : swapSessionForCookie(services, sessionId, request, reply);
      const shown = await landed.catch((error: unknown) => renderProviderUnavailable(error, reply));
      return shown === 'swapped' ? reply : sendPage(reply, frame, shown);
    },
  );
  app.get('/payment-cancelled', { config: page }, async (_request, reply) =>
    sendPage(reply, frame, cancelled),
  );
}

const cancelled = renderMessagePage({
  title: 'Payment cancelled',
  paragraphs: ['Nothing was charged. You can choose again whenever you like.'],
  next: { href: '/#prices', text: 'See the three services' },
});

/** A session id in the address would stay in the history and in whatever reads along. */
async function swapSessionForCookie(
  services: Services,
  sessionId: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Page | 'swapped'> {
  const order = isSessionId(sessionId) ? await refreshOrderBySession(services, sessionId) : null;
  if (!isSessionId(sessionId) || !hasOpenForm(order)) return noForm;
  const value = addSessionToFormCookie(services, request.cookies[FORM_COOKIE_NAME], sessionId);
  reply
    .setCookie(FORM_COOKIE_NAME, value, { ...FORM_COOKIE_OPTIONS, maxAge: FORM_COOKIE_MAX_AGE_SECONDS })
    .redirect(INQUIRY_PATH, 303);
  return 'swapped';
}

async function renderOpenForm(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Page> {
  const form = await findOpenInquiryForm(services, request);
  if (!form) {
    reply.clearCookie(FORM_COOKIE_NAME, FORM_COOKIE_OPTIONS);
    return noForm;
  }
  if (form.order.payment === 'processing') return processing;
  return await renderNewInquiryPage(services, form);
}

const processing = renderMessagePage({
  title: 'Your payment is on its way',
  paragraphs: [
    'Your bank has not confirmed the payment yet. The form opens here as soon as it does.',
    'You can close this page and come back to it in this browser.',
  ],
  next: { href: INQUIRY_PATH, text: 'Look again' },
});

/** One answer for an unknown, an unpaid, a foreign and a used session: it tells a guesser nothing. */
const noForm = renderMessagePage({
  status: 404,
  title: 'There is no open form here',
  paragraphs: [
    'A form opens here after a payment, in the browser that was used to pay, and can be sent once.',
    'If you have just paid, wait a minute and open the link from the payment page again.',
  ],
  next: { href: '/', text: 'Go to the first page' },
});

function renderProviderUnavailable(error: unknown, reply: FastifyReply): Page {
  if (!(error instanceof ServiceError) || !PROVIDER_AWAY.includes(error.code)) throw error;
  reply.headers(error.headers);
  return unreachable;
}

const unreachable = renderMessagePage({
  status: 503,
  title: 'One moment, please',
  paragraphs: [
    'We cannot ask the payment provider about your payment right now. If you have paid, nothing is lost.',
    'Reload this page in a minute.',
  ],
});
