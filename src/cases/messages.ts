/** Messages of both sides: sealed by whoever writes, kept each at its own place, listed in the order of writing. */
import { ServiceError } from '#platform/errors.ts';
import { generateId } from '#platform/ids.ts';
import { countRecipients } from '#seal/age.ts';
import { ENVELOPE_SIZES } from '#seal/envelope.ts';
import { type CaseActor, messageKinds } from '#seal/message.ts';
import type { Services } from '#services.ts';
import type { Case } from '#store/cases.ts';
import { claimIdempotencyKey, type IdempotentRequest } from '#store/idempotent-request.ts';
import { insertObject, listCaseObjects, matchesStoredObject, type StoredObject } from '#store/objects.ts';
import type { Records } from '#store/tables.ts';
import {
  applyCallAction,
  applyCaseAction,
  type CallAction,
  type CaseAction,
  requireCase,
  requireCaseState,
  WRITABLE_STATES,
} from './states.ts';

/** A conversation, not a channel. */
const MOST_MESSAGES = 200;

export interface SealedMessage {
  readonly by: CaseActor;
  /** Its place among the messages of this side: a second one for the same place is the same or is refused. */
  readonly seq: number;
  readonly sealed: Uint8Array;
  /** What the message does besides being read. */
  readonly act?: Extract<CaseAction, 'ask' | 'decline'>;
  readonly callAct?: Exclude<CallAction, 'hold'>;
  /** The same key with another message is refused. */
  readonly repeat?: IdempotentRequest | null;
}

/** Sent again after a lost answer, a message is there once. */
export async function addCaseMessage(
  { clock, store }: Pick<Services, 'clock' | 'store'>,
  caseId: string,
  message: SealedMessage,
): Promise<Case> {
  const { by, seq, sealed, repeat } = message;
  if (!ENVELOPE_SIZES.includes(sealed.length) || countRecipients(sealed) !== 1)
    throw new ServiceError('not_sealed');
  return await store.transaction(async (records) => {
    const found = await requireCase(records, caseId);
    if (repeat) await claimIdempotencyKey(records, repeat, caseId, clock.now());
    const before = (await listCaseObjects(records, caseId)).filter(({ kind }) => kind === messageKinds[by]);
    const same = before.find((object) => object.seq === seq);
    if (same) {
      if (await matchesStoredObject(records, same.id, sealed)) return found;
      throw new ServiceError('case_changed');
    }
    requireCaseState(found, WRITABLE_STATES);
    if (seq >= MOST_MESSAGES)
      throw new ServiceError('case_state', {
        detail: `A case can have at most ${MOST_MESSAGES} messages from each side.`,
      });
    if (seq !== before.length) throw new ServiceError('case_changed');
    const now = clock.now();
    const place = { caseId, kind: messageKinds[by], seq };
    await insertObject(records, { id: generateId(), ...place, bytes: sealed, now });
    return await applyMessageActions(records, found, message, now);
  });
}

async function applyMessageActions(
  records: Records,
  found: Case,
  message: SealedMessage,
  now: number,
): Promise<Case> {
  const { by, act, callAct } = message;
  const answers = by === 'buyer' && found.state === 'awaiting_client';
  const does = answers ? 'answer' : act;
  const moved = does ? await applyCaseAction(records, found, does, by, now) : found;
  return callAct ? await applyCallAction(records, moved, callAct, by) : moved;
}

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
