/** Assigns, hands over, reassigns and unassigns cases; no investigator writes in a case assigned to someone else. */
import { ServiceError } from '#platform/errors.ts';
import type { Services } from '#services.ts';
import { type Case, updateCaseIfUnchanged } from '#store/cases/cases.ts';
import type { Records } from '#store/schema/tables.ts';
import { applyCaseAction } from '../states.ts';
import { applyAuditedChange } from './audited-change.ts';
import { createPreviousAssigneeCheck } from './desk-people.ts';

type CaseServices = Pick<Services, 'clock' | 'store'>;

/** Starts work, or resumes it while the case waits for the buyer. */
export async function takeCase(services: CaseServices, id: string, investigator: string): Promise<Case> {
  const audited = { by: investigator, act: 'take' } as const;
  return await applyAuditedChange(services, id, audited, async (records, record) => {
    const isAtWork = record.state === 'in_progress';
    if (isAtWork && record.assignee === investigator) return record;
    const now = services.clock.now();
    const claim = await requireClaim(records, record, investigator);
    if (isAtWork) return await storeAssignment(records, record, claim, now);
    const act = record.state === 'awaiting_client' ? 'resume' : 'take';
    return await applyCaseAction(records, record, act, { by: 'desk', now, also: claim });
  });
}

/** The current assignee is not asked. */
export async function reassignCase(services: CaseServices, id: string, investigator: string): Promise<Case> {
  return await changeAssignee(services, id, { by: investigator, act: 'take_over' }, investigator);
}

export async function unassignCase(services: CaseServices, id: string, investigator: string): Promise<Case> {
  return await changeAssignee(services, id, { by: investigator, act: 'let_go' }, null);
}

/** Hands the investigator's case, or an unassigned one, to a colleague, who is not asked. */
export async function handOverCase(
  services: CaseServices,
  id: string,
  investigator: string,
  to: string,
): Promise<Case> {
  return await changeAssignee(services, id, { by: investigator, act: 'hand_over' }, to);
}

async function changeAssignee(
  services: CaseServices,
  id: string,
  { by, act }: { readonly by: string; readonly act: 'take_over' | 'let_go' | 'hand_over' },
  next: string | null,
): Promise<Case> {
  return await applyAuditedChange(services, id, { by, act }, async (records, record) => {
    if (record.assignee === next) return record;
    if (act !== 'take_over') await requireNotOthers(records, record, by);
    const assignment = assignTo(record, next, act === 'hand_over' ? by : null);
    return await storeAssignment(records, record, assignment, services.clock.now());
  });
}

type Assignment = Partial<Pick<Case, 'assignee' | 'handed_by' | 'taken_from'>>;

/**
 * For acts that the buyer learns of: assigns an unassigned case to the investigator, and refuses someone else's.
 * Returns the changes to store with the act. Without an investigator, nothing is checked or changed.
 */
export async function requireClaim(
  records: Records,
  record: Case,
  investigator: string | null,
): Promise<Assignment> {
  if (investigator === null) return {};
  await requireNotOthers(records, record, investigator);
  return assignTo(record, investigator);
}

/** Without `handedBy`, the assignee took the case. */
function assignTo({ assignee }: Case, next: string | null, handedBy: string | null = null): Assignment {
  if (assignee === next) return {};
  return {
    assignee: next,
    handed_by: handedBy,
    ...(assignee !== null && next !== null && { taken_from: assignee }),
  };
}

async function storeAssignment(
  records: Records,
  record: Case,
  changes: Assignment,
  now: number,
): Promise<Case> {
  const changed = await updateCaseIfUnchanged(records, record, { ...changes, changed_at: now });
  if (!changed) throw new ServiceError('case_changed');
  return changed.record;
}

/** The cases of an investigator who has left the desk count as unassigned. */
async function requireNotOthers(records: Records, { assignee }: Case, investigator: string): Promise<void> {
  if (assignee === null || assignee === investigator) return;
  const hasLeft = await createPreviousAssigneeCheck(records);
  if (!hasLeft(assignee)) throw new ServiceError('case_held');
}
