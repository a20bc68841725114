/** The page of an open case, rendered by the server if there is no script, or used as a template by the script. */
import type { DecryptedCase } from '#cases/messages/decrypted-case.ts';
import type { Say } from '#language/catalogue.ts';
import type { Language } from '#language/language.ts';
import { toShownTime } from '#language/timed-text.ts';
import { buildCallPlan } from '#seal/case/call-plan.ts';
import type { OpenedMessage } from '#seal/case/case-content.ts';
import { type CaseDifference, listCaseDifferences } from '#seal/case/case-differences.ts';
import {
  type CaseFile,
  listFindingFiles,
  listInquiryFiles,
  listMessageFiles,
} from '#seal/case/case-files.ts';
import type { Finding } from '#seal/case/finding.ts';
import { parseMarkdown } from '#seal/case/markdown.ts';
import type { CaseMessage } from '#seal/case/message.ts';
import { toLinkText, toMissingText } from '#seal/case/message-text.ts';
import type { OpenedPart } from '#seal/case/opened-part.ts';
import { computeNextSeq, type ThreadEntry } from '#seal/case/thread.ts';
import { computeKeyFingerprint } from '#seal/core/case-key.ts';
import type { UnsaidText } from '#seal/core/unsaid-text.ts';
import type { FormFields } from '#seal/form/form-fields.ts';
import type { Inquiry } from '#seal/form/inquiry.ts';
import { toInquiryLines } from '#seal/form/inquiry-text.ts';
import { type FormFieldError, formatErrorTitle, renderProblemList, renderTextArea } from '#view/form.ts';
import { type Html, html } from '#view/html.ts';
import { renderMarkdown } from '#view/markdown/markdown.ts';
import { type HtmlPage, renderPageTemplate } from '#view/page.ts';
import { renderSentence, renderTime, renderTimedText } from '#view/sentence.ts';
import { toMessageText } from '#wire/call-rows.ts';
import {
  CASE_BUTTONS,
  CASE_PARTS,
  CASE_PATH,
  CASE_SLOTS,
  CASE_TEMPLATES,
  type CaseButton,
  countEarlierMessages,
  PRACTICE_FORM_ID,
} from '#wire/case-page.ts';
import type { CaseStep } from '#wire/case-requests.ts';
import { ERROR_CLASS, PRINTED_CLASS, WORDS_FIELD } from '#wire/page-parts.ts';
import { sayText } from '#wire/said-text.ts';
import { renderCallTemplate, renderOpenedCall } from './call.ts';
import {
  type CaseFormsState,
  hiddenCaseForms,
  renderClosingFold,
  renderFold,
  renderMessageForm,
  renderNoticeFold,
  renderOlderMessages,
} from './forms.ts';
import { type RefundSentences, toCaseOverview } from './view-model.ts';

export interface CasePageInput {
  readonly opened: DecryptedCase;
  readonly words: string;
  readonly now: number;
  readonly language: Language;
  readonly refunds: RefundSentences;
  /** The result of the last action, shown at the top. */
  readonly news?: string;
  readonly fields?: FormFields;
  readonly faults?: readonly FormFieldError[];
}

export function renderCasePage({
  opened,
  words,
  now,
  language,
  refunds,
  news,
  fields = new Map(),
  faults = [],
}: CasePageInput): HtmlPage {
  const { record, key, inquiry, messages, thread, finding, window } = opened;
  const { say } = language;
  const overview = toCaseOverview(record, { now, language, refunds });
  const { title, clock, sentences, money, deletion, steps, rows, may, keep_days: keepDays } = overview;
  const shown = {
    seq: computeNextSeq(messages, 'buyer'),
    // The buyer has not read messages that are newer than those shown.
    seen: computeNextSeq(
      messages.filter((message) => !window?.passesOver(message)),
      'desk',
    ),
  };
  const withdrawal = html`<p>${renderTimedText(overview.withdrawal)}</p>`;
  const forms: CaseFormsState = { may, keepDays, withdrawal, words, shown, fields, faults };
  return {
    title: faults.length > 0 ? formatErrorTitle(say, say('case.title')) : say('case.title'),
    language,
    status: faults.length > 0 ? 422 : 200,
    confidential: true,
    main: renderCaseLayout(language, {
      problems: renderProblemList(say, faults),
      news: news ? html`<p class="note" role="status">${news}</p>` : null,
      title: html`<h1 tabindex="-1">${title}</h1>`,
      clock: clock.length > 0 ? html`<p class="clock">${renderTimedText(clock)}</p>` : null,
      deletion: html`<span class="small">${renderTimedText(deletion)}</span>`,
      steps: html`<ol class="way">${steps.map(renderStep)}</ol>`,
      visit: renderPlainVisitTools(say, words),
      practice: null,
      sentences: html`<div class="standing">${sentences.map((sentence) => html`<p>${sentence}</p>`)}</div>${money.length > 0 ? html`<p class="money">${renderTimedText(money)}</p>` : null}`,
      differences: renderDifferences(language, listCaseDifferences(opened, record)),
      finding: finding ? renderOpenedFinding(language, finding, opened.findingSeq, words) : null,
      call: renderOpenedCall(
        language,
        forms,
        buildCallPlan(opened, overview.call_booked),
        overview.call_asked,
      ),
      thread: renderShownThread(language, opened, words),
      hasMessages: thread.length > 0 || may.write,
      isQuiet: thread.length === 0 && finding === null,
      rows: html`<dl>${rows.map(({ label, value }) => html`<div><dt>${label}</dt><dd>${renderTimedText(value)}</dd></div>`)}</dl>`,
      fingerprint: html`<p>${computeKeyFingerprint(key.recipient)}</p>`,
      archive: html`<p>${say('copy.plain')}</p>`,
      inquiry: renderOpenedInquiry(language, inquiry, words, finding === null),
      isInquiryOpen: finding === null || 'said' in inquiry,
      forms,
    }),
  };
}

/** The script fills the slots and shows the parts. A message and a file row have templates of their own. */
export function renderCaseTemplate(language: Language): Html {
  const { say } = language;
  return html`${renderPageTemplate(CASE_TEMPLATES.opened, {
    title: say('case.title'),
    main: renderCaseLayout(language, {
      problems: renderProblemList(say, []),
      news: html`<p class="note" role="status" data-slot="${CASE_SLOTS.news}" hidden></p>`,
      title: html`<h1 tabindex="-1" data-slot="${CASE_SLOTS.title}">${say('case.title')}</h1>`,
      clock: html`<p class="clock" data-slot="${CASE_SLOTS.clock}"></p>`,
      deletion: html`<span class="small" data-slot="${CASE_SLOTS.deletion}"></span>`,
      steps: html`<ol class="way" data-slot="${CASE_SLOTS.steps}"></ol>`,
      visit: renderVisitTools(say),
      practice: renderPractice(say),
      sentences: html`<div class="standing" data-slot="${CASE_SLOTS.sentences}"></div><p class="money" data-slot="${CASE_SLOTS.money}"></p>`,
      differences: html`<div class="${ERROR_CLASS}" role="alert" data-slot="${CASE_SLOTS.differences}" hidden></div>`,
      finding: renderFindingSection(
        say,
        html`<div class="paper ${PRINTED_CLASS}" dir="auto" data-slot="${CASE_SLOTS.finding}"></div>${renderTools({ [CASE_BUTTONS.saveAnswer]: say('copy.answer.save'), [CASE_BUTTONS.printAnswer]: say('copy.answer.print') })}`,
        html`<ul class="files" data-slot="${CASE_SLOTS.findingFiles}"></ul>`,
      ),
      call: renderCallTemplate(language, hiddenCaseForms),
      thread: html`${renderEarlierMessages(say, html`<ol class="thread" data-slot="${CASE_SLOTS.earlier}"></ol>`)}<ol class="thread" data-slot="${CASE_SLOTS.thread}"></ol>`,
      hasMessages: false,
      isQuiet: false,
      rows: html`<dl data-slot="${CASE_SLOTS.rows}"></dl>`,
      fingerprint: html`<p data-slot="${CASE_SLOTS.fingerprint}"></p>`,
      inquiry: html`<dl class="told" data-slot="${CASE_SLOTS.inquiry}"></dl><ul class="files" data-slot="${CASE_SLOTS.inquiryFiles}"></ul>${renderTools({ [CASE_BUTTONS.saveSent]: say('copy.sent.save'), [CASE_BUTTONS.printSent]: say('copy.sent.print') })}`,
      isInquiryOpen: false,
      archive: html`<p>${say('copy.all.text')}</p>
${renderTools({ [CASE_BUTTONS.saveAll]: say('copy.all.act') })}`,
      forms: hiddenCaseForms,
    }),
  })}
<template id="${CASE_TEMPLATES.entry}"><li class="entry"><p class="who"><b data-slot="${CASE_SLOTS.who}"></b> <span data-slot="${CASE_SLOTS.when}"></span></p><p class="said" dir="auto" data-slot="${CASE_SLOTS.text}"></p><ul class="files" data-slot="${CASE_SLOTS.messageFiles}" hidden></ul><p class="caution" data-slot="${CASE_SLOTS.mark}" hidden></p></li></template>
<template id="${CASE_TEMPLATES.step}"><li><b data-slot="${CASE_SLOTS.name}"></b> <span class="small" data-slot="${CASE_SLOTS.when}"></span></li></template>
<template id="${CASE_TEMPLATES.file}"><li><button class="button quiet" type="button" dir="auto" data-slot="${CASE_SLOTS.name}">${say('case.keep.save')}</button><p class="small" role="status"></p></li></template>`;
}

interface CaseLayoutSlots {
  readonly problems: Html;
  readonly news: Html | null;
  readonly title: Html;
  readonly clock: Html | null;
  readonly deletion: Html;
  readonly sentences: Html;
  readonly differences: Html | null;
  readonly steps: Html;
  readonly visit: Html;
  readonly practice: Html | null;
  readonly finding: Html | null;
  readonly call: Html;
  readonly thread: Html;
  readonly hasMessages: boolean;
  /** Whether there is nothing to read yet. */
  readonly isQuiet: boolean;
  readonly rows: Html;
  readonly fingerprint: Html;
  readonly inquiry: Html;
  /** Open until there is an answer, and whenever the inquiry cannot be read. */
  readonly isInquiryOpen: boolean;
  readonly archive: Html;
  readonly forms: CaseFormsState;
}

function renderCaseLayout(language: Language, slots: CaseLayoutSlots): Html {
  const { forms, isQuiet } = slots;
  const { say } = language;
  const steps = renderFold(say('steps.title'), slots.steps, {
    part: CASE_PARTS.steps,
    isOpen: !slots.finding,
  });
  const programs = renderSentence(language, 'case.programs.text', {
    link: (text) => html`<a href="/permissions">${text}</a>`,
  });
  return html`<div class="wrap beside case">
<div>
${slots.problems}${slots.news}
${slots.title}
${slots.clock}
${slots.sentences}
${slots.differences}
${slots.practice}
${slots.finding}
${isQuiet ? steps : null}
<section class="case-part" data-part="${CASE_PARTS.messages}" ?hidden="${!slots.hasMessages}"><h2>${say('case.messages')}</h2>
${slots.thread}
${renderMessageForm(forms, say)}
</section>
${slots.visit}
${isQuiet ? null : steps}
${slots.call}
${renderFold(say('case.inquiry'), slots.inquiry, { part: CASE_PARTS.inquiry, isOpen: slots.isInquiryOpen })}
${renderFold(say('copy.all'), slots.archive)}
${renderNoticeFold(forms, say)}
${renderClosingFold(forms, say, slots.deletion)}
${renderFold(say('permissions.title'), html`<p>${programs}</p>`)}
</div>
<aside class="aside" aria-label="${say('case.title')}"><section class="slip"><h2>${say('case.title')}</h2>${slots.rows}<p class="small"><a href="/refunds">${say('case.refunds')}</a></p><details class="help"><summary>${say('case.row.fingerprint')}</summary>${slots.fingerprint}<p class="small">${say('case.fingerprint.note')}</p></details></section></aside>
</div>`;
}

function renderDifferences(language: Language, differences: readonly CaseDifference[]): Html | null {
  if (differences.length === 0) return null;
  return html`<div class="${ERROR_CLASS}">${differences.map(({ said }) => html`<p>${sayText(language, said)}</p>`)}</div>`;
}

function renderFindingSection(say: Say, text: Html, files: Html | null): Html {
  return html`<section class="case-part" data-part="${CASE_PARTS.finding}"><h2>${say('case.answer')}</h2>
${text}
${files}
</section>`;
}

/** Printed until there is an answer, which is then printed instead. */
function renderOpenedInquiry(
  language: Language,
  inquiry: OpenedPart<Inquiry>,
  words: string,
  isPrinted: boolean,
): Html {
  if ('said' in inquiry) return renderUnreadable(language, inquiry.said);
  const lines = toInquiryLines(inquiry.content).map(
    ({ label, text }) =>
      html`<div><dt>${sayText(language, label)}</dt><dd dir="auto">${sayText(language, text)}</dd></div>`,
  );
  return html`<dl class="told ${isPrinted ? PRINTED_CLASS : ''}">${lines}</dl>${renderFileRows(language.say, listInquiryFiles(inquiry.content), words)}`;
}

function renderOpenedFinding(
  language: Language,
  finding: OpenedPart<Finding>,
  seq: number,
  words: string,
): Html {
  const { say } = language;
  if ('said' in finding)
    return renderFindingSection(
      say,
      html`<div class="paper ${ERROR_CLASS}">${sayText(language, finding.said)}</div>`,
      null,
    );
  return renderFindingSection(
    say,
    html`<div class="paper ${PRINTED_CLASS}" dir="auto">${renderFinding(finding.content.markdown)}</div><p class="small">${say('copy.plain.answer')}</p>`,
    renderFileRows(say, listFindingFiles(finding.content, seq), words),
  );
}

function renderShownThread(language: Language, { thread, window }: DecryptedCase, words: string): Html {
  const { say } = language;
  const entries = thread.filter((entry) => 'missing' in entry || !window || window.shows(entry));
  const earlier = countEarlierMessages(entries);
  const renderEntries = (shown: typeof entries) =>
    html`<ol class="thread">${shown.map((entry) => renderThreadEntry(language, entry, words))}</ol>`;
  return html`${window && renderOlderMessages(say, words, window)}${earlier > 0 ? renderEarlierMessages(say, renderEntries(entries.slice(0, earlier))) : null}${renderEntries(entries.slice(earlier))}`;
}

function renderEarlierMessages(say: Say, thread: Html): Html {
  return html`<details class="help" data-part="${CASE_PARTS.earlier}"><summary>${say('case.messages.earlier')}</summary>${thread}</details>`;
}

function renderThreadEntry(
  language: Language,
  entry: ThreadEntry<OpenedMessage<number>>,
  words: string,
): Html {
  const author = language.say(entry.by === 'buyer' ? 'case.you' : 'case.investigator');
  if ('missing' in entry)
    return html`<li class="entry ${entry.by} missing"><p class="who"><b>${author}</b></p><p class="said ${ERROR_CLASS}">${sayText(language, toMissingText(entry))}</p></li>`;
  const { by, seq, at, said, link } = entry;
  const files = by === 'buyer' && 'content' in said ? listMessageFiles(said.content, seq) : [];
  const mark = sayText(language, toLinkText(link));
  return html`<li class="entry ${by} ${link}"><p class="who"><b>${author}</b> ${renderTime(toShownTime(language, at))}</p>${renderMessageText(language, said)}${renderFileRows(language.say, files, words)}${mark && html`<p class="caution">${mark}</p>`}</li>`;
}

function renderMessageText(language: Language, part: OpenedPart<CaseMessage>): Html {
  if ('said' in part) return renderUnreadable(language, part.said);
  return html`<p class="said" dir="auto">${renderTimedText(toMessageText(part.content, language.say, language))}</p>`;
}

function renderUnreadable(language: Language, said: UnsaidText): Html {
  return html`<p class="said ${ERROR_CLASS}">${sayText(language, said)}</p>`;
}

export function renderFinding(markdown: string): Html {
  return renderMarkdown(parseMarkdown(markdown));
}

/** The files of a case for a buyer without a script: each a button that sends the words. */
function renderFileRows(say: Say, files: readonly CaseFile[], words: string): Html | null {
  return files.length > 0
    ? html`<ul class="files">${files.map((file) => renderFileRow(say, file, words))}</ul>`
    : null;
}

function renderFileRow(say: Say, { kind, seq, label }: CaseFile, words: string): Html {
  return html`<li><form method="post" action="/case/file"><input type="hidden" name="${WORDS_FIELD}" value="${words}"><input type="hidden" name="kind" value="${kind}"><input type="hidden" name="seq" value="${seq}"><button class="button quiet" type="submit" dir="auto">${say('case.file.save', { file: label })}</button></form></li>`;
}

function renderStep({ stage, label, when }: CaseStep): Html {
  const current = stage === 'current' ? 'step' : null;
  return html`<li class="${stage}" aria-current="${current}"><b>${label}</b> <span class="small">${renderTimedText(when)}</span></li>`;
}

/** The warning comes last in the page, and is shown at the lower edge of the screen. */
function renderVisitTools(say: Say): Html {
  return html`<div class="visit"><div class="tools"><button class="button quiet" type="button" id="${CASE_BUTTONS.look}">${say('look.act')}</button><button class="button quiet" type="button" id="${CASE_BUTTONS.close}">${say('lock.act')}</button></div>
<p role="status" data-slot="${CASE_SLOTS.fresh}"></p>
<p class="small">${say('look.about')} <span data-slot="${CASE_SLOTS.looked}"></span></p></div>
<div class="idle" data-part="${CASE_PARTS.idle}" hidden><p role="alert" data-slot="${CASE_SLOTS.idle}"></p><button class="button" type="button" id="${CASE_BUTTONS.stay}">${say('lock.stay')}</button></div>`;
}

/** Shown by the script to a buyer who came from the sent page, without typing the words. */
function renderPractice(say: Say): Html {
  const words = renderTextArea(say, { name: WORDS_FIELD, label: say('find.words'), rows: 3, lang: 'en' });
  return html`<details class="note" data-part="${CASE_PARTS.practice}" hidden><summary>${say('practice.title')}</summary>
<form class="act" id="${PRACTICE_FORM_ID}" method="post" action="${CASE_PATH}" novalidate autocomplete="off"><p>${say('practice.about')}</p>
${words}
<div class="acts"><button class="button quiet" type="submit">${say('practice.act')}</button></div>
<p role="status" data-slot="${CASE_SLOTS.practised}"></p></form></details>`;
}

/** Reloads the page to show what is new. */
function renderPlainVisitTools(say: Say, words: string): Html {
  return html`<form class="visit" method="post" action="${CASE_PATH}" autocomplete="off"><input type="hidden" name="${WORDS_FIELD}" value="${words}">
<div class="tools"><button class="button quiet" type="submit">${say('look.act')}</button></div>
<p class="small">${say('lock.plain')}</p></form>`;
}

function renderTools(buttons: Readonly<Partial<Record<CaseButton, string>>>): Html {
  return html`<div class="tools">${Object.entries(buttons).map(([id, text]) => html`<button class="button quiet" type="button" id="${id}">${text}</button>`)}</div><p class="small" role="status"></p>`;
}
