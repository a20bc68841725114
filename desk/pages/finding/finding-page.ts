/** The page on which a finding is written: the case on the left, Markdown beside its preview, files, and delivery. */
import { capitalizeName } from '#desk/model/case-gist.ts';
import { formatDeskHour } from '#desk/model/desk-time.ts';
import type { WaitingFile } from '#desk/model/finding-files.ts';
import { showLine } from '#desk/model/shown-text.ts';
import { parseMarkdown } from '#seal/case/markdown.ts';
import { formatFileSize } from '#seal/form/inquiry-text.ts';
import { type Html, html } from '#view/html.ts';
import { renderMarkdown } from '#view/markdown/markdown.ts';
import { nameCase } from '#wire/case-name.ts';
import { renderInquiryLines } from '../case/case-inquiry.ts';
import { renderSeenFields, renderTemplateChoice } from '../case/case-reply.ts';
import { renderNoteList } from '../case/case-side.ts';
import { renderCame, renderThread, writeLinksOut } from '../case/case-thread.ts';
import type { CaseView } from '../case/case-view.ts';
import { renderAwayNote, renderEarlier, renderSaved, renderText } from '../case/draft-field.ts';
import { renderClock } from '../queue/queue-page.ts';
import { formatFullTime } from '../shown-time.ts';

export interface WriteView {
  readonly case: CaseView;
  readonly files: readonly Pick<WaitingFile, 'number' | 'name' | 'size'>[];
  /** Names of files that the desk has forgotten. */
  readonly lostFiles: readonly string[];
}

export function renderWritePage(view: WriteView): Html {
  return html`<div class="panes write">
${renderSource(view.case)}
<main class="pane" id="main">
${renderCame(view.case)}
${renderEarlier(view.case, 'markdown')}
<form class="desk-form" id="finding" method="dialog" action="/cases/${view.case.opened.facts.id}/finding" enctype="multipart/form-data" autocomplete="off">
${renderSeenFields(view.case)}
${renderWriteHead(view)}
<div class="editors">
${renderEditor(view)}
${renderPreview(view)}
</div>
<div class="deliver">
${renderWaitingFiles(view)}
${renderDelivery(view)}
</div>
</form>
</main>
</div>`;
}

/** Shows the case, not the queue, because the finding is written from it. */
function renderSource(view: CaseView): Html {
  const { opened, gist } = view;
  const { thread } = opened.content;
  const notes = renderNoteList(view);
  return html`<section class="list source" aria-label="From the case">
<div class="source-head">
<p class="back"><a href="/cases/${opened.facts.id}" aria-keyshortcuts="Escape">${nameCase(opened.facts.id)}</a></p>
<h2 class="ask">${gist.question}</h2>
</div>
<details open><summary>Inquiry</summary>
${renderInquiryLines(view)}
</details>
${thread.length === 0 ? null : html`<details open><summary>Conversation <span class="count">${thread.length}</span></summary>${renderThread(view)}</details>`}
${notes === null ? null : html`<details open><summary>Notes <span class="count">${opened.notes.length}</span></summary>${notes}</details>`}
</section>`;
}

function renderWriteHead({ case: { opened, gist, now, templates } }: WriteView): Html {
  return html`<header class="write-head">
<div><h1>Finding for ${gist.buyer}</h1>
<p class="on-paper">${nameCase(opened.facts.id)}, a draft as of ${formatFullTime(now)}</p>
${renderClock(opened.facts, now)}</div>
<div class="acts">
${templates.length === 0 ? null : renderTemplateChoice(templates)}
<button class="button quiet" name="act" value="preview" aria-keyshortcuts="Control+Enter" type="submit">Preview <kbd aria-hidden="true">Ctrl Enter</kbd></button>
<button class="button quiet" name="act" value="save" aria-keyshortcuts="Control+S" type="submit">Save <kbd aria-hidden="true">Ctrl S</kbd></button>
</div>
</header>`;
}

function renderEditor({ case: view }: WriteView): Html {
  return html`<div class="editor">
<div class="part"><label for="markdown">Markdown</label>${renderSaved(view, 'markdown')}</div>
${renderText(view, 'markdown', { id: 'markdown', name: 'markdown', maxLength: 40_000, key: 'd', hasFocus: true })}
</div>`;
}

function renderPreview({ case: { typed, gist, now } }: WriteView): Html {
  const { markdown } = typed;
  const text =
    markdown.trim() === ''
      ? html`<p class="small">Nothing written yet.</p>`
      : renderMarkdown(writeLinksOut(parseMarkdown(markdown)));
  return html`<div class="preview">
<h2 class="part" id="preview-title">As ${gist.buyer} will read it <span class="count">as of ${formatDeskHour(now)}</span></h2>
<section class="paper" tabindex="0" aria-labelledby="preview-title">
${text}
</section>
</div>`;
}

function renderWaitingFiles({ files, lostFiles }: WriteView): Html {
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const count =
    files.length === 0
      ? 'none'
      : `${files.length === 1 ? '1 file' : `${files.length} files`}, ${formatFileSize(total)}`;
  const items = files.map(
    ({ number, name, size }) =>
      html`<li><span><b>${showLine(name)}</b> <span class="small">${formatFileSize(size)}, sent when you deliver</span></span><button class="button plain little" name="remove" value="${number}" type="submit">Remove<span class="unseen"> ${showLine(name)}</span></button></li>`,
  );
  const lost = lostFiles.map(
    (name) =>
      html`<li><span><b>${showLine(name)}</b> <span class="small">lost when the desk was locked or restarted: add it again</span></span><button class="button plain little" name="remove_lost" value="${name}" type="submit">Remove from the list<span class="unseen"> ${showLine(name)}</span></button></li>`,
  );
  return html`<section class="attached" aria-labelledby="attached-title">
<h2 class="part" id="attached-title">Files <span class="count">${count}</span></h2>
${files.length + lost.length === 0 ? null : html`<ul class="files">${items}${lost}</ul>`}
<div class="acts"><label class="unseen" for="file">Add files</label><input class="input" id="file" type="file" name="file" multiple aria-keyshortcuts="f"><button class="button quiet little" name="act" value="attach" type="submit">Add</button></div>
<p class="hint">Files are sent unchanged, including hidden data. Until you deliver, they are only in memory: they are lost when the desk locks or stops.</p>
</section>`;
}

function renderDelivery({ files, case: view }: WriteView): Html {
  const { opened, gist, refusal } = view;
  const name = nameCase(opened.facts.id);
  const isAgain = refusal?.why === 'changed';
  // Files that are chosen in the browser, but not yet sent to the desk, are delivered too.
  const going =
    files.length === 0
      ? 'No file is sent with it, unless you have just chosen one.'
      : `It is sent with ${files.length === 1 ? 'the file' : `the ${files.length} files`} above and any that you have chosen since.`;
  const whom = `${name} to ${gist.buyer}`;
  return html`<section class="last" aria-labelledby="last-title">
<h2 class="part" id="last-title">Deliver</h2>
<p>${capitalizeName(gist.buyer)} sees it once you can no longer take it back.</p>
<p class="small">${going}</p>
<div class="acts">
<button class="button" name="act" value="deliver" type="submit" data-office ?disabled="${view.isAway}">${isAgain ? `I have read it: deliver ${whom}` : `Deliver ${whom}`}</button>
</div>
${renderAwayNote(view)}
</section>`;
}
