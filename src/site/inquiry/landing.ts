/** The page after paying: replaces the session id in the address by a cookie and shows the form. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { refreshOrderBySession } from '#payments/landing.ts';
import { isSessionId } from '#payments/session-id.ts';
import { WAY_BACK_MINUTES } from '#payments/way-back.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app.ts';
import type { Services } from '#services.ts';
import { renderMessagePage } from '#site/message-page.ts';
import { html } from '#view/html.ts';
import { HTML_MEDIA_TYPE, type HtmlPage, type PageFrame, sendPage } from '#view/page.ts';
import { INQUIRY_PATH } from '#wire/inquiry-page.ts';
import { FORM_COOKIE_NAME, FORM_COOKIE_OPTIONS } from './form-cookie.ts';
import { findOpenInquiryForm, hasOpenForm, redirectToForm } from './form-session.ts';
import { renderNewInquiryPage } from './page.ts';

const LANDINGS_PER_MINUTE = 60;
/** Enough to find a payment, and nothing about a case. */
export const WHAT_TO_QUOTE =
  'To find your payment we only need the day and the time you paid, and the number of your receipt if you have one. Please leave your question out.';
const PROVIDER_UNAVAILABLE_CODES: readonly string[] = [
  'payment_provider_unavailable',
  'payments_not_configured',
];

export function addInquiryPageRoutes(app: App, services: Services, frame: PageFrame): void {
  const config = { access: 'public', produces: HTML_MEDIA_TYPE } as const;
  app.get(
    INQUIRY_PATH,
    { config: { ...config, rateLimit: { max: LANDINGS_PER_MINUTE } } },
    async (request, reply) => {
      const { session_id: sessionId } = request.query as { session_id?: unknown };
      const landing =
        sessionId === undefined
          ? renderOpenForm(services, request, reply)
          : swapSessionForCookie(services, sessionId, request, reply);
      const page = await landing.catch((error: unknown) => renderProviderUnavailable(error, reply));
      return page === 'redirected' ? reply : sendPage(reply, frame, page);
    },
  );
  app.get('/payment-cancelled', { config }, async (_request, reply) =>
    sendPage(reply, frame, paymentCancelledPage),
  );
}

const paymentCancelledPage = renderMessagePage({
  title: 'Payment cancelled',
  paragraphs: ['Nothing was charged. You can choose again whenever you like.'],
  next: { href: '/#prices', text: 'See the three services' },
});

/**
 * Takes the session id out of the address bar, and so out of pictures of the screen and out of what the page's scripts
 * read. Browsers still note the first address in their history; it opens the form only until the form was sent.
 */
async function swapSessionForCookie(
  services: Services,
  sessionId: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<HtmlPage | 'redirected'> {
  const order = isSessionId(sessionId) ? await refreshOrderBySession(services, sessionId) : null;
  if (order?.payment === 'failed') return paymentFailedPage;
  if (!isSessionId(sessionId) || !hasOpenForm(order)) return noOpenFormPage;
  redirectToForm(services, request, reply, sessionId);
  return 'redirected';
}

async function renderOpenForm(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<HtmlPage> {
  const form = await findOpenInquiryForm(services, request);
  if (form === 'payment failed') return paymentFailedPage;
  if (!form) {
    reply.clearCookie(FORM_COOKIE_NAME, FORM_COOKIE_OPTIONS);
    return noOpenFormPage;
  }
  if (form.order.payment === 'processing') return paymentProcessingPage;
  if (form.order.held === 1) return paymentHeldPage;
  return await renderNewInquiryPage(services, form);
}

const paymentProcessingPage = renderMessagePage({
  title: 'Your payment is on its way',
  paragraphs: [
    'Your bank has not confirmed the payment yet. The form opens here as soon as it does.',
    'You can close this page and come back to it in this browser.',
  ],
  next: { href: INQUIRY_PATH, text: 'Look again' },
});

const paymentFailedPage = renderMessagePage({
  status: 402,
  title: 'Your payment didn’t go through',
  paragraphs: [
    'Your bank did not confirm it, so there is no form to fill in. If you still want to ask, please pay again.',
    html`Your statement shows a charge all the same? <a href="/contact">Write to us</a>, and say how we can reply to you. ${WHAT_TO_QUOTE}`,
  ],
  next: { href: '/#prices', text: 'See the three services' },
});

const paymentHeldPage = renderMessagePage({
  status: 409,
  title: 'We are checking your payment',
  paragraphs: [
    'Your payment has arrived and is not lost. We had to restore our records from a backup, and make sure that this payment was not used before. Then the form opens here.',
    'Come back to this page in a few hours. If you have sent your inquiry already, you do not need it: enter your twelve words on the case page. If the case is unknown there, please write to us.',
  ],
  next: { href: '/contact', text: 'Write to us' },
});

/** The same page for an unknown, unpaid, foreign or used session, so that guessing reveals nothing. */
const noOpenFormPage = renderMessagePage({
  status: 404,
  title: 'There is no open form here',
  paragraphs: [
    'A form opens here once you have paid, in the browser that you paid with. It can be sent once.',
    html`<b>You paid in another browser?</b> Open our home page there: it leads to your form.`,
    html`<b>You closed the window?</b> Check your email: ${WAY_BACK_MINUTES} minutes after you paid, we send a link back to the form to the address you gave on the payment page. It may be in your spam folder.`,
    html`<b>You have sent your form?</b> Enter your twelve words on <a href="/case">your case page</a>.`,
    html`<b>You can’t get back to it?</b> Your payment isn’t lost. Write to us, and say how we can reply to you. ${WHAT_TO_QUOTE}`,
  ],
  next: { href: '/contact', text: 'Write to us' },
});

function renderProviderUnavailable(error: unknown, reply: FastifyReply): HtmlPage {
  if (!(error instanceof ServiceError) || !PROVIDER_UNAVAILABLE_CODES.includes(error.code)) throw error;
  reply.headers(error.headers);
  return providerUnavailablePage;
}

const providerUnavailablePage = renderMessagePage({
  status: 503,
  title: 'One moment, please',
  paragraphs: [
    'We cannot ask the payment provider about your payment right now. If you have paid, nothing is lost.',
    'Reload this page in a minute.',
  ],
});
