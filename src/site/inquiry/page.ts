/** The inquiry form: every question on one page, the twelve words, and what was wrong with the last try. */
import { KEEP_DAYS } from '#cases/retention.ts';
import type { SealingKeys } from '#cases/sealing-keys.ts';
import { TERMS_VERSION } from '#cases/terms.ts';
import { getTier, type TierName } from '#payments/tiers.ts';
import { countryCodes } from '#seal/countries.ts';
import { type FormFault, type FormFields, isTicked } from '#seal/form-fields.ts';
import { formatCountryName } from '#seal/inquiry-text.ts';
import type { Services } from '#services.ts';
import { renderCallTimes } from '#site/call-times.ts';
import { toFieldState } from '#site/filled-field.ts';
import type { Order } from '#store/orders.ts';
import {
  renderCheckbox,
  renderErrorSummary,
  renderFieldGroup,
  renderFileField,
  renderRadioGroup,
  renderSelectField,
  renderTextArea,
  renderTextField,
} from '#view/form.ts';
import { type Html, html } from '#view/html.ts';
import type { Page } from '#view/page.ts';
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
  // Loaded at first use: docs/decisions/0010.
  const { generateWords } = await import('#seal/words.ts');
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
    title: faults.length > 0 ? 'Error: your question, step 2 of 3' : 'Your question, step 2 of 3',
    status: faults.length > 0 ? 422 : 200,
    confidential: true,
    script: 'inquiry',
    main: html`<div class="wrap">
${renderInquirySteps(2)}
<div class="beside">
<div>
<div id="problems">${renderErrorSummary(faults)}</div>
<h1>Tell us your question</h1>
<p class="lead">Give what you have, and leave out what you do not want us to know. Nothing is saved until you send it.</p>
<form id="inquiry" method="post" action="/inquiry/sent" enctype="multipart/form-data" novalidate autocomplete="off" data-payment-ref="${order.id}" data-includes-call="${includesCall ? 'yes' : 'no'}" data-desk="${keys.desk.join(' ')}" data-recovery="${keys.recovery}">
<input type="hidden" name="token" value="${form.token}">
<input type="hidden" name="terms_version" value="${TERMS_VERSION}">
<input type="hidden" name="words" id="words" value="${form.words}">
${renderQuestionFields(form)}
${renderSafetyFields(form)}
${renderAnswerFields(form, includesCall)}
${renderAttachmentFields(form)}
${renderWordsSection(form)}
${renderSendSection(form)}
</form>
</div>
${renderOrderAside(order)}
</div>
</div>
${renderInquirySentTemplate()}`,
  };
}

function renderQuestionFields(form: InquiryFormState): Html {
  return renderFieldGroup('What you want to know', [
    renderTextArea({
      ...toFieldState(form, 'question'),
      label: 'Your question',
      hint: 'One question that we can answer, for example: is this recruiter who she says she is?',
      maxLength: 4000,
    }),
    renderTextField({
      ...toFieldState(form, 'subject'),
      label: 'Who or what it is about',
      hint: 'A name, a business, an account or a number.',
      maxLength: 300,
    }),
    renderTextArea({
      ...toFieldState(form, 'identifiers'),
      label: 'What you already have',
      hint: 'Links, e-mail addresses, phone numbers, account names. One on each line, 50 at most.',
      optional: true,
      rows: 4,
    }),
    renderTextArea({
      ...toFieldState(form, 'background'),
      label: 'What happened so far',
      optional: true,
      maxLength: 4000,
    }),
  ]);
}

function renderSafetyFields(form: InquiryFormState): Html {
  return renderFieldGroup('You, and your safety', [
    renderTextField({
      ...toFieldState(form, 'alias'),
      label: 'What may we call you?',
      hint: 'It need not be your name.',
      maxLength: 80,
    }),
    renderSelectField({
      ...toFieldState(form, 'jurisdiction'),
      label: 'The country you are in',
      hint: 'Its law decides what we may do for you.',
      choices: countries,
    }),
    renderRadioGroup({
      ...toFieldState(form, 'safety_risk'),
      label: 'Is somebody in danger?',
      choices: [
        { value: 'none', text: 'No' },
        { value: 'possible', text: 'Possibly' },
        {
          value: 'immediate',
          text: 'Yes, right now',
          hint: 'Call your local emergency number first: we work in hours, not in minutes. You can still send this form.',
        },
      ],
    }),
    renderRadioGroup({
      ...toFieldState(form, 'subject_is_protected'),
      label:
        'Is your question about a minor, a present or former partner, or somebody whom a court protects?',
      hint: 'A yes does not end your inquiry. A second investigator looks at it too.',
      choices: [
        { value: 'no', text: 'No' },
        { value: 'yes', text: 'Yes' },
        { value: 'unsure', text: 'I am not sure' },
      ],
    }),
  ]);
}

const countries = [
  { value: '', text: 'Choose a country' },
  ...countryCodes
    .map((value) => ({ value, text: formatCountryName(value) }))
    .toSorted((a, b) => a.text.localeCompare(b.text, 'en')),
];

function renderAnswerFields(form: InquiryFormState, includesCall: boolean): Html {
  const mode = toFieldState(form, 'contact_mode');
  return renderFieldGroup('How we answer you', [
    renderRadioGroup({
      ...mode,
      value: mode.value ?? 'return_only',
      label: 'How may we reach you?',
      choices: [
        {
          value: 'return_only',
          text: 'Only on my case page',
          hint: 'You come back with your twelve words. We hold no address of yours.',
        },
        { value: 'email', text: 'By e-mail' },
        { value: 'phone', text: 'By phone' },
        { value: 'signal', text: 'By Signal' },
        { value: 'other', text: 'In another way' },
      ],
    }),
    renderTextField({
      ...toFieldState(form, 'contact_value'),
      label: 'Where?',
      hint: 'Only if nobody else reads or hears it. It is locked with your question.',
      optional: true,
      maxLength: 254,
    }),
    renderTextField({
      ...toFieldState(form, 'contact_safe_times'),
      label: 'When is it safe?',
      optional: true,
      maxLength: 200,
    }),
    ...(includesCall ? [renderCallTimes({ ...form, hint: callHint })] : []),
  ]);
}

const callHint = 'Your service includes a call. You can also settle the time later, on your case page.';

/** The choice stands before the files, since they are sealed as they come. */
function renderAttachmentFields(form: InquiryFormState): Html {
  const { error } = toFieldState(form, 'files');
  return renderFieldGroup('Files', [
    renderCheckbox({
      name: 'keep_evidence',
      label: 'Leave the hidden data in my pictures, as evidence',
      hint: 'Photos often carry the place, the time and the camera. We take that out of JPEG and PNG pictures unless you tick this.',
      optional: true,
      checked: isTicked(form.fields, 'keep_evidence'),
    }),
    renderFileField({
      name: 'files',
      label: 'Files that help',
      hint: 'At most 10 files of 25 MB each, 100 MB together. Other kinds than JPEG and PNG are sent as they are, with whatever they tell about you.',
      optional: true,
      multiple: true,
      error,
    }),
  ]);
}

function renderWordsSection(form: InquiryFormState): Html {
  return renderFieldGroup('Your twelve words', [
    html`<p class="intro">They are the only way back to your case. Write them down now, or print them, and keep them where nobody else looks. We cannot give them to you again.</p>`,
    html`<div class="keep">${renderWordsList(form.words, 'words-list')}<button class="button quiet" type="button" data-print hidden>Print the words</button></div>`,
    renderCheckbox({
      ...toFieldState(form, 'words_kept'),
      label: 'I have written them down',
      checked: isTicked(form.fields, 'words_kept'),
    }),
  ]);
}

function renderSendSection(form: InquiryFormState): Html {
  const keep = toFieldState(form, 'keep_days');
  return renderFieldGroup('Before you send', [
    renderRadioGroup({
      ...keep,
      value: keep.value ?? '30',
      label: 'When should the file be erased?',
      hint: 'Counted from our answer. You can change it later on your case page.',
      choices: KEEP_DAYS.map((days) => ({ value: String(days), text: `After ${days} days` })),
    }),
    renderCheckbox({
      ...toFieldState(form, 'lawful_purpose'),
      label: 'My purpose is lawful. I will not use the answer to harass, stalk or harm anyone.',
      checked: isTicked(form.fields, 'lawful_purpose'),
    }),
    html`<div id="sealing-note" class="note">
<p data-when="server"><b>Your browser runs no script for this page.</b> What you send is encrypted on its way, and our server locks it the moment it arrives. For that moment the server can read it. Nothing readable is stored.</p>
<p data-when="browser" hidden><b>Locked in your browser.</b> What you send is locked here, before it leaves. Our server never sees the text.</p>
</div>`,
    html`<div id="progress" class="progress" hidden><progress max="100" value="0" aria-label="Sending"></progress><p role="status"></p></div>`,
    html`<div class="acts"><button class="button" type="submit" id="send">Send and open my case</button><p class="small">The 48 hours begin when you send this.</p></div>`,
  ]);
}

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
<li><b>You get the answer</b> within 48 hours of sending.</li>
</ol></section>
</aside>`;
}
