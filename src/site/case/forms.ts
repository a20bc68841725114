/** The forms of the case page, one for each action of the buyer. */

import { DEFAULT_KEEP_DAYS, WITHDRAWN_HOURS } from '#cases/ending/retention.ts';
import type { ShownThread } from '#cases/messages/buyer-actions.ts';
import type { Say } from '#language/catalogue.ts';
import type { FormFields } from '#seal/form/form-fields.ts';
import { FILE_LIMITS } from '#seal/form/inquiry-files.ts';
import { FILES_CONTROL, KEEP_EVIDENCE_CONTROL } from '#seal/form/inquiry-sections.ts';
import { toFieldState } from '#site/filled-field.ts';
import {
  type FormFieldError,
  renderCheckbox,
  renderFileField,
  renderSelectField,
  renderTextArea,
  renderTextField,
} from '#view/form.ts';
import { type Html, html } from '#view/html.ts';
import {
  CASE_ACTION_FORMS,
  CASE_FORM_FIELDS,
  CASE_PARTS,
  CASE_SLOTS,
  type CasePart,
} from '#wire/case-page.ts';
import type { CasePermissions } from '#wire/case-requests.ts';
import { KEEP_DAYS } from '#wire/keep-days.ts';
import { WORDS_FIELD } from '#wire/page-parts.ts';

export interface CaseFormsState {
  readonly may: CasePermissions;
  readonly keepDays: number;
  /** What withdrawing the case means for the money. */
  readonly withdrawal: Html;
  /** Sent along with every form if there is no script; empty if the script holds the words. */
  readonly words: string;
  /** Which messages the page shows; sent with the next one. */
  readonly shown: ShownThread;
  readonly fields: FormFields;
  readonly faults: readonly FormFieldError[];
}

/** All forms hidden. The script shows those that the case allows. */
export const hiddenCaseForms: CaseFormsState = {
  may: {
    write: false,
    call: false,
    keep: false,
    notify: false,
    silence: false,
    withdraw: false,
    purge: false,
  },
  keepDays: DEFAULT_KEEP_DAYS,
  withdrawal: html`<p data-slot="${CASE_SLOTS.withdrawal}"></p>`,
  words: '',
  shown: { seq: 0, seen: 0 },
  fields: new Map(),
  faults: [],
};

export function renderMessageForm(forms: CaseFormsState, say: Say): Html {
  return html`<form class="act" id="${CASE_ACTION_FORMS.write}" method="post" action="/case/message" novalidate autocomplete="off" ?hidden="${!forms.may.write}">
${renderMessageFacts(forms)}
${renderTextArea(say, { ...toFieldState(forms, CASE_FORM_FIELDS.write), label: say('case.write'), limit: 4000, rows: 4 })}
${renderAttaching(forms, say)}
<p class="small" role="status" data-part="${CASE_PARTS.sending}"></p>
<div class="acts"><button class="button" type="submit">${say('case.write.send')}</button></div>
</form>`;
}

/** The hidden fields of every form that sends a message. */
export function renderMessageFacts(forms: CaseFormsState): Html {
  const { seq, seen } = forms.shown;
  return html`${renderWordsField(forms)}<input type="hidden" name="seq" value="${seq}"><input type="hidden" name="seen" value="${seen}">`;
}

/** Files are sealed in the browser, so the form without a script sends only text, and says so. */
function renderAttaching(forms: CaseFormsState, say: Say): Html {
  if (forms.words) return html`<p class="hint">${say('case.write.no_files')}</p>`;
  const evidence = renderCheckbox(say, {
    name: KEEP_EVIDENCE_CONTROL,
    label: say('field.keep_evidence'),
    hint: say('field.keep_evidence.hint'),
    optional: true,
  });
  const files = renderFileField(say, {
    name: FILES_CONTROL,
    label: say('field.files'),
    hint: say('field.files.hint', FILE_LIMITS),
    optional: true,
    multiple: true,
  });
  return html`<details class="help"><summary>${say('case.write.files')}</summary>${evidence}${files}</details>`;
}

/** `deletion` says when the case will be deleted if nothing changes. */
export function renderClosingFold(forms: CaseFormsState, say: Say, deletion: Html): Html {
  const content = html`${renderRetentionForm(forms, say)}${renderWithdrawForm(forms, say)}${renderPurgeForm(forms, say)}`;
  const isOpen = (['keep', 'withdraw', 'purge'] as const).some((id) => hasFault(forms, CASE_FORM_FIELDS[id]));
  return renderFold(say('case.end'), content, { line: deletion, isOpen });
}

interface FoldOptions {
  readonly part?: CasePart;
  /** A summary that is shown even while it is closed. */
  readonly line?: Html;
  readonly isOpen?: boolean;
  readonly isHidden?: boolean;
}

/** A part of the page that is closed until the buyer opens it. */
export function renderFold(
  title: string,
  content: Html,
  { part, line, isOpen = false, isHidden = false }: FoldOptions = {},
): Html {
  return html`<details class="case-part fold" data-part="${part ?? null}" ?open="${isOpen}" ?hidden="${isHidden}"><summary><h2>${title}</h2>${line ?? null}</summary>
${content}
</details>`;
}

function renderRetentionForm(forms: CaseFormsState, say: Say): Html {
  const choices = KEEP_DAYS.map((days) => ({ value: String(days), text: say('case.keep.days', { days }) }));
  return html`<form class="act" id="${CASE_ACTION_FORMS.keep}" method="post" action="/case/keep" autocomplete="off" ?hidden="${!forms.may.keep}">
${renderWordsField(forms)}
${renderSelectField(say, {
  name: CASE_FORM_FIELDS.keep,
  label: say('case.keep'),
  hint: say('case.keep.hint'),
  choices,
  value: String(forms.keepDays),
})}
<div class="acts"><button class="button quiet" type="submit">${say('case.keep.save')}</button></div>
</form>`;
}

function renderWithdrawForm(forms: CaseFormsState, say: Say): Html {
  return html`<form class="act" id="${CASE_ACTION_FORMS.withdraw}" method="post" action="/case/withdraw" data-unsure="${say('case.withdraw.unsure')}" novalidate autocomplete="off" ?hidden="${!forms.may.withdraw}">
${renderWordsField(forms)}${forms.withdrawal}
${renderCheckbox(say, {
  name: CASE_FORM_FIELDS.withdraw,
  label: say('case.withdraw'),
  hint: say('case.withdraw.hint', { hours: WITHDRAWN_HOURS }),
  error: toFieldState(forms, CASE_FORM_FIELDS.withdraw).error,
})}
<div class="acts"><button class="button quiet" type="submit">${say('case.withdraw.act')}</button></div>
</form>`;
}

function renderPurgeForm(forms: CaseFormsState, say: Say): Html {
  const word = say('case.purge.word').toUpperCase();
  return html`<form class="act" id="${CASE_ACTION_FORMS.purge}" method="post" action="/case/purge" data-word="${word}" data-unsure="${say('case.purge.unsure', { word })}" novalidate autocomplete="off" ?hidden="${!forms.may.purge}">
${renderWordsField(forms)}
${renderTextField(say, {
  name: CASE_FORM_FIELDS.purge,
  label: say('case.purge', { word }),
  hint: say('case.purge.hint'),
  error: toFieldState(forms, CASE_FORM_FIELDS.purge).error,
})}
<div class="acts"><button class="button quiet" type="submit">${say('case.purge.act')}</button></div>
</form>`;
}

export function hasFault({ faults }: CaseFormsState, name: string): boolean {
  return faults.some(({ field }) => field === name);
}

export function renderWordsField({ words }: CaseFormsState): Html | null {
  return words ? html`<input type="hidden" name="${WORDS_FIELD}" value="${words}">` : null;
}
