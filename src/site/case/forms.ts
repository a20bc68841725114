/** The forms of the case page, one for each action of the buyer. */
import { DEFAULT_KEEP_DAYS, WITHDRAWN_HOURS } from '#cases/ending/retention.ts';
import type { ShownThread } from '#cases/messages/buyer-actions.ts';
import type { MessageWindow } from '#cases/messages/message-window.ts';
import { FIRST_REMINDER_DAYS, SECOND_REMINDER_HOURS } from '#cases/notices/notice-times.ts';
import type { Say } from '#language/catalogue.ts';
import type { FormFields } from '#seal/form/form-fields.ts';
import { FILE_LIMITS } from '#seal/form/inquiry-files.ts';
import { FILES_CONTROL, KEEP_EVIDENCE_CONTROL } from '#seal/form/inquiry-sections.ts';
import {
  type FormFieldError,
  renderCheckbox,
  renderFileField,
  renderSelectField,
  renderTextArea,
  renderTextField,
  toFieldState,
} from '#view/form.ts';
import { type Html, html } from '#view/html.ts';
import {
  CASE_FORM_FIELDS,
  CASE_PARTS,
  CASE_PATH,
  CASE_SLOTS,
  type CaseActionForm,
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

interface ActionForm {
  readonly fields: Html;
  readonly button: Html;
  /** The word that confirms the action, and the error if it was not confirmed: both for the script. */
  readonly word?: string;
  readonly unsure?: string;
}

export function renderActionForm(
  forms: CaseFormsState,
  id: CaseActionForm,
  { fields, button, word, unsure }: ActionForm,
): Html {
  const isMessage = id === 'write' || id === 'call';
  return html`<form class="act" id="${id}" method="post" action="/case/${isMessage ? 'message' : id}" data-word="${word}" data-unsure="${unsure}" novalidate autocomplete="off" ?hidden="${!forms.may[id]}">
${renderWordsField(forms)}${isMessage ? renderShownMessages(forms) : null}
${fields}
<div class="acts">${button}</div>
</form>`;
}

/** Which messages the page shows, in the forms that send one. */
function renderShownMessages({ shown: { seq, seen } }: CaseFormsState): Html {
  return html`<input type="hidden" name="seq" value="${seq}"><input type="hidden" name="seen" value="${seen}">`;
}

function renderQuietButton(text: string): Html {
  return html`<button class="button quiet" type="submit">${text}</button>`;
}

export function renderMessageForm(forms: CaseFormsState, say: Say): Html {
  return renderActionForm(forms, 'write', {
    fields: html`${renderTextArea(say, { ...toFieldState(forms, CASE_FORM_FIELDS.write), label: say('case.write'), limit: 4000, rows: 4 })}
${renderAttaching(forms, say)}
<p class="small" role="status" data-part="${CASE_PARTS.sending}"></p>`,
    button: html`<button class="button" type="submit">${say('case.write.send')}</button>`,
  });
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
  return renderActionForm(forms, 'keep', {
    fields: renderSelectField(say, {
      name: CASE_FORM_FIELDS.keep,
      label: say('case.keep'),
      hint: say('case.keep.hint'),
      choices,
      value: String(forms.keepDays),
    }),
    button: renderQuietButton(say('case.keep.save')),
  });
}

function renderWithdrawForm(forms: CaseFormsState, say: Say): Html {
  const confirmation = renderCheckbox(say, {
    name: CASE_FORM_FIELDS.withdraw,
    label: say('case.withdraw'),
    hint: say('case.withdraw.hint', { hours: WITHDRAWN_HOURS }),
    error: toFieldState(forms, CASE_FORM_FIELDS.withdraw).error,
  });
  return renderActionForm(forms, 'withdraw', {
    unsure: say('case.withdraw.unsure'),
    fields: html`${forms.withdrawal}${confirmation}`,
    button: renderQuietButton(say('case.withdraw.act')),
  });
}

function renderPurgeForm(forms: CaseFormsState, say: Say): Html {
  const word = say('case.purge.word').toUpperCase();
  return renderActionForm(forms, 'purge', {
    word,
    unsure: say('case.purge.unsure', { word }),
    fields: renderTextField(say, {
      name: CASE_FORM_FIELDS.purge,
      label: say('case.purge', { word }),
      hint: say('case.purge.hint'),
      error: toFieldState(forms, CASE_FORM_FIELDS.purge).error,
    }),
    button: renderQuietButton(say('case.purge.act')),
  });
}

/** Where a buyer asks for notices and reads what they reveal. */
export function renderNoticeFold(forms: CaseFormsState, say: Say): Html {
  const isFaulty = hasFault(forms, CASE_FORM_FIELDS.notify);
  const content = html`<p>${say('notice.intro')}</p>
<details class="help" ?open="${forms.may.silence || isFaulty}"><summary>${say('notice.by_mail')}</summary>
<p>${say('notice.about', { days: FIRST_REMINDER_DAYS, hours: SECOND_REMINDER_HOURS })}</p>
<p>${say('notice.price')}</p>
${renderSilenceForm(forms, say)}
${renderAddressForm(forms, say)}
</details>
${renderByCalendar(say)}`;
  return renderFold(say('notice.title'), content, {
    part: CASE_PARTS.notices,
    isHidden: !forms.may.notify,
    isOpen: isFaulty,
  });
}

/** The address itself is not shown: another person who has the words need not know it. */
function renderSilenceForm(forms: CaseFormsState, say: Say): Html {
  return renderActionForm(forms, 'silence', {
    fields: html`<p><b>${say('notice.on')}</b></p>`,
    button: html`<button class="button quiet" type="submit" id="${CASE_FORM_FIELDS.silence}" name="${CASE_FORM_FIELDS.silence}" value="yes">${say('notice.stop')}</button>`,
  });
}

function renderAddressForm(forms: CaseFormsState, say: Say): Html {
  return renderActionForm(forms, 'notify', {
    unsure: say('notice.address.invalid'),
    fields: renderTextField(say, {
      ...toFieldState(forms, CASE_FORM_FIELDS.notify),
      type: 'email',
      label: say('notice.address'),
      hint: say('notice.address.hint'),
    }),
    button: renderQuietButton(say('notice.save')),
  });
}

/** A reminder made in the browser, so the part is hidden if no script runs. */
function renderByCalendar(say: Say): Html {
  return html`<details class="help" data-part="${CASE_PARTS.reminder}" hidden><summary>${say('notice.by_calendar')}</summary>
<p>${say('notice.calendar.about', { title: say('notice.calendar.title'), days: FIRST_REMINDER_DAYS })}</p>
<div class="acts"><button class="button quiet" type="button">${say('notice.calendar.save')}</button></div>
</details>`;
}

function hasFault({ faults }: CaseFormsState, name: string): boolean {
  return faults.some(({ field }) => field === name);
}

function renderWordsField({ words }: CaseFormsState): Html | null {
  return words ? html`<input type="hidden" name="${WORDS_FIELD}" value="${words}">` : null;
}

/** How many of the newest messages are skipped. */
export const NEWER_FIELD = 'newer';

/** The buttons for messages that the page without a script leaves out, because it opens only some at a time. */
export function renderOlderMessages(say: Say, words: string, { newer, older }: MessageWindow): Html {
  return html`${older === null ? null : renderWindowForm(words, older, say('case.messages.older'))}${newer === 0 ? null : renderWindowForm(words, 0, say('case.messages.newest'))}`;
}

function renderWindowForm(words: string, newer: number, label: string): Html {
  return html`<form method="post" action="${CASE_PATH}" autocomplete="off"><input type="hidden" name="${WORDS_FIELD}" value="${words}"><input type="hidden" name="${NEWER_FIELD}" value="${newer}"><p><button class="button quiet" type="submit">${label}</button></p></form>`;
}
