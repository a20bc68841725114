/** Cases awaiting a reply from the desk: noted in each case, so that an index can count them. */
import { sql, type UpdateObject } from 'kysely';
import type { SealedKind } from '#seal/core/header.ts';
import type { CaseState } from '#wire/case-states.ts';
import { countMatching, findLowest } from '../engine/selected-rows.ts';
import type { Records, Tables } from '../schema/tables.ts';

const QUESTION = 'buyer-message.v1' satisfies SealedKind;
const ANSWERS = ['desk-message.v1', 'finding.v1'] as const satisfies readonly SealedKind[];

/** The time of the first of the buyer's messages that are not older than the desk's last answer. */
const awaitingReplySince = `(select min(message.kept_at) from objects message
  where message.case_id = cases.id and message.kind = '${QUESTION}'
    and message.kept_at >= coalesce((select max(answer.kept_at) from objects answer
      where answer.case_id = cases.id and answer.kind in ('${ANSWERS.join("', '")}')), 0))`;

/** The change to the case when objects of these kinds are added or deleted, for the same transaction; null if none. */
export function computeAwaitingReply(kinds: readonly SealedKind[]): UpdateObject<Tables, 'cases'> | null {
  const concerned: readonly SealedKind[] = [QUESTION, ...ANSWERS];
  const isConcerned = kinds.some((kind) => concerned.includes(kind));
  return isConcerned ? { awaiting_reply_since: sql<number | null>`${sql.raw(awaitingReplySince)}` } : null;
}

function matchAwaiting(states: readonly CaseState[]) {
  return { state: ['in', states], awaiting_reply_since: ['is not', null] } as const;
}

/** Counts the cases in which the buyer wrote last. */
export async function countCasesAwaitingReply(
  records: Records,
  states: readonly CaseState[],
): Promise<number> {
  return await countMatching(records, 'cases', matchAwaiting(states));
}

/** The time of the oldest unanswered message; null if there is none. */
export async function findOldestAwaitingReply(
  records: Records,
  states: readonly CaseState[],
): Promise<number | null> {
  return await findLowest(records, 'cases', 'awaiting_reply_since', matchAwaiting(states));
}
