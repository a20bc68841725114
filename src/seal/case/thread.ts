/** The chain of messages: checks what each writer had read, finds gaps, and puts the messages in order. */
import { sha256 } from '@noble/hashes/sha2.js';
import { base64urlnopad } from '@scure/base';
import { joinBytes } from '../core/bytes.ts';
import { type CaseActor, MAX_MESSAGES } from './message.ts';

/** Which messages the writer of a message had seen; its own number is the count of the writer's earlier messages. */
export interface ThreadClaim {
  /** The number of messages of the other side. */
  readonly seen: number;
  /** SHA-256 over the SHA-256s of all those messages, own side first, each side by `seq`; base64url. */
  readonly thread: string;
}

export interface ThreadPart {
  readonly by: CaseActor;
  readonly seq: number;
  /** SHA-256 of the sealed message. */
  readonly hash: Uint8Array;
  readonly claim: ThreadClaim | 'unlinked' | 'unreadable';
}

/**
 * - `linked`: its writer had seen exactly the messages that precede it here.
 * - `crossed`: the same, but the other side had meanwhile sent a message that its writer had not read.
 * - `unlinked`: it says nothing about the messages before it.
 * - `after_gap`: cannot be checked, because a message that its writer had seen is missing.
 * - `altered`: the messages that its writer had seen differ from those here.
 */
export type MessageLink = 'linked' | 'crossed' | 'unlinked' | 'unreadable' | 'after_gap' | 'altered';

/** Numbers of one side's missing messages, which a later message proves to have been sent. */
export interface MissingMessages {
  readonly by: CaseActor;
  readonly missing: { readonly first: number; readonly last: number };
}

export type ThreadEntry<Part> = (Part & { readonly link: MessageLink }) | MissingMessages;

type Place = Pick<ThreadPart, 'by' | 'seq'>;

/** The next number of a side; missing numbers count too. */
export function computeNextSeq(places: readonly Place[], by: CaseActor): number {
  return Math.max(0, ...places.map((place) => (place.by === by ? place.seq + 1 : 0)));
}

/** `seen` is the number of the other side's messages that the writer has read; the default is all of them. */
export function createThreadClaim(
  parts: readonly ThreadPart[],
  { by, seq }: Place,
  seen = computeNextSeq(parts, getOtherSide(by)),
): ThreadClaim {
  return { seen, thread: computeThreadHash(listPartsBefore(parts, { by, seq }, seen)) };
}

/** `parts` is in the order in which the service stored them; what the messages themselves say overrides it. */
export function buildThread<Part extends ThreadPart>(parts: readonly Part[]): ThreadEntry<Part>[] {
  const buyer = listSide(parts, 'buyer');
  const desk = listSide(parts, 'desk');
  const last = { buyer: -1, desk: -1 };
  const entries: ThreadEntry<Part>[] = [];
  for (;;) {
    const next = pickNext(buyer[0], desk[0]);
    if (!next) return entries;
    (next === buyer[0] ? buyer : desk).shift();
    const { by, seq, part } = next;
    last[by] = seq;
    const previous = entries.at(-1);
    if (part) entries.push({ ...part, link: checkLink(parts, part, last[getOtherSide(by)]) });
    else if (previous && 'missing' in previous && previous.by === by)
      entries.splice(-1, 1, { by, missing: { ...previous.missing, last: seq } });
    else entries.push({ by, missing: { first: seq, last: seq } });
  }
}

interface ThreadSlot<Part> extends Place {
  /** Null if it is missing. */
  readonly part: Part | null;
  readonly seen: number;
  /** Its position in the order of storage, from 0; a missing message precedes the next one of its side. */
  readonly rank: number;
}

function listSide<Part extends ThreadPart>(parts: readonly Part[], by: CaseActor): ThreadSlot<Part>[] {
  const present = parts.flatMap((part, rank) =>
    part.by === by ? [{ by, seq: part.seq, part, seen: countSeen(part), rank }] : [],
  );
  const seenByOther = parts.map((part) => (part.by === by ? 0 : countSeen(part)));
  // A number beyond the limit comes from a broken service; counting up to it could take forever.
  const length = Math.min(MAX_MESSAGES, Math.max(computeNextSeq(parts, by), ...seenByOther));
  const missing = Array.from({ length }, (_, seq) => seq)
    .filter((seq) => present.every((slot) => slot.seq !== seq))
    .map((seq) => {
      const later = present.filter((slot) => slot.seq > seq).map(({ rank }) => rank - 0.5);
      return { by, seq, part: null, seen: 0, rank: Math.min(...later) };
    });
  return [...present, ...missing].toSorted((a, b) => a.seq - b.seq);
}

/** A message comes after one that its writer had read; if neither had, or this is unknown, the older is first. */
function pickNext<Slot extends ThreadSlot<unknown>>(
  buyer: Slot | undefined,
  desk: Slot | undefined,
): Slot | undefined {
  if (!buyer || !desk) return buyer ?? desk;
  const buyerHadRead = desk.seq < buyer.seen;
  const deskHadRead = buyer.seq < desk.seen;
  if (buyerHadRead !== deskHadRead) return buyerHadRead ? desk : buyer;
  return desk.rank < buyer.rank ? desk : buyer;
}

/** `lastOfOther` is the number of the other side's last message before this one. */
function checkLink(parts: readonly ThreadPart[], part: ThreadPart, lastOfOther: number): MessageLink {
  const { by, seq, claim } = part;
  if (parts.some((other) => other !== part && other.by === by && other.seq === seq)) return 'altered';
  if (typeof claim === 'string') return claim;
  const before = listPartsBefore(parts, part, claim.seen);
  // If the writer already saw the gap, the hash covers only the remaining messages, so it still matches.
  if (computeThreadHash(before) === claim.thread) return lastOfOther < claim.seen ? 'linked' : 'crossed';
  return before.length < seq + claim.seen ? 'after_gap' : 'altered';
}

function listPartsBefore(parts: readonly ThreadPart[], { by, seq }: Place, seen: number): ThreadPart[] {
  const listBelow = (side: CaseActor, end: number) =>
    parts.filter((part) => part.by === side && part.seq < end).toSorted((a, b) => a.seq - b.seq);
  return [...listBelow(by, seq), ...listBelow(getOtherSide(by), seen)];
}

function computeThreadHash(parts: readonly ThreadPart[]): string {
  return base64urlnopad.encode(sha256(joinBytes(...parts.map(({ hash }) => hash))));
}

function countSeen({ claim }: ThreadPart): number {
  return typeof claim === 'string' ? 0 : claim.seen;
}

function getOtherSide(by: CaseActor): CaseActor {
  return by === 'buyer' ? 'desk' : 'buyer';
}
