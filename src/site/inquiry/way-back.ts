/** The page behind the link in the letter to a payer: its button opens the form in this browser. */
import { Type } from 'typebox';
import { findWayBackSession } from '#payments/way-back.ts';
import { WAY_BACK_PATH } from '#platform/addresses.ts';
import { FORM_DAYS } from '#platform/expiry.ts';
import type { App } from '#platform/http/app.ts';
import { addFormPostParser } from '#platform/http/form-post.ts';
import type { Services } from '#services.ts';
import { renderMessagePage } from '#site/message-page.ts';
import { html } from '#view/html.ts';
import { HTML_MEDIA_TYPE, type HtmlPage, type PageFrame, sendPage } from '#view/page.ts';
import { redirectToForm } from './form-session.ts';
import { WHAT_TO_QUOTE } from './landing.ts';

const PAGES_PER_MINUTE = 30;
const PATH = `${WAY_BACK_PATH}/:token`;

/** For a separate Fastify scope, since these routes accept only forms. */
export function addWayBackRoutes(
  app: App,
  services: Pick<Services, 'addresses' | 'clock' | 'keyring' | 'store'>,
  frame: PageFrame,
): void {
  addFormPostParser(app, services.addresses);
  const route = {
    config: { access: 'public', produces: HTML_MEDIA_TYPE, rateLimit: { max: PAGES_PER_MINUTE } },
    schema: { params: Type.Object({ token: Type.String() }) },
  } as const;
  // Mail scanners open links, so a GET opens no form.
  app.get(PATH, route, async (request, reply) => {
    const { token } = request.params;
    const isOpen = (await findWayBackSession(services, token)) !== null;
    return sendPage(reply, frame, isOpen ? renderWayBackPage(token) : noWayBackPage);
  });
  app.post(PATH, route, async (request, reply) => {
    const sessionId = await findWayBackSession(services, request.params.token);
    if (sessionId === null) return sendPage(reply, frame, noWayBackPage);
    return redirectToForm(services, request, reply, sessionId);
  });
}

const TITLE = 'Go back to your form';

function renderWayBackPage(token: string): HtmlPage {
  return {
    title: TITLE,
    confidential: true,
    main: html`<div class="wrap text">
<h1>${TITLE}</h1>
<p>The button opens your form in this browser. It stays open here until you send it, for ${FORM_DAYS} days at most.</p>
<p>If other people use this device, open the link in a private window instead.</p>
<form method="post" action="${WAY_BACK_PATH}/${token}"><div class="acts"><button class="button" type="submit">Open my form</button></div></form>
</div>`,
  };
}

/** The same page for a forged, used and old link: whoever finds the letter later learns nothing from it. */
const noWayBackPage = renderMessagePage({
  status: 404,
  title: 'This link doesn’t open a form',
  paragraphs: [
    `It works until the form is sent, and for ${FORM_DAYS} days at most. Check that you have the whole link: it may have been cut off in the message.`,
    html`<b>You have sent your form?</b> Enter your twelve words on <a href="/case">your case page</a>.`,
    html`<b>You haven’t sent it?</b> Your payment isn’t lost. Write to us, and say how we can reply to you. ${WHAT_TO_QUOTE}`,
  ],
  next: { href: '/contact', text: 'Write to us' },
});
