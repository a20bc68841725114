/** Messages of the buyer and the desk: sealed by their author, numbered for each side, listed in order. */
import { DAY_MS } from '#platform/durations.ts';
import { ServiceError } from '#platform/errors.ts';
import { countFitting } from '#platform/page-cursor.ts';
import { generateId } from '#platform/text/ids.ts';
import { type CaseActor, MAX_MESSAGES, messageKinds } from '#seal/case/message.ts';
import { countRecipients } from '#seal/core/age.ts';
import { ENVELOPE_SIZES } from '#seal/core/envelope.ts';
import type { Services } from '#services.ts';
import type { Case, CaseViewer, ChangedCase } from '#store/cases/cases.ts';
import {
  addToCase,
  MAX_STORED_PIECE_BYTES,
  matchesStoredObject,
  type StoredObject,
} from '#store/cases/objects.ts';
import { insertBuyerMessage } from '#store/cases/postgres-buyer-message.ts';
import { insertRefund } from '#store/cases/refunds.ts';
import { isPostgres } from '#store/engine/prepared.ts';
import { buildClaim, claimIdempotencyKey, type IdempotentRequest } from '#store/idempotent-request.ts';
import type { Records } from '#store/schema/tables.ts';
import type { DeskAct } from '#wire/desk-cases.ts';
import { requireClaim } from '../desk/assignment.ts';
import { recordOthersCase } from '../desk/desk-digest.ts';
import { computeRefundPurgeTime, type KeepDays, REASON_DAYS } from '../ending/retention.ts';
import {
  applyCallAction,
  applyCaseAction,
  type CallAction,
  type CaseAction,
  computeReleaseTime,
  createStateRefusal,
  requireAnswer,
  requireListedCase,
  updateKeepDays,
  updateNextTimes,
} from '../states.ts';
import { isDeclineOnHold, keepReleased, toBuyerView } from './buyer-view.ts';
import { bindMessageFiles, type MessageFiles } from './message-files.ts';

export interface SealedMessage {
  readonly by: CaseActor;
  /** Its number among the messages of this side; another message with the same number is refused. */
  readonly seq: number;
  readonly sealed: Uint8Array;
  /** Only from the buyer. */
  readonly files?: MessageFiles;
  /** The transition that the message causes. */
  readonly act?: Extract<CaseAction, 'ask' | 'decline'>;
  readonly callAct?: Exclude<CallAction, 'hold'>;
  /** How long the desk can take a decline back; 0 by default. */
  readonly undoMs?: number;
  /** With a decline: the payment to refund, sealed to the people of the desk and the recovery key. */
  readonly refund?: Uint8Array;
  /** The investigator who writes it; if there is none, the assignee is not checked. */
  readonly investigator?: string | null;
  /** Only from the desk: the salt for the author that is sealed in the message. */
  readonly salt?: string;
  /** Only from the desk; the message then gives the reason. */
  readonly retain?: KeepDays;
  /** The same key with a different message is refused. */
  readonly repeat?: IdempotentRequest | null;
}

/** A retry after a lost response adds no second message. */
export async function addCaseMessage(
  services: Pick<Services, 'clock' | 'store'>,
  caseId: string,
  message: SealedMessage,
  viewer: CaseViewer | null = null,
): Promise<Case> {
  const { clock, store } = services;
  const { by, seq, sealed, repeat, investigator = null, salt, undoMs = 0 } = message;
  const stored = await addAtOnce(services, caseId, message, viewer);
  if (stored) return stored;
  return await store.transaction(async (records) => {
    const now = clock.now();
    const { record: known, objects } = await requireListedCase({ ...store, records }, caseId, viewer, now);
    requireSealedMessage(sealed);
    // The key was claimed together with its message, whatever the number of that message.
    if (repeat && (await claimIdempotencyKey(records, repeat, caseId, now)) !== null) return known;
    const same = objects.find((object) => object.kind === messageKinds[by] && object.seq === seq);
    if (same) {
      if (await matchesStoredObject(records, same.id, sealed)) return known;
      throw new ServiceError('case_changed');
    }
    const claim = await requireClaim(records, known, investigator);
    const isBeforeDecline = isDeclineOnHold(known, now);
    // The message would be shown before the reason for the decline, which would look like a missing message.
    if (by === 'desk' && isBeforeDecline)
      throw createStateRefusal(
        'The decline can still be taken back. Take it back, or wait until the buyer reads it.',
      );
    if (seq >= MAX_MESSAGES)
      throw createStateRefusal(`A case can have at most ${MAX_MESSAGES} messages from each side.`);
    if (seq !== countMessages(objects)[by]) throw new ServiceError('case_changed');
    const releasedAt = message.act === 'decline' ? computeReleaseTime(known, now, undoMs) : now;
    const subject = { kind: 'case', id: caseId } as const;
    const author = investigator !== null && salt !== undefined ? { holder: investigator, salt } : undefined;
    const object = { id: generateId(), kind: messageKinds[by], seq, bytes: sealed, now: releasedAt, author };
    const changes = {
      ...claim,
      // The decline is stored with a later time than this message, but does not answer it.
      ...(isBeforeDecline && { awaiting_reply_since: now }),
      ...keepReleased(known, now),
      ...(message.act === 'decline' && requireAnswer(known, 'decline', { releasedAt, now })),
    };
    const audited = by === 'desk' ? listAuditedActs(message) : [];
    const acts = audited.map((act) => ({ by: investigator, act, subject }));
    const added = await addToCase(records, object, { record: known, changes, acts, now });
    if (!added) throw new ServiceError('case_changed');
    const { record } = added;
    if (message.files) await bindMessageFiles(records, message.files, { caseId, seq, now }, objects);
    const applied = await applyMessageActions(records, added, message, now);
    if (message.act === 'decline') {
      await recordOthersCase(records, record, { by: investigator, act: 'decline', at: releasedAt });
      const refund = { id: generateId(), case_id: caseId, purge_at: computeRefundPurgeTime(now) };
      if (message.refund) await insertRefund(records, { ...refund, sealed: message.refund });
    }
    return applied;
  });
}

function requireSealedMessage(sealed: Uint8Array): void {
  if (!ENVELOPE_SIZES.includes(sealed.length) || countRecipients(sealed) !== 1)
    throw new ServiceError('not_sealed');
}

/** On PostgreSQL, stores a typical buyer message in one statement. Null for any other, or if the case has changed. */
async function addAtOnce(
  { clock, store }: Pick<Services, 'clock' | 'store'>,
  caseId: string,
  { by, seq, sealed, files, callAct, repeat }: SealedMessage,
  viewer: CaseViewer | null,
): Promise<Case | null> {
  const isPlain = by === 'buyer' && !files && !callAct && sealed.length <= MAX_STORED_PIECE_BYTES;
  if (!isPostgres(store.records) || !isPlain) return null;
  const now = clock.now();
  const { record, objects } = await requireListedCase(store, caseId, viewer, now);
  requireSealedMessage(sealed);
  const isNext = seq < MAX_MESSAGES && seq === countMessages(objects).buyer;
  // Nothing in the case has a time in the future, or could have one if the clock went back.
  const isNow = record.state_on_hold === null && objects.every(({ keptAt }) => keptAt <= now);
  if (!isNext || !isNow || record.state === 'awaiting_client') return null;
  const object = { id: generateId(), caseId, kind: messageKinds.buyer, seq, bytes: sealed, now };
  const claim = repeat ? buildClaim(repeat, caseId, now) : null;
  return await store.transaction(
    (records) => insertBuyerMessage(records, record, object, claim),
    'one statement',
  );
}

function listAuditedActs({ act, callAct, retain }: SealedMessage): DeskAct[] {
  if (retain) return ['retain'];
  if (callAct === 'book') return ['book_call'];
  return [act ?? 'message', ...(callAct === 'offer' ? (['offer_call'] as const) : [])];
}

async function applyMessageActions(
  records: Records,
  added: ChangedCase,
  message: SealedMessage,
  now: number,
): Promise<Case> {
  const { record } = added;
  const { by, act, callAct } = message;
  const answers = by === 'buyer' && toBuyerView(record, now).state === 'awaiting_client';
  const action = answers ? 'answer' : act === 'ask' && act;
  const changed = action ? await applyCaseAction(records, record, action, { by, now }) : record;
  const applied = callAct ? await applyCallAction(records, changed, callAct, { by, now }) : changed;
  if (by === 'desk' && message.retain) return await applyRetention(records, applied, message.retain, now);
  return by === 'desk' ? await updateNextTimes(records, { ...added, record: applied }) : applied;
}

/** How many messages of each side were read. Unlike a time, a count cannot skip a message that was stored late. */
export type ReadCounts = Readonly<Record<CaseActor, number>>;

interface StoredMessage {
  readonly by: CaseActor;
  readonly object: StoredObject;
}

/** Counts missing messages too: the number of a lost one is not reused. */
export function countMessages(objects: readonly StoredObject[]): ReadCounts {
  const countBy = (by: CaseActor) => countUpTo(listUnreadBy(objects, by, 0), by);
  return { buyer: countBy('buyer'), desk: countBy('desk') };
}

export function listUnreadMessages(
  objects: readonly StoredObject[],
  read: ReadCounts,
  { limit, maxBytes }: { readonly limit: number; readonly maxBytes: number },
) {
  const buyer = listUnreadBy(objects, 'buyer', read.buyer);
  const desk = listUnreadBy(objects, 'desk', read.desk);
  const unread = buyer.length + desk.length;
  const next: StoredMessage[] = [];
  // Each side keeps its own order even if the clock jumped; between the sides, the older message comes first.
  while (next.length < limit) {
    const older = pickOlder(buyer[0], desk[0]);
    if (!older) break;
    (older.by === 'buyer' ? buyer : desk).shift();
    next.push(older);
  }
  const sizes = next.map(({ object }) => object.size);
  const messages = next.slice(0, countFitting(sizes, maxBytes));
  const countRead = (by: CaseActor) => Math.max(read[by], countUpTo(messages, by));
  return {
    messages,
    read: { buyer: countRead('buyer'), desk: countRead('desk') },
    more: messages.length < unread,
  };
}

function countUpTo(messages: readonly StoredMessage[], by: CaseActor): number {
  return (messages.findLast((message) => message.by === by)?.object.seq ?? -1) + 1;
}

function listUnreadBy(objects: readonly StoredObject[], by: CaseActor, from: number): StoredMessage[] {
  return objects
    .filter(({ kind, seq }) => kind === messageKinds[by] && seq >= from)
    .toSorted((a, b) => a.seq - b.seq)
    .map((object) => ({ by, object }));
}

function pickOlder(
  buyer: StoredMessage | undefined,
  desk: StoredMessage | undefined,
): StoredMessage | undefined {
  if (!buyer || !desk) return buyer ?? desk;
  return desk.object.keptAt < buyer.object.keptAt ? desk : buyer;
}

/** A shorter time must leave the buyer some days to read the reason and to choose again. */
async function applyRetention(records: Records, record: Case, days: KeepDays, now: number): Promise<Case> {
  const changed = await updateKeepDays(records, record, days, now, 'desk');
  if (days < record.keep_days && (changed.purge_at ?? Infinity) < now + REASON_DAYS * DAY_MS)
    throw createStateRefusal(
      `That would leave the buyer less than ${REASON_DAYS} days to read the reason and to choose again.`,
    );
  return changed;
}
