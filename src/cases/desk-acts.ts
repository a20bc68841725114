/** What somebody at the desk may do with a case at the moment. */
import { MAX_FINDINGS } from '#seal/finding.ts';
import type { Case } from '#store/cases.ts';
import type { CaseState } from '#wire/case-states.ts';
import { DESK_ACTS, type DeskAct } from '#wire/desk-cases.ts';
import { isHeldDelivery, toBuyerView } from './buyer-view.ts';
import { NOTE_STATES } from './notes.ts';
import { type CaseAction, caseTransitions, getCasePhase, hasOpenCall } from './states.ts';

export interface DeskViewer {
  /** The hash of their public key. Without one, whoever has the case hinders nothing. */
  readonly investigator: string | null;
  readonly isOwner: boolean;
}

interface DeskMoment extends DeskViewer {
  readonly hasLeft: (holder: string) => boolean;
  readonly now: number;
}

export function listDeskActs(record: Case, { investigator, isOwner, hasLeft, now }: DeskMoment): DeskAct[] {
  const holder = record.holder !== null && hasLeft(record.holder) ? null : record.holder;
  const isOthers = investigator !== null && holder !== null && holder !== investigator;
  const hasEnded = getCasePhase(toBuyerView(record, now)) !== 'open';
  const isWritable = getCasePhase(record) !== 'closed';
  const isAllowed = (act: CaseAction) =>
    (caseTransitions[act].from as readonly CaseState[]).includes(record.state);
  const isNobodysWork = record.state === 'in_progress' && holder === null && investigator !== null;
  const allowed: Readonly<Record<DeskAct, boolean>> = {
    take: !isOthers && (isAllowed('take') || isAllowed('resume') || isNobodysWork),
    take_over: isOthers && isWritable,
    let_go: !isOthers && holder !== null,
    ask: !isOthers && isAllowed('ask'),
    message: !isOthers && isWritable,
    note: NOTE_STATES.includes(record.state),
    offer_call: !isOthers && hasOpenCall(record),
    book_call: !isOthers && hasOpenCall(record),
    hold_call: hasOpenCall(record) && record.call !== 'none',
    deliver: !isOthers && isAllowed('deliver'),
    take_back: isHeldDelivery(record, now) && record.finding_seq + 1 < MAX_FINDINGS,
    decline: !isOthers && isAllowed('decline'),
    retain: !isOthers && isWritable,
    purge: hasEnded && record.kept_until === null,
    purge_now: hasEnded && isOwner,
    undo_purge: record.kept_until !== null,
  };
  return DESK_ACTS.filter((act) => allowed[act]);
}
