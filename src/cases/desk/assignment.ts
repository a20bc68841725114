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
    if (isAtWork) return await changeAssignee(records, record, claim, now);
    const act = record.state === 'awaiting_client' ? 'resume' : 'take';
    return await applyCaseAction(records, record, act, { by: 'desk', now, also: claim });
  });
}

/** The current assignee is not asked. */
export async function reassignCase(services: CaseServices, id: string, investigator: string): Promise<Case> {
  const audited = { by: investigator, act: 'take_over' } as const;
  return await applyAuditedChange(services, id, audited, async (records, record) => {
    if (record.assignee === investigator) return record;
    return await changeAssignee(records, record, assignTo(record, investigator), services.clock.now());
  });
}

export async function releaseCase(services: CaseServices, id: string, investigator: string): Promise<Case> {
  const audited = { by: investigator, act: 'let_go' } as const;
  return await applyAuditedChange(services, id, audited, async (records, record) => {
    if (record.assignee === null) return record;
    await requireNotOthers(records, record, investigator);
    return await changeAssignee(records, record, assignTo(record, null), services.clock.now());
  });
}

/** Hands the investigator's case, or an unassigned one, to a colleague, who is not asked. */
export async function handOverCase(
  services: CaseServices,
  id: string,
  investigator: string,
  to: string,
): Promise<Case> {
  const audited = { by: investigator, act: 'hand_over' } as const;
  return await applyAuditedChange(services, id, audited, async (records, record) => {
    if (record.assignee === to) return record;
    await requireNotOthers(records, record, investigator);
    return await changeAssignee(records, record, assignTo(record, to, investigator), services.clock.now());
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

async function changeAssignee(
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
