/** The messages of a case in the order in which they were written, a page at a time. */
import type { StoredObject } from '#store/objects.ts';
import { messageKinds } from './decrypted-case.ts';
import type { Actor } from './states.ts';

/** How many messages of each side have been read: unlike a time, it cannot pass over one that was slow to be kept. */
export type Read = Readonly<Record<Actor, number>>;

export interface Written {
  readonly by: Actor;
  readonly object: StoredObject;
}

interface Page {
  readonly messages: readonly Written[];
  readonly read: Read;
  readonly more: boolean;
}

export function countMessages(objects: readonly StoredObject[]): Read {
  const count = (by: Actor) => objects.filter(({ kind }) => kind === messageKinds[by]).length;
  return { buyer: count('buyer'), desk: count('desk') };
}

export function nextMessages(objects: readonly StoredObject[], read: Read, limit: number): Page {
  const buyer = unread(objects, 'buyer', read.buyer);
  const desk = unread(objects, 'desk', read.desk);
  const messages: Written[] = [];
  // Each side in its own order, whatever the clock did; between the sides, the older first.
  while (messages.length < limit) {
    const next = older(buyer[0], desk[0]);
    if (!next) break;
    (next.by === 'buyer' ? buyer : desk).shift();
    messages.push(next);
  }
  const taken = (by: Actor) => messages.filter((message) => message.by === by).length;
  return {
    messages,
    read: { buyer: read.buyer + taken('buyer'), desk: read.desk + taken('desk') },
    more: buyer.length + desk.length > 0,
  };
}

function unread(objects: readonly StoredObject[], by: Actor, from: number): Written[] {
  return objects
    .filter(({ kind, seq }) => kind === messageKinds[by] && seq >= from)
    .toSorted((one, other) => one.seq - other.seq)
    .map((object) => ({ by, object }));
}

function older(buyer: Written | undefined, desk: Written | undefined): Written | undefined {
  if (!buyer || !desk) return buyer ?? desk;
  return desk.object.keptAt < buyer.object.keptAt ? desk : buyer;
}
