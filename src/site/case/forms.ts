/** What the buyer can do on the case page, each as a form of its own. */
import { KEEP_DAYS } from '#cases/retention.ts';
import type { FormFault, FormFields } from '#seal/form-fields.ts';
import { callTimes } from '#site/call-times.ts';
import { filledField } from '#site/filled-field.ts';
import type { Case } from '#store/cases.ts';
import { checkbox, selectField, textArea, textField } from '#view/form.ts';
import { type Html, html } from '#view/html.ts';
import type { CaseActs } from './view-model.ts';

/** What must be typed before a file is erased for good. */
export const ERASE_WORD = 'ERASE';

/** What is said where something final was not confirmed; the script reads it from its form. */
export const unsure = {
  withdraw: 'Tick this if you want to withdraw the case',
  erase: `Type ${ERASE_WORD} if you want to erase everything`,
} as const;

export interface CaseForms {
  readonly may: CaseActs;
  readonly keepDays: Case['keep_days'];
  /** Go along with every form, for who has no script; empty where a script keeps them. */
  readonly words: string;
  /** The place of the next message. */
  readonly seq: number;
  readonly fields: FormFields;
  readonly faults: readonly FormFault[];
}

/** All of them, those that may not be used hidden: for the script, which knows later. */
export const everyForm: CaseForms = {
  may: { write: false, call: false, keep: false, withdraw: false, purge: false },
  keepDays: 30,
  words: '',
  seq: 0,
  fields: new Map(),
  faults: [],
};

export function writeForm(forms: CaseForms): Html {
  const { may, seq } = forms;
  return html`<form class="act" id="write" method="post" action="/case/message" novalidate autocomplete="off" ?hidden="${!may.write}">
${carried(forms)}<input type="hidden" name="seq" value="${seq}">
${textArea({ ...filledField(forms, 'message'), label: 'Write to your investigator', maxLength: 4000, rows: 4, optional: may.call })}
<div data-part="call" ?hidden="${!may.call}">${callTimes({ ...forms, hint: 'The times that suit you best.' })}</div>
<div class="acts"><button class="button" type="submit">Send</button></div>
</form>`;
}

export function endingForms(forms: CaseForms): Html {
  return html`${keepForm(forms)}${withdrawForm(forms)}${purgeForm(forms)}`;
}

function keepForm(forms: CaseForms): Html {
  const choices = KEEP_DAYS.map((days) => ({ value: String(days), text: `${days} days after our answer` }));
  return html`<form class="act" id="keep" method="post" action="/case/keep" autocomplete="off" ?hidden="${!forms.may.keep}">
${carried(forms)}
${selectField({
  name: 'keep_days',
  label: 'When should this file be erased?',
  hint: 'Change it as often as you like while the file exists. If the day you choose is past, the file goes at once.',
  choices,
  value: String(forms.keepDays),
})}
<div class="acts"><button class="button quiet" type="submit">Save</button></div>
</form>`;
}

function withdrawForm(forms: CaseForms): Html {
  return html`<form class="act" id="withdraw" method="post" action="/case/withdraw" data-unsure="${unsure.withdraw}" novalidate autocomplete="off" ?hidden="${!forms.may.withdraw}">
${carried(forms)}
${checkbox({
  name: 'withdraw_sure',
  label: 'Withdraw this case',
  hint: 'We stop at once, and the file is erased after 24 hours. This cannot be undone.',
  error: faultAt(forms, 'withdraw_sure'),
})}
<div class="acts"><button class="button quiet" type="submit">Withdraw</button></div>
</form>`;
}

function purgeForm(forms: CaseForms): Html {
  return html`<form class="act" id="purge" method="post" action="/case/purge" data-word="${ERASE_WORD}" data-unsure="${unsure.erase}" novalidate autocomplete="off" ?hidden="${!forms.may.purge}">
${carried(forms)}
${textField({
  name: 'erase',
  label: `Erase everything now: type ${ERASE_WORD}`,
  hint: 'Question, files, messages and answer are destroyed for good. Save what you need first.',
  error: faultAt(forms, 'erase'),
})}
<div class="acts"><button class="button quiet" type="submit">Erase now</button></div>
</form>`;
}

function faultAt({ faults }: CaseForms, name: string): string | undefined {
  return faults.find(({ field }) => field === name)?.message;
}

function carried({ words }: CaseForms): Html | null {
  return words ? html`<input type="hidden" name="words" value="${words}">` : null;
}
