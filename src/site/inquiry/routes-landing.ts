/** The page after paying: replaces the session id in the address with a cookie and shows the form, as does a return link. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { refreshOrderBySession } from '#payments/fulfil.ts';
import { isOrderOnHold } from '#payments/redeem.ts';
import { findReturnLinkSession } from '#payments/return-link.ts';
import { isSessionId } from '#payments/session-id.ts';
import { PAID_FOR_PROGRAM_PATH, RETURN_LINK_PATH } from '#platform/addresses.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app-type.ts';
import { addFormPostParser } from '#platform/http/form-post.ts';
import type { Services } from '#services.ts';
import type { Order } from '#store/orders/orders.ts';
import {
  HTML_MEDIA_TYPE,
  type HtmlPage,
  type PageFrame,
  sendPage,
  sendPartlyPublicPage,
} from '#view/page.ts';
import { negotiateLanguage } from '#view/request-language.ts';
import { INQUIRY_PATH } from '#wire/inquiry-page.ts';
import { FORM_COOKIE_NAME, FORM_COOKIE_OPTIONS, isOwnPurchase } from './form-cookie.ts';
import { findOpenInquiryForm, hasOpenForm, keepFormInBrowser } from './form-session.ts';
import { hasOpenFormInBrowser } from './open-form-line.ts';
import { renderNewInquiryPage } from './page.ts';
import {
  renderPaymentPage,
  renderPaymentQuestionPage,
  renderReturnLinkPage,
  SESSION_FIELD,
} from './payment-pages.ts';

const PROVIDER_UNAVAILABLE_CODES: readonly string[] = [
  'payment_provider_unavailable',
  'payments_not_configured',
];

/** Needs its own Fastify scope, because these routes accept only forms. */
export function addInquiryPageRoutes(app: App, services: Services, frame: PageFrame): void {
  addFormPostParser(app, services.addresses);
  const config = { access: 'public', produces: HTML_MEDIA_TYPE } as const;
  const route = { config: { ...config, budget: 'landings' } } as const;
  const answer = async (
    request: FastifyRequest,
    reply: FastifyReply,
    landing: Promise<HtmlPage | 'redirected'>,
  ) => {
    const page = await landing.catch((error: unknown) => renderProviderUnavailable(error, request, reply));
    return page === 'redirected' ? reply : sendPartlyPublicPage(request, reply, frame, page);
  };
  app.get(INQUIRY_PATH, route, async (request, reply) => {
    const { session_id: sessionId } = request.query as { session_id?: unknown };
    const landing =
      sessionId === undefined
        ? renderOpenForm(services, request, reply)
        : swapSessionForCookie(services, sessionId, request, reply);
    return await answer(request, reply, landing);
  });
  app.post(INQUIRY_PATH, route, async (request, reply) => {
    const sessionId = request.body instanceof URLSearchParams ? request.body.get(SESSION_FIELD) : null;
    return await answer(request, reply, swapSessionForCookie(services, sessionId, request, reply));
  });
  app.get('/payment-cancelled', { config }, async (request, reply) =>
    sendPage(reply, frame, renderPaymentPage(negotiateLanguage(request), 'cancelled')),
  );
  app.get(PAID_FOR_PROGRAM_PATH, { config }, async (request, reply) =>
    sendPage(reply, frame, renderPaymentPage(negotiateLanguage(request), 'for a program')),
  );
  addReturnLinkRoutes(app, services, frame);
}

function addReturnLinkRoutes(
  app: App,
  services: Pick<Services, 'clock' | 'keyring' | 'store'>,
  frame: PageFrame,
): void {
  const path = `${RETURN_LINK_PATH}/:token`;
  const route = {
    config: { access: 'public', produces: HTML_MEDIA_TYPE, budget: 'returnLinkPages' },
    schema: { params: Type.Object({ token: Type.String() }) },
  } as const;
  // Mail scanners open links, so a GET opens no form.
  app.get(path, route, async (request, reply) => {
    const { token } = request.params;
    const language = negotiateLanguage(request);
    const isOpen = (await findReturnLinkSession(services, token)) !== null;
    const page = isOpen
      ? renderReturnLinkPage(language, token)
      : renderPaymentPage(language, 'no return link');
    return sendPage(reply, frame, page);
  });
  app.post(path, route, async (request, reply) => {
    const sessionId = await findReturnLinkSession(services, request.params.token);
    if (sessionId !== null)
      return keepFormInBrowser(services, request, reply, sessionId).redirect(INQUIRY_PATH, 303);
    // Like the page for a GET, this one can be loaded again in another language.
    const page = renderPaymentPage(negotiateLanguage(request), 'no return link');
    return sendPage(reply, frame, { ...page, hasLanguageChoice: true });
  });
}

/**
 * Removes the session id from the address bar, and so from screenshots and from what the page's scripts can read. The
 * first address stays in the browser's history, but opens the form only until it is sent. A payment that did not begin
 * here is shown first: someone else may have paid, to find out when the form is used.
 */
async function swapSessionForCookie(
  services: Services,
  sessionId: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<HtmlPage | 'redirected'> {
  const language = negotiateLanguage(request);
  const order = isSessionId(sessionId) ? await refreshOrderBySession(services, sessionId) : null;
  if (order?.payment === 'failed') return renderPaymentPage(language, 'failed');
  const isForProgram = order !== null && isPaidForProgram(services, order);
  if (isSessionId(sessionId) && hasOpenForm(order)) {
    if (request.method === 'GET' && !isOwnPurchase(services, request, order.id))
      return renderPaymentQuestionPage(language, order.tier, sessionId);
    keepFormInBrowser(services, request, reply, sessionId);
  } else if (!isForProgram) return renderPaymentPage(language, 'no open form');
  reply.redirect(isForProgram ? PAID_FOR_PROGRAM_PATH : INQUIRY_PATH, 303);
  return 'redirected';
}

/** A client that made the order with a token sends the inquiry itself. The form reports an order on hold. */
function isPaidForProgram(services: Services, order: Order): boolean {
  return order.owner !== null && order.payment === 'paid' && !isOrderOnHold(services, order);
}

async function renderOpenForm(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<HtmlPage> {
  const language = negotiateLanguage(request);
  const form = await findOpenInquiryForm(services, request);
  if (form === 'payment failed') return renderPaymentPage(language, 'failed');
  if (!form) {
    reply.clearCookie(FORM_COOKIE_NAME, FORM_COOKIE_OPTIONS);
    return renderPaymentPage(language, 'no open form');
  }
  if (form.order.payment === 'processing')
    return renderPaymentPage(language, form.order.owner === null ? 'processing' : 'processing for a program');
  if (isOrderOnHold(services, form.order)) return renderPaymentPage(language, 'on hold');
  const isPaidTwice = await hasOpenFormInBrowser(services, request, form.sessionId);
  return await renderNewInquiryPage(services, form, { language, isPaidTwice });
}

function renderProviderUnavailable(error: unknown, request: FastifyRequest, reply: FastifyReply): HtmlPage {
  if (!(error instanceof ServiceError) || !PROVIDER_UNAVAILABLE_CODES.includes(error.code)) throw error;
  reply.headers(error.headers);
  return renderPaymentPage(negotiateLanguage(request), 'unknown');
}
