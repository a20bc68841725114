/** The messages of a case in the order in which they were written, a page at a time. */
import { type CaseActor, messageKinds } from '#seal/message.ts';
import type { StoredObject } from '#store/objects.ts';

/** How many messages of each side have been read: unlike a time, it cannot pass over one that was slow to be kept. */
export type ReadCounts = Readonly<Record<CaseActor, number>>;

export interface StoredMessage {
  readonly by: CaseActor;
  readonly object: StoredObject;
}

interface Page {
  readonly messages: readonly StoredMessage[];
  readonly read: ReadCounts;
  readonly more: boolean;
}

export function countMessages(objects: readonly StoredObject[]): ReadCounts {
  const countBy = (by: CaseActor) => objects.filter(({ kind }) => kind === messageKinds[by]).length;
  return { buyer: countBy('buyer'), desk: countBy('desk') };
}

export function listUnreadMessages(objects: readonly StoredObject[], read: ReadCounts, limit: number): Page {
  const buyer = listUnreadBy(objects, 'buyer', read.buyer);
  const desk = listUnreadBy(objects, 'desk', read.desk);
  const messages: StoredMessage[] = [];
  // Each side in its own order, whatever the clock did; between the sides, the older first.
  while (messages.length < limit) {
    const next = pickOlder(buyer[0], desk[0]);
    if (!next) break;
    (next.by === 'buyer' ? buyer : desk).shift();
    messages.push(next);
  }
  const countTaken = (by: CaseActor) => messages.filter((message) => message.by === by).length;
  return {
    messages,
    read: { buyer: read.buyer + countTaken('buyer'), desk: read.desk + countTaken('desk') },
    more: buyer.length + desk.length > 0,
  };
}

function listUnreadBy(objects: readonly StoredObject[], by: CaseActor, from: number): StoredMessage[] {
  return objects
    .filter(({ kind, seq }) => kind === messageKinds[by] && seq >= from)
    .toSorted((one, other) => one.seq - other.seq)
    .map((object) => ({ by, object }));
}

function pickOlder(
  buyer: StoredMessage | undefined,
  desk: StoredMessage | undefined,
): StoredMessage | undefined {
  if (!buyer || !desk) return buyer ?? desk;
  return desk.object.keptAt < buyer.object.keptAt ? desk : buyer;
}
