/** The error page: what happened, what to do, and the request id to quote. */
import type { ServiceError } from '#platform/errors.ts';
import type { ProblemCode } from '#platform/problems.ts';
import { html } from '#view/html.ts';
import type { HtmlPage } from '#view/page.ts';
import { renderMessagePage } from './message-page.ts';

type ErrorText = readonly [title: string, sentence: string];

const errorTexts: Readonly<Partial<Record<ProblemCode, ErrorText>>> = {
  not_found: ['There is no such page', 'The address may be mistyped, or the page no longer exists.'],
  method_not_allowed: ['There is no such page', 'This address is not meant to be opened like this.'],
  payment_required: [
    'This payment cannot open a case',
    'It is not complete, was given back, or has opened a case already. If you have twelve words, enter them on the case page.',
  ],
  payment_held: [
    'We are checking your payment',
    'Nothing was sent, and your payment is not lost. Our records come from a backup, and we make sure that this payment was not used before. Come back in a few hours, or write to us.',
  ],
  form_expired: [
    'This form is no longer open in this browser',
    'Nothing was sent. Open the link from the payment page once more; it leads to your form.',
  ],
  payload_too_large: ['That was too much at once', 'Nothing was sent. Attach fewer or smaller files.'],
  foreign_form: [
    'This did not come from our site',
    'To protect you, we take orders only from our own pages. Nothing was sent or charged.',
  ],
  sign_in_expired: [
    'This sign-in is over',
    'It took too long, is finished, or was begun in another browser. Go back to where you began, and try again.',
  ],
  rate_limited: [
    'Please wait a minute',
    'There were too many requests from your connection. Then try again.',
  ],
  payments_not_configured: [
    'Payments are closed at the moment',
    'Nothing was ordered and nothing was charged. Please come back later.',
  ],
  payment_provider_unavailable: [
    'We cannot reach the payment provider',
    'Nothing was ordered and nothing was charged. Please try again in a minute.',
  ],
  storage_full: [
    'There is no room for this at the moment',
    'Nothing was stored and nothing was charged. Please try again later.',
  ],
  sealing_unavailable: [
    'This could not be sealed or opened at the moment',
    'Please try again in a few seconds: nothing is stored twice.',
  ],
  overloaded: ['Too many people are here right now', 'Please try again in a few seconds.'],
};

const clientErrorText: ErrorText = [
  'That did not work',
  'We could not read what your browser sent. Go back and try again.',
];
const serverErrorText: ErrorText = [
  'Something went wrong on our side',
  'It was not your fault. Please try again in a minute.',
];

export function toErrorText({ code, status }: ServiceError): ErrorText {
  return errorTexts[code] ?? (status < 500 ? clientErrorText : serverErrorText);
}

export function renderErrorPage(error: ServiceError, requestId: string): HtmlPage {
  const { status } = error;
  const [title, sentence] = toErrorText(error);
  return renderMessagePage({
    status,
    title,
    paragraphs: [
      sentence,
      html`If you write to us about this, quote <span class="code">${requestId}</span>. It tells us nothing about you.`,
    ],
    next: { href: '/', text: 'Go to the first page' },
  });
}
