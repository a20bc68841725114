/** Short pages around a payment: why there is no form, or not yet, and what to do. */
import type { Language } from '#language/language.ts';
import { RETURN_LINK_PATH } from '#platform/addresses.ts';
import { FORM_DAYS, RETURN_LINK_MINUTES } from '#platform/expiry.ts';
import { renderMessagePage } from '#site/message-page.ts';
import { type Html, html } from '#view/html.ts';
import type { HtmlPage } from '#view/page.ts';
import { renderSentence, renderStrong } from '#view/sentence.ts';
import { INQUIRY_PATH } from '#wire/inquiry-page.ts';

/** Has the session id, in the URL to which the provider returns the buyer and in the form of the button below. */
export const SESSION_FIELD = 'session_id';

/** For a payment that began elsewhere: this browser stores nothing about it until the button is pressed. */
export function renderPaymentQuestionPage(language: Language, tier: string, sessionId: string): HtmlPage {
  const { say } = language;
  const page = renderMessagePage({
    language,
    title: say('paid.elsewhere.title', { tier }),
    paragraphs: [say('paid.elsewhere'), say('paid.elsewhere.not')],
    next: html`<form method="post" action="${INQUIRY_PATH}"><input type="hidden" name="${SESSION_FIELD}" value="${sessionId}"><div class="acts"><button class="button" type="submit">${say('paid.elsewhere.open')}</button></div></form>`,
  });
  // The language links would lose the payment, which is in the address.
  return { ...page, hasLanguageChoice: false };
}

/** The page behind the link in the e-mail to a payer: its button opens the form in this browser. */
export function renderReturnLinkPage(language: Language, token: string): HtmlPage {
  const { say } = language;
  return renderMessagePage({
    language,
    title: say('paid.link.title'),
    paragraphs: [say('paid.link', { days: FORM_DAYS }), say('paid.link.private')],
    next: html`<form method="post" action="${RETURN_LINK_PATH}/${token}"><div class="acts"><button class="button" type="submit">${say('paid.link.open')}</button></div></form>`,
  });
}

type Message = Omit<Parameters<typeof renderMessagePage>[0], 'language'>;

const messages = {
  cancelled: ({ say }) => ({
    title: say('paid.cancelled.title'),
    paragraphs: [say('paid.cancelled')],
    next: { href: '/#prices', text: say('paid.prices') },
  }),
  /** The same for everyone, whether the order was used or not: the address no longer identifies the payment. */
  'for a program': (language) => ({
    title: language.say('paid.program.title'),
    paragraphs: [
      language.say('paid.program'),
      renderSentence(language, 'paid.program.form', { strong: renderStrong, link: linkTo(INQUIRY_PATH) }),
    ],
  }),
  processing: ({ say }) => ({
    title: say('paid.processing.title'),
    paragraphs: [say('paid.processing'), say('paid.processing.close')],
    next: { href: INQUIRY_PATH, text: say('paid.processing.again') },
  }),
  /** A program that made the order with a token sends the inquiry itself. */
  'processing for a program': ({ say }) => ({
    title: say('paid.processing.title'),
    paragraphs: [say('paid.processing.program')],
  }),
  failed: (language) => ({
    status: 402,
    title: language.say('paid.failed.title'),
    paragraphs: [
      language.say('paid.failed'),
      html`${renderSentence(language, 'paid.failed.charged', { link: linkTo('/contact') })} ${language.say('paid.quote')}`,
    ],
    next: { href: '/#prices', text: language.say('paid.prices') },
  }),
  'on hold': ({ say }) => ({
    status: 409,
    title: say('problem.payment_held.title'),
    paragraphs: [say('paid.held'), say('paid.held.wait')],
    next: { href: '/contact', text: say('contact.title') },
  }),
  /** The provider does not answer, so it is unknown whether the payment arrived. */
  unknown: ({ say }) => ({
    status: 503,
    title: say('paid.unavailable.title'),
    paragraphs: [say('paid.unavailable'), say('paid.unavailable.reload')],
  }),
  /** The same page for an unknown, unpaid, foreign or used session, so that guessing reveals nothing. */
  'no open form': (language) => ({
    status: 404,
    title: language.say('paid.none.title'),
    paragraphs: [
      language.say('paid.none'),
      renderSentence(language, 'paid.none.browser', { strong: renderStrong }),
      renderSentence(language, 'paid.none.mail', { strong: renderStrong, minutes: RETURN_LINK_MINUTES }),
      renderFormSentHint(language),
      html`${renderSentence(language, 'paid.none.stuck', { strong: renderStrong })} ${language.say('paid.quote')}`,
    ],
    next: { href: '/contact', text: language.say('contact.title') },
  }),
  /** The same page for a forged, used and old link: a person who finds the e-mail later learns nothing from it. */
  'no return link': (language) => ({
    status: 404,
    title: language.say('paid.link.none.title'),
    paragraphs: [
      language.say('paid.link.none', { days: FORM_DAYS }),
      renderFormSentHint(language),
      html`${renderSentence(language, 'paid.link.none.stuck', { strong: renderStrong })} ${language.say('paid.quote')}`,
    ],
    next: { href: '/contact', text: language.say('contact.title') },
  }),
} as const satisfies Record<string, (language: Language) => Message>;

export function renderPaymentPage(language: Language, name: keyof typeof messages): HtmlPage {
  return renderMessagePage({ language, ...messages[name](language) });
}

function renderFormSentHint(language: Language): Html {
  return renderSentence(language, 'paid.sent', { strong: renderStrong, link: linkTo('/case') });
}

function linkTo(path: string) {
  return (content: Html) => html`<a href="${path}">${content}</a>`;
}
