/** The acts of the desk: what each does, and which of them an investigator may do with a case at the moment. */
import { MAX_FINDINGS } from '#seal/case/finding.ts';
import type { Services } from '#services.ts';
import type { Case } from '#store/cases/cases.ts';
import type { CaseState } from '#wire/case-states.ts';
import { DESK_ACTS, type DeskAct, type DeskActRequest } from '#wire/desk-cases.ts';
import { takeBackAnswer } from '../delivery.ts';
import { purgeCaseNow, requestPurge, undoPurge } from '../ending/purge.ts';
import { isAnswerOnHold, isDeclineOnHold, toBuyerView } from '../messages/buyer-view.ts';
import {
  applyCallAction,
  type CaseAction,
  caseTransitions,
  getCasePhase,
  hasOpenCall,
  UNWITHDRAWN_STATES,
} from '../states.ts';
import { handOverCase, reassignCase, requireClaim, takeCase, unassignCase } from './assignment.ts';
import { applyAuditedChange } from './audited-change.ts';
import type { PreviousAssigneeCheck } from './desk-people.ts';

type ActWork = (
  services: Pick<Services, 'clock' | 'keyring' | 'log' | 'store'>,
  caseId: string,
  investigator: string,
  /** The colleague to whom the case is handed over. */
  to: string,
) => Promise<Case | null>;

/** The acts that need no sealed content. They return null if the case no longer exists. */
export const bareActs: Readonly<Record<DeskActRequest['act'], ActWork>> = {
  take: takeCase,
  take_over: reassignCase,
  let_go: unassignCase,
  hand_over: handOverCase,
  offer_call: (services, id, investigator) => applyCallStep(services, id, 'offer', investigator),
  hold_call: (services, id, investigator) => applyCallStep(services, id, 'hold', investigator),
  take_back: takeBackAnswer,
  purge: requestPurge,
  undo_purge: undoPurge,
  purge_now: async (services, id, investigator) => {
    await purgeCaseNow(services, id, 'desk', investigator);
    return null;
  },
};

export interface DeskViewer {
  /** The hash of their public key. */
  readonly investigator: string;
  readonly isOwner: boolean;
  readonly hasLeft: PreviousAssigneeCheck;
}

export function listDeskActs(
  record: Case,
  { investigator, isOwner, hasLeft }: DeskViewer,
  now: number,
): DeskAct[] {
  const assignee = record.assignee !== null && hasLeft(record.assignee) ? null : record.assignee;
  const isOthers = assignee !== null && assignee !== investigator;
  const hasEnded = getCasePhase(toBuyerView(record, now)) !== 'open';
  const isAllowed = (act: CaseAction) =>
    (caseTransitions[act].from as readonly CaseState[]).includes(record.state);
  const isUnassignedWork = record.state === 'in_progress' && assignee === null;
  const allowed: Readonly<Record<DeskAct, boolean>> = {
    take: !isOthers && (isAllowed('take') || isAllowed('resume') || isUnassignedWork),
    take_over: isOthers,
    let_go: !isOthers && assignee !== null,
    hand_over: !isOthers,
    ask: !isOthers && isAllowed('ask'),
    message: !isOthers && !isDeclineOnHold(record, now),
    note: UNWITHDRAWN_STATES.includes(record.state),
    offer_call: !isOthers && hasOpenCall(record),
    book_call: !isOthers && hasOpenCall(record),
    hold_call: hasOpenCall(record) && record.call !== 'none',
    deliver: !isOthers && isAllowed('deliver'),
    take_back:
      isAnswerOnHold(record, now) && (record.state === 'declined' || record.finding_seq + 1 < MAX_FINDINGS),
    decline: !isOthers && isAllowed('decline'),
    retain: !isOthers && getCasePhase(record) !== 'closed',
    purge: hasEnded && record.kept_until === null,
    purge_now: hasEnded && isOwner,
    undo_purge: record.kept_until !== null,
  };
  return DESK_ACTS.filter((act) => allowed[act]);
}

/** An offer claims the case, because the buyer is notified of it; recording that a call took place does not. */
export async function applyCallStep(
  services: Pick<Services, 'clock' | 'store'>,
  id: string,
  act: 'offer' | 'hold',
  investigator: string,
): Promise<Case> {
  const audited = { by: investigator, act: `${act}_call` } as const;
  return await applyAuditedChange(services, id, audited, async (records, record) => {
    const also = act === 'offer' ? await requireClaim(records, record, investigator) : {};
    return await applyCallAction(records, record, act, { by: 'desk', now: services.clock.now(), also });
  });
}
