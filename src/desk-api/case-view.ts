/** A case as an investigator's desk sees it: what the service knows about it, and what this investigator may do. */
import { describeQueuedCases, type QueuedCase } from '#cases/desk/desk-queue.ts';
import { isAnswerOnHold } from '#cases/messages/buyer-view.ts';
import { isLateCase } from '#cases/states.ts';
import { ID_PATTERN } from '#platform/text/id-pattern.ts';
import { toIsoTime, toIsoTimeOrNull } from '#platform/text/iso-time.ts';
import type { Case } from '#store/cases/cases.ts';
import type { DeskActResult, DeskCase } from '#wire/desk-cases.ts';
import type { DeskServices } from './desk-services.ts';
import { type Investigator, toDeskViewer } from './guard.ts';

export function toDeskCase({ record, messages, acts }: QueuedCase, now: number): DeskCase {
  const { id, lookup_hash, tier, state, call, sealed_by, keep_days, finding_seq, assignee, purge_by } =
    record;
  return {
    id,
    lookup_hash,
    tier,
    state,
    call,
    sealed_by,
    keep_days,
    submitted_at: toIsoTime(record.submitted_at),
    due_at: toIsoTime(record.due_at),
    late: isLateCase(record, now),
    delivered_at: toIsoTimeOrNull(record.delivered_at),
    finding_seq,
    held_until: isAnswerOnHold(record, now) ? toIsoTimeOrNull(record.released_at) : null,
    purge_at: toIsoTimeOrNull(record.purge_at),
    purge_by,
    holder: assignee,
    handed_by: record.handed_by,
    taken_from: record.taken_from,
    unanswered_since: toIsoTimeOrNull(record.awaiting_reply_since),
    messages,
    changed_at: toIsoTime(record.changed_at),
    acts: [...acts],
  };
}

/** Returns null for a case that has been purged. */
export async function describeActResult(
  { clock, store }: Pick<DeskServices, 'clock' | 'store'>,
  record: Case | null,
  investigator: Pick<Investigator, 'holder' | 'role' | 'hasLeft'>,
): Promise<DeskActResult> {
  const now = clock.now();
  const cases = record ? [record] : [];
  const [queued] = await describeQueuedCases(store.records, cases, toDeskViewer(investigator), now);
  return { case: queued ? toDeskCase(queued, now) : null, now: toIsoTime(now) };
}

export const DESK_CASE_PATH = `/cases/:case(^${ID_PATTERN}$)`;
export const OBJECT_PIECE_PATH = `${DESK_CASE_PATH}/objects/:kind(^[a-z][a-z0-9.-]{0,39}$)/:seq(^[0-9]{1,6}$)/pieces/:piece(^[0-9]{1,4}$)`;
export const UPLOAD_PIECE_PATH = `${DESK_CASE_PATH}/uploads/:upload(^${ID_PATTERN}$)/:piece(^[0-9]{1,4}$)`;

export interface DeskCaseParams {
  readonly case: string;
}
