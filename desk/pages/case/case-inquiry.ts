/** The inquiry of a case: the question as a line that expands to the full text, and what to know before writing. */
import { showLine, showText } from '#desk/model/shown-text.ts';
import { ENGLISH } from '#language/languages.ts';
import type { Inquiry } from '#seal/form/inquiry.ts';
import { toInquiryLines } from '#seal/form/inquiry-text.ts';
import { type Html, html } from '#view/html.ts';
import { formatCountryName, sayText } from '#wire/said-text.ts';
import { renderPartSaving } from './case-side.ts';
import type { CaseView } from './case-view.ts';

/** Expanded at the first opening. */
export function renderInquiry(view: CaseView): Html {
  const { opened, gist } = view;
  return html`<details class="inquiry" ?open="${opened.isFirstOpening}">
<summary aria-keyshortcuts="i"><span class="ask">${gist.question}</span> <span class="more"><span class="if-shut">Whole inquiry</span><span class="if-open">Only the question</span></span></summary>
${renderInquiryLines(view)}
</details>`;
}

export function renderInquiryLines(view: Pick<CaseView, 'opened' | 'visit'>): Html {
  const { inquiry } = view.opened.content;
  if (!('content' in inquiry))
    return html`<p class="said">${showText(inquiry.unreadable)}</p>${renderPartSaving(view, { kind: 'inquiry.v1', seq: 0 }, inquiry)}`;
  const lines = toInquiryLines(inquiry.content).map(({ label, text }) => {
    const said = showText(sayText(ENGLISH, text));
    return html`<div class="${said.length > WIDE_TEXT ? 'wide' : null}"><dt>${sayText(ENGLISH, label)}</dt><dd class="said">${said}</dd></div>`;
  });
  return html`<dl class="told">${lines}</dl>`;
}

/** Longer texts take both columns. */
const WIDE_TEXT = 60;

const { say } = ENGLISH;

export function renderDangerFlag(risk: Exclude<Inquiry['safety_risk'], 'none'>): Html {
  const text = `${say('field.safety_risk.reader')}: ${say(`field.safety_risk.${risk}.reader`)}`;
  return html`<p class="flag"><svg viewBox="0 0 20 20" aria-hidden="true" focusable="false"><path d="M10 2.5 18.5 17h-17z" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linejoin="round"/><path d="M10 8v4.2M10 14.1v.3" stroke="currentColor" stroke-width="1.9" stroke-linecap="round"/></svg><span>${text}</span></p>`;
}

/** Affects how to write, so it comes first beside the conversation. */
export function renderCare({ opened: { content } }: CaseView): Html {
  const { inquiry } = content;
  if (!('content' in inquiry)) return html``;
  const { safety_risk: risk, subject_is_protected: isProtected, jurisdiction, contact } = inquiry.content;
  return html`<section class="slip" aria-labelledby="mind">
<h2 id="mind">Before you write</h2>
${risk === 'none' ? null : renderDangerFlag(risk)}
${isProtected === 'no' ? null : html`<p>${describeProtection(isProtected)}</p>`}
<p>${describeContact(contact)}</p>
<p>The buyer is in ${formatCountryName(jurisdiction, ENGLISH.tag)}.</p>
</section>`;
}

function describeProtection(answer: Inquiry['subject_is_protected']): string {
  const said = sayText(ENGLISH, { key: `field.subject_is_protected.${answer}`, variant: 'reader' });
  return `${say('field.subject_is_protected.reader')}: ${said}.`;
}

function describeContact({ mode, value, safe_times: times }: Inquiry['contact']): string {
  const way = `${say('field.contact_mode.reader')}: ${say(`field.contact_mode.${mode}.reader`)}`;
  const address = value === '' ? '' : `: ${showLine(value)}`;
  const safe = times.trim() === '' ? '' : ` ${say('field.contact_safe_times.reader')}: ${showLine(times)}.`;
  return `${way}${address}.${safe}`;
}
