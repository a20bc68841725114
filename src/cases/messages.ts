/** Messages of both sides: sealed by whoever writes, kept in order, each at its own place. */
import { ServiceError } from '#platform/errors.ts';
import { generateId } from '#platform/ids.ts';
import { countRecipients } from '#seal/age.ts';
import { ENVELOPE_SIZES } from '#seal/envelope.ts';
import { type CaseActor, messageKinds } from '#seal/message.ts';
import type { Services } from '#services.ts';
import type { Case } from '#store/cases.ts';
import { claimIdempotencyKey, type IdempotentRequest } from '#store/idempotent-request.ts';
import { findObjectPiece, insertObject, listCaseObjects } from '#store/objects.ts';
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
  readonly repeat?: IdempotentRequest;
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
        detail: `A case takes at most ${MOST_MESSAGES} messages of each side.`,
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

/** Whether these very bytes are kept already. */
export async function matchesStoredObject(
  records: Records,
  objectId: string,
  sealed: Uint8Array,
): Promise<boolean> {
  for (let piece = 0, at = 0; at < sealed.length; piece += 1) {
    const bytes = await findObjectPiece(records, objectId, piece);
    if (!bytes || Buffer.compare(bytes, sealed.subarray(at, at + bytes.length)) !== 0) return false;
    at += bytes.length;
  }
  return true;
}
