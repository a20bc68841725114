/** Short pages around a payment: why there is no form yet, or none at all, and what to do. */
import type { Language } from '#language/language.ts';
import { FORM_DAYS, RETURN_LINK_MINUTES } from '#platform/expiry.ts';
import { renderMessagePage } from '#site/message-page.ts';
import { type Html, html } from '#view/html.ts';
import type { HtmlPage } from '#view/page.ts';
import { renderSentence, renderStrong } from '#view/sentence.ts';
import { INQUIRY_PATH } from '#wire/inquiry-page.ts';

/** The parameter of the provider's return, and the hidden field of the button that stands for it. */
export const SESSION_FIELD = 'session_id';

/** For a payment that began elsewhere: nothing of it stays in this browser before the button is pressed. */
export function renderPaymentQuestionPage(language: Language, tier: string, sessionId: string): HtmlPage {
  const { say } = language;
  const title = say('paid.elsewhere.title', { tier });
  return {
    title,
    language,
    confidential: true,
    // Its links would lose the payment, which is in the address.
    hasLanguageChoice: false,
    main: html`<div class="wrap text">
<h1>${title}</h1>
<p>${say('paid.elsewhere')}</p>
<p>${say('paid.elsewhere.not')}</p>
<form method="post" action="${INQUIRY_PATH}"><input type="hidden" name="${SESSION_FIELD}" value="${sessionId}"><div class="acts"><button class="button" type="submit">${say('paid.elsewhere.open')}</button></div></form>
</div>`,
  };
}

export function renderPaymentCancelledPage(language: Language): HtmlPage {
  const { say } = language;
  return renderMessagePage({
    language,
    title: say('paid.cancelled.title'),
    paragraphs: [say('paid.cancelled')],
    next: { href: '/#prices', text: say('paid.prices') },
  });
}

/** The same for everyone, used or not: the address of the payment is no longer in it. */
export function renderPaidForProgramPage(language: Language): HtmlPage {
  const { say } = language;
  const link = (content: Html) => html`<a href="${INQUIRY_PATH}">${content}</a>`;
  return renderMessagePage({
    language,
    title: say('paid.program.title'),
    paragraphs: [
      say('paid.program'),
      renderSentence(language, 'paid.program.form', { strong: renderStrong, link }),
    ],
  });
}

/** A program that made the order with a token sends the inquiry itself. */
export function renderPaymentProcessingPage(language: Language, isForProgram: boolean): HtmlPage {
  const { say } = language;
  const title = say('paid.processing.title');
  if (isForProgram)
    return renderMessagePage({ language, title, paragraphs: [say('paid.processing.program')] });
  return renderMessagePage({
    language,
    title,
    paragraphs: [say('paid.processing'), say('paid.processing.close')],
    next: { href: INQUIRY_PATH, text: say('paid.processing.again') },
  });
}

export function renderPaymentFailedPage(language: Language): HtmlPage {
  const { say } = language;
  const link = (content: Html) => html`<a href="/contact">${content}</a>`;
  return renderMessagePage({
    language,
    status: 402,
    title: say('paid.failed.title'),
    paragraphs: [
      say('paid.failed'),
      html`${renderSentence(language, 'paid.failed.charged', { link })} ${say('paid.quote')}`,
    ],
    next: { href: '/#prices', text: say('paid.prices') },
  });
}

export function renderOrderOnHoldPage(language: Language): HtmlPage {
  const { say } = language;
  return renderMessagePage({
    language,
    status: 409,
    title: say('problem.payment_held.title'),
    paragraphs: [say('paid.held'), say('paid.held.wait')],
    next: { href: '/contact', text: say('contact.title') },
  });
}

/** The provider does not answer, so it is not known whether the payment came. */
export function renderPaymentUnknownPage(language: Language): HtmlPage {
  const { say } = language;
  return renderMessagePage({
    language,
    status: 503,
    title: say('paid.unavailable.title'),
    paragraphs: [say('paid.unavailable'), say('paid.unavailable.reload')],
  });
}

/** The same page for an unknown, unpaid, foreign or used session, so that guessing reveals nothing. */
export function renderNoOpenFormPage(language: Language): HtmlPage {
  const { say } = language;
  return renderMessagePage({
    language,
    status: 404,
    title: say('paid.none.title'),
    paragraphs: [
      say('paid.none'),
      renderSentence(language, 'paid.none.browser', { strong: renderStrong }),
      renderSentence(language, 'paid.none.mail', { strong: renderStrong, minutes: RETURN_LINK_MINUTES }),
      renderFormSentHint(language),
      html`${renderSentence(language, 'paid.none.stuck', { strong: renderStrong })} ${say('paid.quote')}`,
    ],
    next: { href: '/contact', text: say('contact.title') },
  });
}

/** The same page for a forged, used and old link: a person who finds the e-mail later learns nothing from it. */
export function renderNoReturnLinkPage(language: Language): HtmlPage {
  const { say } = language;
  return renderMessagePage({
    language,
    status: 404,
    title: say('paid.link.none.title'),
    paragraphs: [
      say('paid.link.none', { days: FORM_DAYS }),
      renderFormSentHint(language),
      html`${renderSentence(language, 'paid.link.none.stuck', { strong: renderStrong })} ${say('paid.quote')}`,
    ],
    next: { href: '/contact', text: say('contact.title') },
  });
}

function renderFormSentHint(language: Language): Html {
  const link = (content: Html) => html`<a href="/case">${content}</a>`;
  return renderSentence(language, 'paid.sent', { strong: renderStrong, link });
}
