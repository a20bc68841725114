/** The page after sending: the case is open, when it is due, and the words again. */
import type { PublicAddresses } from '#platform/addresses.ts';
import { renderMessagePage } from '#site/message-page.ts';
import { type Html, html } from '#view/html.ts';
import { type HtmlPage, SAFETY_PATH } from '#view/page.ts';
import { renderPageTemplate } from '#view/page-template.ts';
import { IMMEDIATE_DANGER, INQUIRY_PART_IDS, INQUIRY_SENT_SLOTS } from '#wire/inquiry-page.ts';
import { SENT_TEMPLATE } from '#wire/page-parts.ts';
import { renderInquirySteps } from './steps.ts';
import { renderEmptyWordsList, renderWordsBox, renderWordsList } from './words-list.ts';

const TITLE = 'Your case is open';

interface SentInquiryInput {
  readonly due: string;
  readonly words: string;
  readonly immediate: boolean;
}

export function renderInquirySentPage(
  addresses: Pick<PublicAddresses, 'site'>,
  { due, words, immediate }: SentInquiryInput,
): HtmlPage {
  return {
    title: TITLE,
    confidential: true,
    // For printing and copying, where a browser runs scripts but could not seal.
    script: 'inquiry',
    main: renderSentLayout({
      due: html`${due}`,
      words: renderWordsBox(renderWordsList(words, INQUIRY_PART_IDS.words), addresses),
      danger: immediate ? emergencyNote : null,
    }),
  };
}

/** For the script of the form, which fills the slots. */
export function renderInquirySentTemplate(addresses: Pick<PublicAddresses, 'site'>): Html {
  const slots = {
    due: html`<span data-slot="${INQUIRY_SENT_SLOTS.due}"></span>`,
    words: renderWordsBox(renderEmptyWordsList(INQUIRY_SENT_SLOTS.words), addresses),
    danger: html`<div data-when="${IMMEDIATE_DANGER}" hidden>${emergencyNote}</div>`,
  };
  return renderPageTemplate(SENT_TEMPLATE, { title: TITLE, main: renderSentLayout(slots) });
}

const emergencyNote = html`<p class="note"><b>You wrote that somebody is in danger right now.</b> Please call your local emergency number. We work in hours, not in minutes. <a href="${SAFETY_PATH}#helplines">Numbers by country</a></p>`;

function renderSentLayout({ due, words, danger }: { due: Html; words: Html; danger: Html | null }): Html {
  return html`<div class="wrap keeps-words">
${renderInquirySteps(3)}
<div class="text">
<h1 tabindex="-1">${TITLE}</h1>
<p>Thank you. An investigator will open it soon, and the answer is due on <b>${due}</b>.</p>
${danger}
<h2>Your twelve words</h2>
<p>Come back with them to follow the case, to write to us, and to read the answer. Nobody can give them to you again.</p>
${words}
<div class="acts"><a class="button" href="/case">Go to my case</a></div>
<p class="small">Close this page when you have the words. On a shared device, clear its history too.</p>
</div>
</div>`;
}

/** For a buyer who opens the address later: without the words there is nothing more to show. */
export const inquiryAlreadySentPage = renderMessagePage({
  title: 'Your inquiry was sent',
  paragraphs: ['Enter your twelve words to follow your case.'],
  next: { href: '/case', text: 'Go to my case' },
});
