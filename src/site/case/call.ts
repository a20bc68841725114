/** The part of the case page about the call: what has been agreed, and the form for suggesting times. */
import type { Say } from '#language/catalogue.ts';
import type { Language } from '#language/language.ts';
import type { CallPlan } from '#seal/case/call-plan.ts';
import { MAX_CALL_NUMBER } from '#seal/case/call-window.ts';
import {
  CALL_NUMBER_CONTROL,
  CALL_ZONE_CONTROL,
  isCallFieldName,
  listCallRows,
} from '#seal/form/call-form.ts';
import { renderTextField, toFieldState } from '#view/form.ts';
import { type Html, html } from '#view/html.ts';
import { renderTimedText } from '#view/sentence.ts';
import { toCallRows } from '#wire/call-rows.ts';
import { CASE_PARTS, CASE_SLOTS } from '#wire/case-page.ts';
import { type CaseFormsState, renderActionForm, renderFold } from './forms.ts';

/** For a page without a script: its times are in the zone that the booking names, and in UTC. */
export function renderOpenedCall(
  language: Language,
  forms: CaseFormsState,
  plan: CallPlan,
  isAsked: boolean,
): Html {
  const { say } = language;
  const rows = toCallRows(plan, say, language).map(
    ({ label, value }) => html`<div><dt>${label}</dt><dd dir="auto">${renderTimedText(value)}</dd></div>`,
  );
  const hasFaults = forms.faults.some(({ field }) => isCallFieldName(field));
  return renderCallSection(language, forms, {
    rows: html`<dl class="told">${rows}</dl>`,
    calendar: plan.booked ? html`<p class="small">${say('case.call.calendar.none')}</p>` : null,
    summary: html`<summary>${say(plan.booked ? 'case.call.another' : 'case.call.suggest')}</summary>`,
    isOpen: isAsked || hasFaults || plan.booked !== null,
    hasOpenForm: hasFaults || plan.booked === null,
    plan,
  });
}

/** The script fills the slots. */
export function renderCallTemplate(language: Language, forms: CaseFormsState): Html {
  const { say } = language;
  return renderCallSection(language, forms, {
    rows: html`<dl class="told" data-slot="${CASE_SLOTS.callRows}"></dl>`,
    calendar: html`<div data-part="${CASE_PARTS.calendar}" hidden><div class="files"><button class="button quiet" type="button">${say('case.call.calendar')}</button><p class="small">${say('case.call.calendar.hint', { title: say('case.call.calendar.title') })}</p></div></div>`,
    summary: html`<summary data-slot="${CASE_SLOTS.callSummary}">${say('case.call.suggest')}</summary>`,
    isOpen: false,
    hasOpenForm: true,
    plan: null,
  });
}

interface CallSlots {
  readonly rows: Html;
  readonly calendar: Html | null;
  readonly summary: Html;
  readonly isOpen: boolean;
  readonly hasOpenForm: boolean;
  readonly plan: CallPlan | null;
}

function renderCallSection({ say }: Language, forms: CaseFormsState, slots: CallSlots): Html {
  const { may } = forms;
  const filled = { ...forms, fields: fillKnownFields(forms, slots.plan) };
  const content = html`${slots.rows}
${slots.calendar}
<details class="help" data-part="${CASE_PARTS.times}" ?open="${slots.hasOpenForm}">${slots.summary}
${renderCallForm(filled, say)}</details>`;
  const line = html`<span class="small">${say('case.call.included')}</span>`;
  const { isOpen } = slots;
  return renderFold(say('case.call'), content, { part: CASE_PARTS.call, line, isOpen, isHidden: !may.call });
}

/** The number and the zone that the buyer entered before. */
function fillKnownFields({ fields }: CaseFormsState, plan: CallPlan | null): CaseFormsState['fields'] {
  return plan === null
    ? fields
    : new Map([
        [CALL_NUMBER_CONTROL, plan.number],
        [CALL_ZONE_CONTROL, plan.windows[0]?.zone ?? ''],
        ...fields,
      ]);
}

function renderCallForm(forms: CaseFormsState, say: Say): Html {
  return renderActionForm(forms, 'call', {
    fields: html`${renderTextField(say, {
      ...toFieldState(forms, CALL_NUMBER_CONTROL),
      label: say('field.call_number'),
      hint: say('field.call_number.hint'),
      type: 'tel',
      maxLength: MAX_CALL_NUMBER,
    })}<fieldset class="field"><legend>${say('call.times')}</legend>
<p class="hint">${say('case.call.hint')}</p>
${listCallRows().map((row) => renderCallTime(forms, say, row))}
${renderTextField(say, { ...toFieldState(forms, CALL_ZONE_CONTROL), label: say('call.zone'), hint: say('call.zone.hint') })}
</fieldset>`,
    button: html`<button class="button" type="submit">${say('case.call.send')}</button>`,
  });
}

function renderCallTime(forms: CaseFormsState, say: Say, row: number): Html {
  const isFirst = row === 1;
  return html`<div class="pair">${renderTextField(say, {
    ...toFieldState(forms, `call_${row}_start`),
    label: isFirst ? say('call.from') : say('call.or_from', { row }),
    type: 'datetime-local',
    optional: !isFirst,
  })}${renderTextField(say, {
    ...toFieldState(forms, `call_${row}_end`),
    label: isFirst ? say('call.to') : say('call.or_to', { row }),
    type: 'datetime-local',
    optional: !isFirst,
  })}</div>`;
}
