/** Answers for contact messages: the list, one that is opened, and the mark that it is handled. */
import type { DeskAnswer, DeskRequest } from '#desk-program/loopback/page-route.ts';
import type { DeskWork } from '#desk-program/model/desk-work.ts';
import { OfficeFault } from '#desk-program/office/office-fault.ts';
import { isId } from '#platform/id-pattern.ts';
import { type ContactListView, renderContactListPage, toContactPath } from './contact-list.ts';
import { renderStrips } from './desk-strips.ts';
import { renderLetterPage } from './opened-letter-page.ts';

type Request = DeskRequest<DeskWork>;

export async function answerContactList(request: Request): Promise<DeskAnswer> {
  const { desk, visit } = request;
  const list = await readContactList(request);
  const main = renderContactListPage(list);
  return { page: { title: toContactTitle(list), nav: 'contact', main, strip: renderStrips(desk, visit) } };
}

export async function answerContact(request: Request): Promise<DeskAnswer> {
  const { desk, visit } = request;
  const id = readMessageId(request);
  const read = await readContactList(request);
  const found = read.messages.find((each) => each.id === id);
  if (!found) return answerGone(desk, read);
  const message = { ...found, opened: await desk.office.openContact(id) };
  const list = { ...read, messages: read.messages.map((each) => (each === found ? message : each)) };
  const main = renderLetterPage(message, list, visit);
  const strip = renderStrips(desk, visit);
  return { page: { title: toContactTitle(list), nav: 'contact', kind: 'in-case', main, strip } };
}

function answerGone(desk: DeskWork, list: ContactListView): DeskAnswer {
  desk.say({ strong: 'This message does not wait any more.', text: 'It was handled or purged meanwhile.' });
  return { redirect: toContactPath(null, list) };
}

/** The one that follows in the list opens next; after the last, the first. */
export async function answerContactDone(request: Request): Promise<DeskAnswer> {
  const { desk } = request;
  const id = readMessageId(request);
  const list = await readContactList(request);
  const place = list.messages.findIndex((each) => each.id === id);
  const others = [...list.messages.slice(place + 1), ...list.messages.slice(0, Math.max(place, 0))];
  try {
    await desk.office.resolveContact(id);
    desk.say({ strong: 'Done.', text: 'The message is purged by the office before long.' });
  } catch (error) {
    if (!(error instanceof OfficeFault) || error.code !== 'refused') throw error;
    desk.say({ strong: 'Nothing was changed.', text: error.message });
  }
  return { redirect: toContactPath(others[0]?.id ?? null, list) };
}

async function readContactList({ desk, query }: Pick<Request, 'desk' | 'query'>): Promise<ContactListView> {
  const after = query.get('after')?.slice(0, 200) || null;
  const { messages, next } = await desk.watch.ask(
    async () => await desk.office.readContact(after ?? undefined),
    () => undefined,
  );
  await desk.countWaiting();
  return { messages, next, after, now: desk.watch.readClock() };
}

function readMessageId({ params }: Pick<Request, 'params'>): string {
  const { id = '' } = params;
  if (isId(id)) return id;
  throw new OfficeFault('refused', 'There is no such message.');
}

/** A count, never a topic: browsers keep titles. */
function toContactTitle({ messages, next }: ContactListView): string {
  return `Desk: contact, ${messages.length}${next === null ? '' : ' or more'} waiting`;
}
