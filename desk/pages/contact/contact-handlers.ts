/** Handlers for contact messages: the list, an opened message, and marking it as handled. */
import type { BrowserVisit, DeskAnswer, DeskRefusal } from '#desk/loopback/page-route.ts';
import { formatDeskDay, formatDeskTime, formatTimeInBoth } from '#desk/model/desk-time.ts';
import type { DeskWork, WorkRequest } from '#desk/model/desk-work.ts';
import { showLine, showText } from '#desk/model/shown-text.ts';
import type { OfficeContact, OpenedContact, WaitingContact } from '#desk/office/contact-reader.ts';
import { findFault, OfficeFault } from '#desk/office/office-fault.ts';
import { ENGLISH } from '#language/languages.ts';
import { isId } from '#platform/text/id-pattern.ts';
import { type Html, html } from '#view/html.ts';
import { renderFormToken, renderNothingFirst, renderOldest } from '../page-frame.ts';
import { renderAgo } from '../shown-time.ts';

/** With a `refusal`, shows the list after an act that was refused. */
export async function answerContactList(request: WorkRequest, refusal?: DeskRefusal): Promise<DeskAnswer> {
  const list = await readContactList(request);
  const main = renderContactListPage(list);
  return { page: { title: toContactTitle(list), nav: 'contact', main, refusal } };
}

export async function answerContact(request: WorkRequest): Promise<DeskAnswer> {
  const { desk, visit } = request;
  const id = readMessageId(request);
  const read = await readContactList(request);
  const found = read.messages.find((each) => each.id === id);
  if (!found) return answerGone(desk, read);
  desk.readContacts.add(id);
  const messages = read.messages.map((each) => (each === found ? { ...found, isRead: true } : each));
  const list = { ...read, messages };
  const main = renderMessagePage(found, list, visit);
  return { page: { title: toContactTitle(list), nav: 'contact', kind: 'in-case', main } };
}

function answerGone(desk: DeskWork, list: ContactListView): DeskAnswer {
  desk.say({
    strong: 'This message is no longer waiting.',
    text: 'It has been handled or purged in the meantime.',
  });
  return { redirect: toContactPath(null, list) };
}

/** Opens the next message in the list, or the first after the last. */
export async function answerContactDone(request: WorkRequest): Promise<DeskAnswer> {
  const { desk } = request;
  const id = readMessageId(request);
  const list = await readContactList(request);
  const place = list.messages.findIndex((each) => each.id === id);
  const others = [...list.messages.slice(place + 1), ...list.messages.slice(0, Math.max(place, 0))];
  const fault = await findFault(() => desk.office.contact.resolve(id));
  if (fault?.code === 'refused')
    return await answerContactList(request, { fact: 'Nothing was changed', why: fault.message });
  if (fault) throw fault;
  desk.say({ strong: 'Done.', text: 'The office will purge the message soon.' });
  return { redirect: toContactPath(others[0]?.id ?? null, list) };
}

async function readContactList({
  desk,
  query,
}: Pick<WorkRequest, 'desk' | 'query'>): Promise<ContactListView> {
  const after = query.get('after')?.slice(0, 200) || null;
  const { messages, next } = await desk.watch.ask(() => desk.office.contact.read(after ?? undefined));
  await desk.countWaiting();
  // All are opened for the list to show their topics: anyone may have written them, and the log has no entry for it.
  const listed = await Promise.all(
    messages.map(async (message) => ({
      ...message,
      opened: await desk.office.contact.open(message.id),
      isRead: desk.readContacts.has(message.id),
    })),
  );
  return { messages: listed, next, after, now: desk.watch.readClock() };
}

function readMessageId({ params }: Pick<WorkRequest, 'params'>): string {
  const { id = '' } = params;
  if (isId(id)) return id;
  throw new OfficeFault('refused', 'There is no such message.');
}

/** Contains a count, never a topic, because browsers store titles. */
function toContactTitle({ messages, next }: ContactListView): string {
  return `Desk: contact, ${messages.length}${next === null ? '' : ' or more'} waiting`;
}

/** A contact message beside the list: its text, the reply address, and the button that marks it as done. */
function renderMessagePage(message: ListedContact, list: ContactListView, visit: BrowserVisit): Html {
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
<p class="clock"><b>Received ${renderAgo(receivedAt, now)}</b> <span>${formatTimeInBoth(receivedAt, now)}</span></p>
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

/** No shortcut for a message that did not open: a colleague may be able to read it. */
function renderDoneForm({ id, opened }: ListedContact, list: ContactListView, visit: BrowserVisit): Html {
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
<p class="hint">Anyone can write under any name. An answer must not reveal whether there is a case.</p>`;
}

/** Shown as text, so that an accidental click opens nothing. */
function renderReplyTo(replyTo: string): Html {
  const answer =
    replyTo === ''
      ? html`<p>The sender left no address, so you cannot answer.</p>`
      : html`<p class="said">${showLine(replyTo)}</p><p class="hint">Write from your own mail program. The desk sends no mail.</p>`;
  return html`<section class="slip" aria-labelledby="reply-to"><h2 id="reply-to">Reply to</h2>${answer}</section>`;
}

function renderMessageEnd({ purgeAt, sealedBy }: WaitingContact, now: number): Html {
  const place = sealedBy === 'server' ? 'by the office, on arrival' : 'by the sender';
  return html`<section class="slip" aria-labelledby="message-end"><h2 id="message-end">Deletion</h2><dl class="pairs"><div><dt>Purged</dt><dd>${formatDeskDay(purgeAt, now)}, sooner if marked as done</dd></div><div><dt>Sealed</dt><dd>${place}</dd></div></dl></section>`;
}

interface ContactListView extends Pick<OfficeContact, 'next'> {
  readonly messages: readonly ListedContact[];
  /** The cursor of this page of the list; null for the first. */
  readonly after: string | null;
  readonly now: number;
}

interface ListedContact extends WaitingContact {
  readonly opened: OpenedContact;
  /** Whether its page has been opened since the desk was unlocked. */
  readonly isRead: boolean;
}

function nameTopic(opened: OpenedContact): string {
  return 'said' in opened
    ? ENGLISH.say(`contact.topic.${opened.said.topic}`)
    : 'A message that cannot be opened';
}

/** Stays on the same page of the list. */
function toContactPath(id: string | null, { after }: Pick<ContactListView, 'after'>): string {
  const path = id === null ? '/contact' : `/contact/${id}`;
  return after === null ? path : `${path}?${new URLSearchParams({ after })}`;
}

function renderContactListPage(list: ContactListView): Html {
  const [oldest] = list.messages;
  const about = 'Anyone can write to the office, under any name. Nothing links a message to a case.';
  const first = oldest
    ? renderOldest(
        nameTopic(oldest.opened),
        html`Received ${renderAgo(oldest.receivedAt, list.now)}`,
        toContactPath(oldest.id, list),
        about,
      )
    : renderNothingFirst(
        'No message is waiting for an answer',
        'Messages from the contact page appear here when they arrive.',
      );
  return html`<main class="panes" id="main">
${renderContactList(list, null)}
<div class="pane start">
${first}
</div>
</main>`;
}

function renderContactList(list: ContactListView, current: string | null): Html {
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
<span class="gist"><span>${'said' in opened ? showLine(opened.said.message) : opened.unreadable}</span></span>
</a></li>`;
}

function renderContactFoot({ messages, next, after }: ContactListView): Html {
  const first = after === null ? null : html` <a href="/contact">Back to the oldest</a>`;
  if (next !== null)
    return html`<p class="list-foot"><a href="${toContactPath(null, { after: next })}">Later messages</a>${first}</p>`;
  return html`<p class="list-foot">${messages.length === 0 ? 'No message is waiting.' : 'Oldest first. That is all.'}${first}</p>`;
}
