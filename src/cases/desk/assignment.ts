/** Assigns, hands over, reassigns and unassigns cases; an investigator writes only in a case that no one else is assigned to. */
import { ServiceError } from '#platform/errors.ts';
import type { Services } from '#services.ts';
import type { AuditedAct } from '#store/audit-log.ts';
import { type NextAssignee, updateAssigneeIfUnchanged } from '#store/cases/case-assignees.ts';
import type { Case } from '#store/cases/cases.ts';
import type { Records } from '#store/schema/tables.ts';
import { applyCaseAction, type CaseChange, requireCase } from '../states.ts';
import { applyAuditedChange } from './audited-change.ts';
import { createPreviousAssigneeCheck } from './previous-assignees.ts';

type CaseServices = Pick<Services, 'clock' | 'store'>;

/** Starts work, or resumes it while the case waits for the buyer. Without an investigator, the assignee stays. */
export async function takeCase(
  services: CaseServices,
  id: string,
  investigator: string | null,
): Promise<Case> {
  const audited = { by: investigator, act: 'take' } as const;
  return await applyAuditedChange(services, id, audited, async (records, record) => {
    const isAtWork = record.state === 'in_progress' && investigator !== null;
    if (isAtWork && record.assignee === investigator) return record;
    const now = services.clock.now();
    const claimed = await claimCase(records, record, investigator, now);
    if (isAtWork) return claimed;
    const act = claimed.state === 'awaiting_client' ? 'resume' : 'take';
    return await applyCaseAction(records, claimed, act, 'desk', now);
  });
}

/** The current assignee is not asked. */
export async function reassignCase(services: CaseServices, id: string, investigator: string): Promise<Case> {
  const audited = { by: investigator, act: 'take_over' } as const;
  return await applyAuditedChange(services, id, audited, async (records, record) => {
    if (record.assignee === investigator) return record;
    return await updateAssigneeOrThrow(records, record, { assignee: investigator }, services.clock.now());
  });
}

/** Only the operator, who acts without an investigator, may release a case of another assignee. */
export async function releaseCase(
  services: CaseServices,
  id: string,
  investigator: string | null,
): Promise<Case> {
  const audited = { by: investigator, act: 'let_go' } as const;
  return await applyAuditedChange(services, id, audited, async (records, record) => {
    if (record.assignee === null) return record;
    if (investigator !== null) await requireNotOthers(records, record, investigator);
    return await updateAssigneeOrThrow(records, record, { assignee: null }, services.clock.now());
  });
}

/** To a colleague, who is not asked: a case that is one's own, or no one's. */
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
    const next = { assignee: to, handedBy: investigator };
    return await updateAssigneeOrThrow(records, record, next, services.clock.now());
  });
}

/** For acts that the buyer is told of: an unassigned case becomes the investigator's, another's is refused. */
export async function applyClaimedChange(
  services: CaseServices,
  id: string,
  audited: Pick<AuditedAct, 'by' | 'act'>,
  change: CaseChange,
): Promise<Case> {
  return await applyAuditedChange(services, id, audited, async (records, record) =>
    change(records, await claimCase(records, record, audited.by, services.clock.now())),
  );
}

/** Until the transaction ends the case cannot be reassigned. Without an investigator nothing is checked or changed. */
export async function claimCase(
  records: Records,
  record: Case,
  investigator: string | null,
  now: number,
): Promise<Case> {
  if (investigator === null) return record;
  await requireNotOthers(records, record, investigator);
  return await updateAssigneeOrThrow(records, record, { assignee: investigator }, now);
}

async function updateAssigneeOrThrow(
  records: Records,
  record: Case,
  next: NextAssignee,
  now: number,
): Promise<Case> {
  const changed = await updateAssigneeIfUnchanged(records, record, next, now);
  if (changed) return changed;
  const current = await requireCase(records, record.id, now);
  if (next.assignee !== null) await requireNotOthers(records, current, next.assignee);
  throw new ServiceError('case_changed');
}

/** The cases of an investigator who has left the desk count as unassigned. */
async function requireNotOthers(records: Records, { assignee }: Case, investigator: string): Promise<void> {
  if (assignee === null || assignee === investigator) return;
  const hasLeft = await createPreviousAssigneeCheck(records);
  if (!hasLeft(assignee)) throw new ServiceError('case_held');
}
