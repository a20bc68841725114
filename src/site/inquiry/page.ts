/** The inquiry form: every question on one page, the twelve words, and what was wrong with the last try. */

import { DEFAULT_KEEP_DAYS, KEEP_DAYS } from '#cases/retention.ts';
import type { SealingKeys } from '#cases/sealing-keys.ts';
import { TERMS_VERSION } from '#cases/terms.ts';
import { DELIVERY_HOURS, getTier, type TierName } from '#payments/tiers.ts';
import { type FormFault, type FormFields, isTicked } from '#seal/form-fields.ts';
import { inquirySectionNames } from '#seal/inquiry-form.ts';
import {
  type InquirySection,
  inquirySections,
  KEEP_DAYS_CONTROL,
  KEEP_EVIDENCE_CONTROL,
  WORDS_KEPT_CONTROL,
} from '#seal/inquiry-sections.ts';
import { generateWords } from '#seal/words.ts';
import type { Services } from '#services.ts';
import { toFieldState } from '#site/filled-field.ts';
import type { Order } from '#store/orders.ts';
import { renderCheckbox, renderFieldGroup, renderProblemList, renderRadioGroup } from '#view/form.ts';
import { type Html, html } from '#view/html.ts';
import type { Page } from '#view/page.ts';
import { renderSealingNote } from '#view/sealing-note.ts';
import {
  INCLUDES_CALL,
  INQUIRY_FORM_ID,
  INQUIRY_HIDDEN_FIELDS,
  INQUIRY_PART_IDS,
  INQUIRY_SENT_PATH,
} from '#wire/inquiry-page.ts';
import { ERROR_MARK, WORDS_FIELD } from '#wire/page-parts.ts';
import { renderSectionFields } from './fields.ts';
import { deriveFormToken, type OpenInquiryForm } from './form-session.ts';
import { renderInquirySentTemplate } from './sent-page.ts';
import { renderInquirySteps } from './steps.ts';
import { renderWordsList } from './words-list.ts';

export interface InquiryFormState {
  readonly order: Order;
  readonly token: string;
  /** Made for who sends without a script. */
  readonly words: string;
  readonly keys: Pick<SealingKeys, 'desk' | 'recovery'>;
  /** What was filled in before. */
  readonly fields: FormFields;
  readonly faults: readonly FormFault[];
}

/** A form that nobody has tried to send yet, with new words. */
export async function renderNewInquiryPage(
  services: Pick<Services, 'keyring' | 'sealingKeys'>,
  form: OpenInquiryForm,
): Promise<Page> {
  return await renderInquiryPage(services, form, { words: generateWords(), fields: new Map(), faults: [] });
}

export async function renderInquiryPage(
  { keyring, sealingKeys }: Pick<Services, 'keyring' | 'sealingKeys'>,
  { order, sessionId }: OpenInquiryForm,
  tried: Pick<InquiryFormState, 'words' | 'fields' | 'faults'>,
): Promise<Page> {
  return renderFormPage({
    ...tried,
    order,
    token: deriveFormToken(keyring, sessionId),
    keys: await sealingKeys,
  });
}

function renderFormPage(form: InquiryFormState): Page {
  const { order, faults, keys } = form;
  const { includesCall } = getTier(order.tier as TierName);
  return {
    title: faults.length > 0 ? `${ERROR_MARK}your question, step 2 of 3` : 'Your question, step 2 of 3',
    status: faults.length > 0 ? 422 : 200,
    confidential: true,
    script: 'inquiry',
    main: html`<div class="wrap">
${renderInquirySteps(2)}
<div class="beside">
<div>
${renderProblemList(faults)}
<h1>Tell us your question</h1>
<p class="lead">Give what you have, and leave out what you do not want us to know. Nothing is saved until you send it.</p>
<form id="${INQUIRY_FORM_ID}" method="post" action="${INQUIRY_SENT_PATH}" enctype="multipart/form-data" novalidate autocomplete="off" data-payment-ref="${order.id}" data-includes-call="${includesCall ? INCLUDES_CALL.yes : INCLUDES_CALL.no}" data-desk="${keys.desk.join(' ')}" data-recovery="${keys.recovery}">
<input type="hidden" name="${INQUIRY_HIDDEN_FIELDS.token}" value="${form.token}">
<input type="hidden" name="${INQUIRY_HIDDEN_FIELDS.termsVersion}" value="${TERMS_VERSION}">
<input type="hidden" name="${WORDS_FIELD}" id="${WORDS_FIELD}" value="${form.words}">
${inquirySectionNames.map((section) => html`${renderSection(form, section, includesCall)}\n`)}</form>
</div>
${renderOrderAside(order)}
</div>
</div>
${renderInquirySentTemplate()}`,
  };
}

/** What a section shows around its fields. */
type SectionLayout = (form: InquiryFormState, fields: readonly Html[]) => readonly Html[];

const sectionLayouts: Readonly<Partial<Record<InquirySection, SectionLayout>>> = {
  files: (form, fields) => [renderEvidenceChoice(form), ...fields],
  words: (form, fields) => [...renderWordsToKeep(form), ...fields],
  send: (form, fields) => [renderKeepChoice(form), ...fields, ...sendingParts],
};

function renderSection(form: InquiryFormState, section: InquirySection, includesCall: boolean): Html {
  const fields = renderSectionFields({ ...form, includesCall }, section);
  const content = sectionLayouts[section]?.(form, fields) ?? fields;
  return renderFieldGroup(inquirySections[section].title, content);
}

/** The choice stands before the files, since they are sealed as they come. */
function renderEvidenceChoice(form: InquiryFormState): Html {
  return renderCheckbox({
    name: KEEP_EVIDENCE_CONTROL,
    label: 'Leave the hidden data in my pictures, as evidence',
    hint: 'Photos often carry the place, the time and the camera. We take that out of JPEG and PNG pictures unless you tick this.',
    optional: true,
    checked: isTicked(form.fields, KEEP_EVIDENCE_CONTROL),
  });
}

function renderWordsToKeep(form: InquiryFormState): readonly Html[] {
  return [
    html`<p class="intro">They are the only way back to your case. Write them down now, or print them, and keep them where nobody else looks. We cannot give them to you again.</p>`,
    html`<div class="keep">${renderWordsList(form.words, INQUIRY_PART_IDS.words)}<button class="button quiet" type="button" data-print hidden>Print the words</button></div>`,
    renderCheckbox({
      ...toFieldState(form, WORDS_KEPT_CONTROL),
      label: 'I have written them down',
      checked: isTicked(form.fields, WORDS_KEPT_CONTROL),
    }),
  ];
}

function renderKeepChoice(form: InquiryFormState): Html {
  const keep = toFieldState(form, KEEP_DAYS_CONTROL);
  return renderRadioGroup({
    ...keep,
    value: keep.value ?? String(DEFAULT_KEEP_DAYS),
    label: 'When should the file be erased?',
    hint: 'Counted from our answer. You can change it later on your case page.',
    choices: KEEP_DAYS.map((days) => ({ value: String(days), text: `After ${days} days` })),
  });
}

const sendingParts = [
  renderSealingNote({
    server: html`<b>Your browser runs no script for this page.</b> What you send is encrypted on its way, and our server locks it the moment it arrives. For that moment the server can read it. Nothing readable is stored.`,
    browser: html`<b>Locked in your browser.</b> What you send is locked here, before it leaves. Our server never sees the text.`,
  }),
  html`<div id="${INQUIRY_PART_IDS.progress}" class="progress" hidden><progress max="100" value="0" aria-label="Sending"></progress><p role="status"></p></div>`,
  html`<div class="acts"><button class="button" type="submit" id="${INQUIRY_PART_IDS.send}">Send and open my case</button><p class="small">The ${DELIVERY_HOURS} hours begin when you send this.</p></div>`,
];

function renderOrderAside({ tier, amount }: Order): Html {
  const { name, delivery } = getTier(tier as TierName);
  return html`<aside class="slips" aria-label="Your order">
<section class="slip"><h2>Payment received</h2><dl>
<div><dt>Service</dt><dd>${name}</dd></div>
<div><dt>Delivery</dt><dd>${delivery}</dd></div>
<div class="total"><dt>Paid</dt><dd>$${(amount / 100).toFixed(2)}</dd></div>
</dl></section>
<section class="slip"><h2>What happens next</h2><ol class="next">
<li><b>You keep twelve words.</b> They open your case again, and nothing else does.</li>
<li><b>An investigator reads it.</b> Your case page shows when.</li>
<li><b>You get the answer</b> within ${DELIVERY_HOURS} hours of sending.</li>
</ol></section>
</aside>`;
}
