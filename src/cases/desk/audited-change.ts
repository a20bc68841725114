/** Changes and readings of cases by the desk, each with its entry in the audit log. */
import type { Services } from '#services.ts';
import { type AuditedAct, appendAuditEntry } from '#store/audit-log.ts';
import type { Case } from '#store/cases/cases.ts';
import { applyCaseChange, type CaseChange, requireCase } from '../states.ts';

type CaseServices = Pick<Services, 'clock' | 'store'>;

/** In one transaction. A change that returns the case as it was has done nothing. */
export async function applyAuditedChange(
  services: CaseServices,
  id: string,
  { by, act }: Pick<AuditedAct, 'by' | 'act'>,
  change: CaseChange,
): Promise<Case> {
  return await applyCaseChange(services, id, async (records, record) => {
    const changed = await change(records, record);
    if (changed !== record)
      await appendAuditEntry(records, { by, act, subject: { kind: 'case', id } }, services.clock.now());
    return changed;
  });
}

/** Before anything of the case is given out. Of one that was purged meanwhile, no entry may stay behind. */
export async function recordCaseReading(
  { clock, store }: CaseServices,
  caseId: string,
  by: string | null,
): Promise<void> {
  await store.transaction(async (records) => {
    await requireCase(records, caseId, clock.now());
    await appendAuditEntry(records, { by, act: 'read', subject: { kind: 'case', id: caseId } }, clock.now());
  });
}
