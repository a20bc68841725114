/** Compares what the desk has sealed about a case with what the service reports about it. */

import type { UnsaidText } from '../core/unsaid-text.ts';
import type { CaseContent } from './case-content.ts';
import type { CaseMessage } from './message.ts';

/**
 * - `declined`: reported as declined, but the desk has sealed no refusal; `not_declined`: the reverse.
 * - `asked`: reported as waiting for the buyer, but no question from the desk is unanswered.
 * - `kept`: the reported retention is not the one that the desk set; correct only if the buyer has changed it since.
 * - `taken_back`: the finding shown is one that the desk took back.
 * - `finding_missing`: a message of the desk mentions a valid finding, but none is shown.
 */
export const CASE_DIFFERENCES = [
  'declined',
  'not_declined',
  'asked',
  'kept',
  'taken_back',
  'finding_missing',
] as const;
export type CaseDifferenceCode = (typeof CASE_DIFFERENCES)[number];

export interface CaseDifference {
  readonly code: CaseDifferenceCode;
  readonly said: UnsaidText;
}

/** What the service reports without proof. */
export interface ToldCase {
  readonly state: string;
  readonly keep_days: number;
}

type SealedParts = Pick<CaseContent<unknown>, 'messages' | 'finding' | 'findingSeq'>;

export function listCaseDifferences(content: SealedParts, told: ToldCase): CaseDifference[] {
  return [
    ...listStateDifferences(content, told),
    ...listRetentionDifferences(content, told),
    ...listFindingDifferences(content),
  ];
}

function createDifference(code: CaseDifferenceCode, values = {}): CaseDifference {
  return { code, said: { key: `differs.${code}`, values } };
}

/** An unreadable message may have had any meaning, and the desk may send messages after a refusal. */
function listStateDifferences({ messages }: SealedParts, { state }: ToldCase): CaseDifference[] {
  const isAsked = messages
    .slice(messages.findLastIndex(({ by }) => by === 'buyer') + 1)
    .some(({ said }) => mayMean(said, 'ask'));
  const acts = messages.flatMap(({ by, said }) => (by === 'desk' ? said : []));
  const last = acts.findLast((said) => !('content' in said) || said.content.act !== 'message');
  const declines = acts.some((said) => 'content' in said && said.content.act === 'decline');
  if (declines) return state === 'declined' ? [] : [createDifference('not_declined')];
  if (state === 'declined') return last && mayMean(last, 'decline') ? [] : [createDifference('declined')];
  return state === 'awaiting_client' && !isAsked ? [createDifference('asked')] : [];
}

function mayMean(said: SealedParts['messages'][number]['said'], act: CaseMessage['act']): boolean {
  return !('content' in said) || said.content.act === null || said.content.act === act;
}

function listRetentionDifferences(content: SealedParts, { keep_days: told }: ToldCase): CaseDifference[] {
  const set = listDeskMessages(content).findLast(({ keep_days: days }) => days !== null)?.keep_days;
  return typeof set !== 'number' || set === told ? [] : [createDifference('kept', { set, told })];
}

function listFindingDifferences(content: SealedParts): CaseDifference[] {
  const { finding, findingSeq } = content;
  const takenBack = computeTakenBack(content);
  if (finding !== null) return findingSeq < takenBack ? [createDifference('taken_back')] : [];
  const isPromised = listDeskMessages(content).some(({ findings }) => findings?.valid === 1);
  return isPromised ? [createDifference('finding_missing')] : [];
}

/** The number of findings taken back, also the number of the next finding: at least the one in the desk's messages. */
export function computeTakenBack(content: Pick<SealedParts, 'messages'>, told = 0): number {
  return Math.max(told, ...listDeskMessages(content).map(({ findings }) => findings?.taken_back ?? 0));
}

function listDeskMessages({ messages }: Pick<SealedParts, 'messages'>): CaseMessage[] {
  return messages.flatMap(({ by, said }) => (by === 'desk' && 'content' in said ? said.content : []));
}
