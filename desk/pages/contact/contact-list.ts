/** The list of contact messages: on a page with the message to open first, or beside an opened one. */
import { formatDeskTime } from '#desk/model/desk-time.ts';
import { showLine } from '#desk/model/shown-text.ts';
import type { OfficeContact, OpenedContact, WaitingContact } from '#desk/office/contact-reader.ts';
import { ENGLISH } from '#language/languages.ts';
import { type Html, html } from '#view/html.ts';
import { renderAgo } from '../shown-time.ts';

export interface ContactListView extends Pick<OfficeContact, 'next'> {
  readonly messages: readonly ListedContact[];
  /** The cursor of this page of the list; null for the first. */
  readonly after: string | null;
  readonly now: number;
}

export interface ListedContact extends WaitingContact {
  readonly opened: OpenedContact;
  /** Whether its page has been opened since the desk was unlocked. */
  readonly isRead: boolean;
}

export function nameTopic(opened: OpenedContact): string {
  return 'said' in opened
    ? ENGLISH.say(`contact.topic.${opened.said.topic}`)
    : 'A message that cannot be opened';
}

/** Stays on the same page of the list. */
export function toContactPath(id: string | null, { after }: Pick<ContactListView, 'after'>): string {
  const path = id === null ? '/contact' : `/contact/${id}`;
  return after === null ? path : `${path}?${new URLSearchParams({ after })}`;
}

export function renderContactListPage(list: ContactListView): Html {
  const [oldest] = list.messages;
  return html`<main class="panes" id="main">
${renderContactList(list, null)}
<div class="pane start">
${oldest ? renderOldest(oldest, list) : NOTHING_WAITING}
</div>
</main>`;
}

function renderOldest(oldest: ListedContact, list: ContactListView): Html {
  return html`<section class="first" aria-labelledby="first-name">
<p class="label">Waiting longest</p>
<div class="sheet">
<div class="first-head">
<div>
<h2 class="title" id="first-name">${nameTopic(oldest.opened)}</h2>
<p class="clock"><b>Received ${renderAgo(oldest.receivedAt, list.now)}</b></p>
</div>
<div class="acts main-acts"><a class="button" href="${toContactPath(oldest.id, list)}" aria-keyshortcuts="n">Open it <kbd aria-hidden="true">n</kbd></a></div>
</div>
<p class="small">Anyone can write to the office, under any name. Nothing links a message to a case.</p>
</div>
</section>`;
}

const NOTHING_WAITING = html`<section class="first" aria-labelledby="first-name">
<div class="sheet"><h2 class="title" id="first-name">No message is waiting for an answer</h2><p>Messages from the contact page appear here when they arrive.</p></div>
</section>`;

export function renderContactList(list: ContactListView, current: string | null): Html {
  const title = current === null ? html`<h1>Contact</h1>` : html`<h2>Contact</h2>`;
  return html`<section class="list" aria-label="Contact messages">
<div class="list-head"><div class="list-top">${title}</div></div>
${list.messages.length === 0 ? null : html`<ol class="rows ago">${list.messages.map((message) => renderMessageRow(message, list, current))}</ol>`}
${renderContactFoot(list)}
</section>`;
}

function renderMessageRow(message: ListedContact, list: ContactListView, current: string | null): Html {
  const { id, opened, isRead, receivedAt } = message;
  const isCurrent = id === current ? 'true' : null;
  return html`<li><a class="row${isRead ? '' : ' new'}" href="${toContactPath(id, list)}" aria-current="${isCurrent}">
<span class="name"><b>${nameTopic(opened)}</b></span>
<span class="due">${renderAgo(receivedAt, list.now)}</span> <time datetime="${new Date(receivedAt).toISOString()}">${formatDeskTime(receivedAt, list.now)}</time>
<span class="gist">${renderMessageGist(opened)}</span>
</a></li>`;
}

function renderMessageGist(opened: OpenedContact): Html {
  return html`<span>${'said' in opened ? showLine(opened.said.message) : opened.unreadable}</span>`;
}

function renderContactFoot({ messages, next, after }: ContactListView): Html {
  const first = after === null ? null : html` <a href="/contact">Back to the oldest</a>`;
  if (next !== null)
    return html`<p class="list-foot"><a href="${toContactPath(null, { after: next })}">Later messages</a>${first}</p>`;
  return html`<p class="list-foot">${messages.length === 0 ? 'No message is waiting.' : 'Oldest first. That is all.'}${first}</p>`;
}
