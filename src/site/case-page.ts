/** How a case is shown: the same parts for who opens it here and for the script that opens it in the browser. */
import type { OpenedCase } from '#cases/reading.ts';
import { statusOf, timeText } from '#cases/status.ts';
import { type InquiryLine, inquiryLines } from '#seal/inquiry-text.ts';
import type { Case } from '#store/cases.ts';
import { errorSummary, textArea } from '#view/form.ts';
import { type Html, html } from '#view/html.ts';
import type { Page } from '#view/page.ts';

const TITLE = 'Your case';
const FIND_TITLE = 'Open your case';

/** What the service itself knows of a case, in words. */
export interface CaseView {
  readonly tier: string;
  readonly state: Case['state'];
  readonly title: string;
  readonly clock: string;
  readonly sentences: readonly string[];
  readonly rows: readonly { readonly label: string; readonly value: string }[];
}

export function caseView(record: Case, now: number): CaseView {
  const { title, clock, sentence } = statusOf(record, now);
  return {
    tier: record.tier,
    state: record.state,
    title,
    clock: clock ?? '',
    sentences: [sentence],
    rows: [
      { label: 'Service', value: record.tier },
      { label: 'Sent', value: timeText(record.submitted_at) },
      {
        label: 'Locked',
        value: record.sealed_by === 'server' ? 'By our server, on arrival' : 'In your browser',
      },
      { label: 'Erased', value: `${record.keep_days} days after our answer` },
    ],
  };
}

export function findPage(fault?: string): Page {
  const problems = fault ? [{ field: 'words', message: fault }] : [];
  return {
    title: fault ? `Error: ${FIND_TITLE}` : FIND_TITLE,
    status: fault ? 422 : 200,
    confidential: true,
    script: 'case',
    main: html`<div class="wrap text">
<div id="problems">${errorSummary(problems)}</div>
<h1>${FIND_TITLE}</h1>
<p>Enter the twelve words that you wrote down when you sent your inquiry.</p>
<form id="find" method="post" action="/case" novalidate autocomplete="off">
${textArea({ name: 'words', label: 'Your twelve words', hint: 'In their order. Capitals, commas and line breaks do not matter.', rows: 3, error: fault })}
<div id="sealing-note" class="note">
<p data-when="server"><b>Your browser runs no script for this page.</b> Your words go to our server, which opens your case with them and forgets them again.</p>
<p data-when="browser" hidden><b>Your words stay in your browser.</b> Your case is opened here, not on our server.</p>
</div>
<div class="acts"><button class="button" type="submit" id="send">Open my case</button></div>
</form>
<p class="small">Without the words nobody can open a case, and we cannot find it for you.</p>
</div>
${openedTemplate()}`,
  };
}

export function casePage({ record, inquiry }: OpenedCase, now: number): Page {
  const { title, clock, sentences, rows } = caseView(record, now);
  return {
    title: TITLE,
    confidential: true,
    main: shown({
      title: html`<h1 tabindex="-1">${title}</h1>`,
      clock: html`<p class="clock">${clock}</p>`,
      sentences: html`<div>${sentences.map((sentence) => html`<p>${sentence}</p>`)}</div>`,
      rows: html`<dl>${rows.map(({ label, value }) => row(label, value))}</dl>`,
      inquiry: html`<dl class="told">${inquiryLines(inquiry).map(told)}</dl>`,
    }),
  };
}

function openedTemplate(): Html {
  return html`<template id="opened" data-title="${TITLE}">${shown({
    title: html`<h1 tabindex="-1" data-slot="title">${TITLE}</h1>`,
    clock: html`<p class="clock" data-slot="clock"></p>`,
    sentences: html`<div data-slot="sentences"></div>`,
    rows: html`<dl data-slot="rows"></dl>`,
    inquiry: html`<dl class="told" data-slot="inquiry"></dl>`,
  })}</template>`;
}

interface Slots {
  readonly title: Html;
  readonly clock: Html;
  readonly sentences: Html;
  readonly rows: Html;
  readonly inquiry: Html;
}

function shown({ title, clock, sentences, rows, inquiry }: Slots): Html {
  return html`<div class="wrap beside case">
<div>
${title}
${clock}
${sentences}
<section class="case-part"><h2>What you sent</h2>
${inquiry}
</section>
</div>
<aside class="slips" aria-label="Your case"><section class="slip"><h2>Your case</h2>${rows}</section></aside>
</div>`;
}

function row(label: string, value: string): Html {
  return html`<div><dt>${label}</dt><dd>${value}</dd></div>`;
}

function told({ label, text }: InquiryLine): Html {
  return html`<div><dt>${label}</dt><dd>${text}</dd></div>`;
}
