/** The part of the case page about the call: what has been agreed, and the form for suggesting times. */
import type { Language } from '#language/language.ts';
import type { CallPlan } from '#seal/case/call-plan.ts';
import { CALL_NUMBER_CONTROL, CALL_ZONE_CONTROL, isCallFieldName } from '#seal/form/call-form.ts';
import { renderCallNumber, renderCallTimes } from '#site/call-times.ts';
import { type Html, html } from '#view/html.ts';
import { renderTimedText } from '#view/sentence.ts';
import { toCallRows } from '#wire/call-rows.ts';
import { CASE_ACTION_FORMS, CASE_PARTS, CASE_SLOTS } from '#wire/case-page.ts';
import { type CaseFormsState, renderFold, renderMessageFacts } from './forms.ts';

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
<form class="act" id="${CASE_ACTION_FORMS.call}" method="post" action="/case/message" novalidate autocomplete="off" ?hidden="${!may.call}">
${renderMessageFacts(forms)}
${renderCallNumber(say, filled)}${renderCallTimes(say, { ...filled, hint: say('case.call.hint') })}
<div class="acts"><button class="button" type="submit">${say('case.call.send')}</button></div>
</form></details>`;
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
