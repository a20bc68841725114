/** A contact message beside the list: what somebody wrote, where an answer goes, and the mark that it is handled. */
import type { BrowserVisit } from '#desk-program/loopback/page-route.ts';
import { formatDeskDay, formatLength, formatTimeInBoth } from '#desk-program/model/desk-time.ts';
import { showLine, showText } from '#desk-program/model/shown-text.ts';
import type { OpenedContact, WaitingContact } from '#desk-program/office/contact-reader.ts';
import { type Html, html } from '#view/html.ts';
import { type ContactListView, nameTopic, renderContactList, toContactPath } from './contact-list.ts';
import { renderFormToken } from './page-frame.ts';

type OpenedMessage = WaitingContact & { readonly opened: OpenedContact };

export function renderLetterPage(message: OpenedMessage, list: ContactListView, visit: BrowserVisit): Html {
  const { id, opened, receivedAt } = message;
  const { now } = list;
  return html`<div class="panes">
${renderContactList(list, id)}
<main class="pane case" id="main">
<div class="tabs"><p class="label">Contact message</p></div>
<article class="sheet">
<header class="case-head">
<div class="case-name">
<p class="back"><a href="${toContactPath(null, list)}" aria-keyshortcuts="Escape">Contact</a></p>
<h1>${nameTopic(opened)}</h1>
<p class="clock"><b>Came ${formatLength(now - receivedAt)} ago</b> <span>${formatTimeInBoth(receivedAt, now)}</span></p>
</div>
<div class="acts main-acts">${renderDoneForm(message, list, visit)}</div>
</header>
<div class="case-body">
<div class="case-main">
<h2 class="unseen">Message</h2>
${renderSaid(opened)}
</div>
<aside class="case-side" aria-label="About this message">
${'said' in opened ? renderReplyTo(opened.said.reply_to) : null}
${renderMessageEnd(message, now)}
</aside>
</div>
</article>
</main>
</div>`;
}

/** What did not open is not done by one key press: a colleague may be able to read it. */
function renderDoneForm({ id, opened }: OpenedMessage, list: ContactListView, visit: BrowserVisit): Html {
  const [path, search] = toContactPath(id, list).split('?');
  const action = search === undefined ? `${path}/done` : `${path}/done?${search}`;
  const button =
    'said' in opened
      ? html`<button class="button" aria-keyshortcuts="e" type="submit">Done, next message <kbd aria-hidden="true">e</kbd></button>`
      : html`<button class="button quiet" type="submit">Done without reading</button>`;
  return html`<form method="dialog" action="${action}">${renderFormToken(visit)}${button}</form>`;
}

function renderSaid(opened: OpenedContact): Html {
  if (!('said' in opened)) return html`<p class="gap"><b>Nothing to show.</b> ${opened.unreadable}</p>`;
  return html`<div class="entry buyer"><p class="said">${showText(opened.said.message)}</p></div>
<p class="hint">Anyone may have written it, under any name. An answer must not show whether there is a case.</p>`;
}

/** As text, so that nothing is opened by a slip of the hand. */
function renderReplyTo(replyTo: string): Html {
  const answer =
    replyTo === ''
      ? html`<p>No address was given, so there is no way to answer.</p>`
      : html`<p class="said">${showLine(replyTo)}</p><p class="hint">Write from your own mail program. The desk sends no mail.</p>`;
  return html`<section class="slip" aria-labelledby="reply-to"><h2 id="reply-to">Answer at</h2>${answer}</section>`;
}

function renderMessageEnd({ purgeAt, sealedBy }: WaitingContact, now: number): Html {
  const place = sealedBy === 'server' ? 'by the office, on arrival' : 'by the sender';
  return html`<section class="slip" aria-labelledby="message-end"><h2 id="message-end">Its end</h2><dl class="pairs"><div><dt>Purged</dt><dd>${formatDeskDay(purgeAt, now)}, earlier once it is done</dd></div><div><dt>Sealed</dt><dd>${place}</dd></div></dl></section>`;
}
