/** Changes and readings of cases by the desk, each with its entry in the audit log. */
import { ServiceError } from '#platform/errors.ts';
import type { Services } from '#services.ts';
import { type AuditedAct, appendAuditEntry, appendReading } from '#store/audit-log.ts';
import type { Case } from '#store/cases/cases.ts';
import type { Records } from '#store/schema/tables.ts';
import { applyCaseChange, type CaseChange } from '../states.ts';

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
  const append = (records: Records) => appendReading(records, { by, caseId }, clock.now());
  if (!(await store.transaction(append, 'one statement'))) throw new ServiceError('case_unknown');
}
