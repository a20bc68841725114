/** The page of an open case, rendered by the server if there is no script, or used as a template by the script. */
import type { DecryptedCase } from '#cases/decrypted-case.ts';
import { formatUtcTime } from '#cases/status-text.ts';
import type { OpenedMessage, OpenedPart } from '#seal/case-content.ts';
import { computeKeyFingerprint } from '#seal/case-key.ts';
import { type Finding, toFindingFileSeq } from '#seal/finding.ts';
import type { FormFault, FormFields } from '#seal/form-fields.ts';
import type { Inquiry } from '#seal/inquiry.ts';
import { formatFileLabel, type InquiryLine, toInquiryLines } from '#seal/inquiry-text.ts';
import type { CaseMessage } from '#seal/message.ts';
import { formatCaseMessage } from '#seal/message-text.ts';
import { computeNextSeq, type ThreadEntry } from '#seal/thread.ts';
import { formatMissingMessages, LINK_SENTENCES } from '#seal/thread-text.ts';
import { renderProblemList } from '#view/form.ts';
import { type Html, html } from '#view/html.ts';
import type { HtmlPage } from '#view/page.ts';
import { renderPageTemplate } from '#view/page-template.ts';
import { AUTHOR_NAMES, CASE_PARTS, CASE_SLOTS, CASE_TEMPLATES, FINGERPRINT_LABEL } from '#wire/case-page.ts';
import { ERROR_CLASS, ERROR_MARK, WORDS_FIELD } from '#wire/page-parts.ts';
import { renderFinding } from './finding.ts';
import { type CaseFormsState, hiddenCaseForms, renderClosingForms, renderMessageForm } from './forms.ts';
import { toCaseOverview } from './view-model.ts';

const TITLE = 'Your case';

export interface CasePageInput {
  readonly opened: DecryptedCase;
  readonly words: string;
  readonly now: number;
  /** The result of the last action, shown at the top. */
  readonly news?: string;
  readonly fields?: FormFields;
  readonly faults?: readonly FormFault[];
}

export function renderCasePage({
  opened,
  words,
  now,
  news,
  fields = new Map(),
  faults = [],
}: CasePageInput): HtmlPage {
  const { record, key, inquiry, messages, thread, finding } = opened;
  const { title, clock, sentences, rows, may, keep_days: keepDays } = toCaseOverview(record, now);
  const shown = { seq: computeNextSeq(messages, 'buyer'), seen: computeNextSeq(messages, 'desk') };
  const forms: CaseFormsState = { may, keepDays, words, shown, fields, faults };
  return {
    title: faults.length > 0 ? ERROR_MARK + TITLE : TITLE,
    status: faults.length > 0 ? 422 : 200,
    confidential: true,
    main: renderCaseLayout({
      problems: renderProblemList(faults),
      news: news ? html`<p class="note" role="status">${news}</p>` : null,
      title: html`<h1 tabindex="-1">${title}</h1>`,
      clock: html`<p class="clock">${clock}</p>`,
      sentences: html`<div>${sentences.map((sentence) => html`<p>${sentence}</p>`)}</div>`,
      finding: finding ? renderOpenedFinding(finding, opened.findingSeq, words) : null,
      thread: html`<ol class="thread">${thread.map(renderThreadEntry)}</ol>`,
      rows: html`<dl>${rows.map(({ label, value }) => renderFactRow(label, value))}${renderFactRow(FINGERPRINT_LABEL, computeKeyFingerprint(key.recipient))}</dl>`,
      inquiry: renderOpenedInquiry(inquiry),
      forms,
    }),
  };
}

/** The script fills the slots and shows the parts. A message and a file row have templates of their own. */
export function renderCaseTemplate(): Html {
  return html`${renderPageTemplate(CASE_TEMPLATES.opened, {
    title: TITLE,
    main: renderCaseLayout({
      problems: renderProblemList([]),
      news: html`<p class="note" role="status" data-slot="${CASE_SLOTS.news}" hidden></p>`,
      title: html`<h1 tabindex="-1" data-slot="${CASE_SLOTS.title}">${TITLE}</h1>`,
      clock: html`<p class="clock" data-slot="${CASE_SLOTS.clock}"></p>`,
      sentences: html`<div data-slot="${CASE_SLOTS.sentences}"></div>`,
      finding: renderFindingSection(
        html`<div class="paper" data-slot="${CASE_SLOTS.finding}"></div>`,
        html`<ul class="files" data-slot="${CASE_SLOTS.findingFiles}"></ul>`,
      ),
      thread: html`<ol class="thread" data-slot="${CASE_SLOTS.thread}"></ol>`,
      rows: html`<dl data-slot="${CASE_SLOTS.rows}"></dl>`,
      inquiry: html`<dl class="told" data-slot="${CASE_SLOTS.inquiry}"></dl>`,
      forms: hiddenCaseForms,
    }),
  })}
<template id="${CASE_TEMPLATES.entry}"><li class="entry"><p class="who"><b data-slot="${CASE_SLOTS.who}"></b> <span data-slot="${CASE_SLOTS.when}"></span></p><p class="said" data-slot="${CASE_SLOTS.text}"></p><p class="caution" data-slot="${CASE_SLOTS.mark}" hidden></p></li></template>
<template id="${CASE_TEMPLATES.file}"><li><button class="button quiet" type="button" data-slot="${CASE_SLOTS.name}">Save</button><p class="small" role="status"></p></li></template>`;
}

interface CaseLayoutSlots {
  readonly problems: Html;
  readonly news: Html | null;
  readonly title: Html;
  readonly clock: Html;
  readonly sentences: Html;
  readonly finding: Html | null;
  readonly thread: Html;
  readonly rows: Html;
  readonly inquiry: Html;
  readonly forms: CaseFormsState;
}

function renderCaseLayout(slots: CaseLayoutSlots): Html {
  const { forms } = slots;
  return html`<div class="wrap beside case">
<div>
${slots.problems}${slots.news}
${slots.title}
${slots.clock}
${slots.sentences}
${slots.finding}
<section class="case-part"><h2>Messages</h2>
${slots.thread}
${renderMessageForm(forms)}
</section>
<section class="case-part"><h2>What you sent</h2>
${slots.inquiry}
</section>
<section class="case-part"><h2>The end of this file</h2>
${renderClosingForms(forms)}
</section>
<section class="case-part"><h2>Programs that act for you</h2>
<p>If you let a program act for you with the words of this case, or with your e-mail address, you can <a href="/permissions">see and end what it may do</a>.</p>
</section>
</div>
<aside class="slips" aria-label="Your case"><section class="slip"><h2>Your case</h2>${slots.rows}<p class="small">Your investigator sees the same fingerprint. If theirs is different, stop writing here, and tell us in some other way.</p></section></aside>
</div>`;
}

function renderFindingSection(text: Html, files: Html | null): Html {
  return html`<section class="case-part" data-part="${CASE_PARTS.finding}"><h2>The answer</h2>
${text}
${files}
</section>`;
}

function renderOpenedInquiry(inquiry: OpenedPart<Inquiry>): Html {
  return 'content' in inquiry
    ? html`<dl class="told">${toInquiryLines(inquiry.content).map(renderInquiryLine)}</dl>`
    : html`<p class="said ${ERROR_CLASS}">${inquiry.unreadable}</p>`;
}

function renderOpenedFinding(finding: OpenedPart<Finding>, seq: number, words: string): Html {
  if ('unreadable' in finding)
    return renderFindingSection(html`<div class="paper ${ERROR_CLASS}">${finding.unreadable}</div>`, null);
  const { markdown, files } = finding.content;
  return renderFindingSection(
    html`<div class="paper">${renderFinding(markdown)}</div>`,
    html`<ul class="files">${files.map((file, index) => renderFileRow('finding-file.v1', toFindingFileSeq(seq, index), file, words))}</ul>`,
  );
}

function renderThreadEntry(entry: ThreadEntry<OpenedMessage<number>>): Html {
  const author = AUTHOR_NAMES[entry.by];
  if ('missing' in entry)
    return html`<li class="entry ${entry.by} missing"><p class="who"><b>${author}</b></p><p class="said ${ERROR_CLASS}">${formatMissingMessages(entry)}</p></li>`;
  const { by, at, said, link } = entry;
  const mark = LINK_SENTENCES[link];
  return html`<li class="entry ${by} ${link}"><p class="who"><b>${author}</b> ${formatUtcTime(at)}</p>${renderMessageText(said)}${mark && html`<p class="caution">${mark}</p>`}</li>`;
}

function renderMessageText(said: OpenedPart<CaseMessage>): Html {
  return 'content' in said
    ? html`<p class="said">${formatCaseMessage(said.content)}</p>`
    : html`<p class="said ${ERROR_CLASS}">${said.unreadable}</p>`;
}

function renderFileRow(kind: string, seq: number, file: { name: string; size: number }, words: string): Html {
  return html`<li><form method="post" action="/case/file"><input type="hidden" name="${WORDS_FIELD}" value="${words}"><input type="hidden" name="kind" value="${kind}"><input type="hidden" name="seq" value="${seq}"><button class="button quiet" type="submit">Save ${formatFileLabel(file)}</button></form></li>`;
}

function renderFactRow(label: string, value: string): Html {
  return html`<div><dt>${label}</dt><dd>${value}</dd></div>`;
}

function renderInquiryLine({ label, text }: InquiryLine): Html {
  return html`<div><dt>${label}</dt><dd>${text}</dd></div>`;
}
