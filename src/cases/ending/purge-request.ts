/** A purge that an investigator asks for: all of the desk sees it, and any of them can undo it until it happens. */
import { HOUR_MS } from '#platform/durations.ts';
import { ServiceError } from '#platform/errors.ts';
import type { Services } from '#services.ts';
import type { Case } from '#store/cases/cases.ts';
import { PURGE_WAIT_HOURS } from '#wire/keep-days.ts';
import { applyAuditedChange } from '../desk/audited-change.ts';
import { recordOthersCase } from '../desk/desk-digest.ts';
import { updatePurgeTime } from '../states.ts';

type CaseServices = Pick<Services, 'clock' | 'store'>;

/** Never later than the date that the case has. The buyer is shown the new one. */
export async function requestPurge(services: CaseServices, id: string, investigator: string): Promise<Case> {
  const audited = { by: investigator, act: 'purge' } as const;
  return await applyAuditedChange(services, id, audited, async (records, record) => {
    if (record.kept_until !== null) throw createRefusal('A purge of this case was asked for already.');
    const now = services.clock.now();
    const latest = now + PURGE_WAIT_HOURS * HOUR_MS;
    const asked = { kept_until: record.purge_at, purge_by: investigator };
    const changed = await updatePurgeTime(
      records,
      record,
      Math.min(latest, record.purge_at ?? latest),
      now,
      asked,
    );
    await recordOthersCase(records, record, audited);
    return changed;
  });
}

/** The case has its previous date again. A case that a sweep has marked is not found any more. */
export async function undoPurge(
  services: CaseServices,
  id: string,
  investigator: string | null,
): Promise<Case> {
  const audited = { by: investigator, act: 'undo_purge' } as const;
  return await applyAuditedChange(services, id, audited, async (records, record) => {
    if (record.kept_until === null) throw createRefusal('There is no purge to undo.');
    return await updatePurgeTime(records, record, record.kept_until, services.clock.now());
  });
}

function createRefusal(detail: string): ServiceError {
  return new ServiceError('case_state', { detail });
}
