/** The conversation of a case, with missing messages marked in their place and a line above the new ones. */
import { nameAssignee } from '#desk/model/assignee-name.ts';
import { capitalizeName } from '#desk/model/case-gist.ts';
import { formatDeskTime } from '#desk/model/desk-time.ts';
import { showText } from '#desk/model/shown-text.ts';
import { ENGLISH } from '#language/languages.ts';
import type { LinkedMessage } from '#seal/case/case-content.ts';
import type { MarkdownNode } from '#seal/case/markdown.ts';
import { messageKinds } from '#seal/case/message.ts';
import { formatCaseMessage, toLinkText, toMissingText } from '#seal/case/message-text.ts';
import type { MissingMessages } from '#seal/case/thread.ts';
import { formatFileLabel } from '#seal/form/inquiry-text.ts';
import { type Html, html } from '#view/html.ts';
import { sayText } from '#wire/said-text.ts';
import { renderShownTime } from '../shown-time.ts';
import { renderPartSaving } from './case-side.ts';
import { type CaseView, listCame } from './case-view.ts';

export function renderThread(view: CaseView): Html {
  const { thread } = view.opened.content;
  if (thread.length === 0) return html`<p class="small">No messages since the inquiry.</p>`;
  const firstNew = thread.findIndex((entry) => 'said' in entry && isNewMessage(entry, view));
  const entries = thread.map((entry, index) => [
    index === firstNew && !view.opened.isFirstOpening ? renderSince(view) : null,
    'missing' in entry ? renderGap(entry, view) : renderMessage(entry, view),
  ]);
  return html`<ol class="thread">${entries}</ol>`;
}

function isNewMessage({ by, seq }: LinkedMessage<number>, { newFrom }: CaseView): boolean {
  return by === 'buyer' && seq >= newFrom;
}

function renderSince({ lastLookAt, now }: CaseView): Html {
  const when = lastLookAt === null ? '' : `, ${formatDeskTime(lastLookAt, now)}`;
  return html`<li class="since" id="new"><span>New since you last looked${when}</span></li>`;
}

/** Also shown by itself, above a text that was not sent because this message arrived meanwhile. */
function renderMessage(message: LinkedMessage<number>, view: CaseView): Html {
  const { by, seq, at, said, link } = message;
  const isNew = isNewMessage(message, view);
  const mark = sayText(ENGLISH, toLinkText(link));
  const text = 'content' in said ? sayText(ENGLISH, formatCaseMessage(said.content)) : said.unreadable;
  const files = 'content' in said ? said.content.files : [];
  return html`<li class="entry ${by}" id="${by}-${seq}">
<p class="who"><b>${by === 'buyer' ? capitalizeName(view.gist.buyer) : 'The desk'}</b>${by === 'buyer' ? null : renderAuthor(view, seq)} ${renderShownTime(at, view.now)}${isNew ? html` <span class="tag">New</span>` : null}</p>
<p class="said">${showText(text)}</p>
${renderPartSaving(view, { kind: messageKinds[by], seq }, said)}
${files.length === 0 ? null : html`<p class="said small">Files: ${files.map((file) => showText(formatFileLabel(file))).join('; ')}</p>`}
${mark === '' ? null : html`<p class="small">${mark}</p>`}
</li>`;
}

/** Shown if the message proves its author. Not printed, because paper may leave the desk. */
function renderAuthor({ opened: { authors }, staff }: CaseView, seq: number): Html | null {
  const holder = authors.get(seq);
  return holder === undefined ? null : html`<span class="author">, ${nameAssignee(holder, staff)}</span>`;
}

function renderGap(entry: MissingMessages, { gist }: CaseView): Html {
  const { missing, by } = entry;
  const isOne = missing.first === missing.last;
  const whose = by === 'buyer' ? `${capitalizeName(gist.buyer)} wrote` : 'The desk wrote';
  return html`<li class="gap"><b>${isOne ? 'A message is missing here.' : 'Messages are missing here.'}</b> ${whose} ${isOne ? 'it' : 'them'}, but the office does not provide ${isOne ? 'it' : 'them'}. ${sayText(ENGLISH, toMissingText(entry))}</li>`;
}

/** Messages that arrived meanwhile, right above the text that was not sent. */
export function renderCame(view: CaseView): Html | null {
  const came = listCame(view.opened, view.refusal);
  if (came.length === 0) return null;
  return html`<div class="changed"><p><b>${capitalizeName(view.gist.buyer)} wrote after you opened this case.</b></p>
<ol class="thread">${came.map((message) => renderMessage(message, view))}</ol></div>`;
}

/** At the desk, links in messages cannot be clicked, so their addresses are shown as text. */
export function writeLinksOut(nodes: readonly MarkdownNode[]): MarkdownNode[] {
  return nodes.flatMap((node) => {
    if (typeof node === 'string') return [node];
    const children = writeLinksOut(node.children);
    if (node.tag !== 'a') return [{ ...node, children }];
    const isBare = children.length === 1 && children[0] === node.href;
    return isBare ? children : [...children, ` (${node.href})`];
  });
}
