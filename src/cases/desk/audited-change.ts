/** Changes and readings of cases by the desk, each with its entry in the audit log. */
import { ServiceError } from '#platform/errors.ts';
import type { Services } from '#services.ts';
import { type AuditedAct, appendAuditEntry, appendReading } from '#store/audit-log.ts';
import type { Case } from '#store/cases/cases.ts';
import type { Records } from '#store/schema/tables.ts';
import { applyCaseChange, type CaseChange } from '../states.ts';

type CaseServices = Pick<Services, 'clock' | 'store'>;

/** Runs in one transaction. A change that returns the same case gets no entry. */
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

/** Called before anything of the case is returned. No entry may be left behind for a case that was purged meanwhile. */
export async function recordCaseReading(
  { clock, store }: CaseServices,
  caseId: string,
  by: string | null,
): Promise<void> {
  const append = (records: Records) => appendReading(records, { by, caseId }, clock.now());
  if (!(await store.transaction(append, 'one statement'))) throw new ServiceError('case_unknown');
}
