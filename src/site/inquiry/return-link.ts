/** The page behind the link in the e-mail to a payer: its button opens the form in this browser. */
import { Type } from 'typebox';
import type { Language } from '#language/language.ts';
import { findReturnLinkSession } from '#payments/return-link.ts';
import { RETURN_LINK_PATH } from '#platform/addresses.ts';
import { FORM_DAYS } from '#platform/expiry.ts';
import type { App } from '#platform/http/app.ts';
import { addFormPostParser } from '#platform/http/form-post.ts';
import type { Services } from '#services.ts';
import { html } from '#view/html.ts';
import { HTML_MEDIA_TYPE, type HtmlPage, type PageFrame, sendPage } from '#view/page.ts';
import { negotiateLanguage } from '#view/request-language.ts';
import { redirectToForm } from './form-session.ts';
import { renderPaymentPage } from './payment-pages.ts';

const PATH = `${RETURN_LINK_PATH}/:token`;

/** Needs its own Fastify scope, because these routes accept only forms. */
export function addReturnLinkRoutes(
  app: App,
  services: Pick<Services, 'addresses' | 'clock' | 'keyring' | 'store'>,
  frame: PageFrame,
): void {
  addFormPostParser(app, services.addresses);
  const route = {
    config: { access: 'public', produces: HTML_MEDIA_TYPE, budget: 'returnLinkPages' },
    schema: { params: Type.Object({ token: Type.String() }) },
  } as const;
  // Mail scanners open links, so a GET opens no form.
  app.get(PATH, route, async (request, reply) => {
    const { token } = request.params;
    const language = negotiateLanguage(request);
    const isOpen = (await findReturnLinkSession(services, token)) !== null;
    return sendPage(
      reply,
      frame,
      isOpen ? renderReturnLinkPage(language, token) : renderPaymentPage(language, 'no return link'),
    );
  });
  app.post(PATH, route, async (request, reply) => {
    const sessionId = await findReturnLinkSession(services, request.params.token);
    // Like the page for a GET, this one can be loaded again in another language.
    const refusal = {
      ...renderPaymentPage(negotiateLanguage(request), 'no return link'),
      hasLanguageChoice: true,
    };
    if (sessionId === null) return sendPage(reply, frame, refusal);
    return redirectToForm(services, request, reply, sessionId);
  });
}

function renderReturnLinkPage(language: Language, token: string): HtmlPage {
  const { say } = language;
  const title = say('paid.link.title');
  return {
    title,
    language,
    confidential: true,
    main: html`<div class="wrap text">
<h1>${title}</h1>
<p>${say('paid.link', { days: FORM_DAYS })}</p>
<p>${say('paid.link.private')}</p>
<form method="post" action="${RETURN_LINK_PATH}/${token}"><div class="acts"><button class="button" type="submit">${say('paid.link.open')}</button></div></form>
</div>`,
  };
}
