/** Takes a delivery back that the buyer has not seen. */
import { ServiceError } from '#platform/errors.ts';
import { MAX_FINDINGS } from '#seal/case/finding.ts';
import type { Services } from '#services.ts';
import type { Case } from '#store/cases/cases.ts';
import { findLastSeenTime } from '#store/last-seen-time.ts';
import type { Records } from '#store/schema/tables.ts';
import { applyAuditedChange } from '../desk/audited-change.ts';
import { deleteDiscardedObjects } from '../intake/uploads.ts';
import { isDeliveryOnHold } from '../messages/buyer-view.ts';
import { discardDelivery } from '../states.ts';

/** The next finding gets the next number, so that the previous one cannot be passed off as it. */
export async function takeBackDelivery(
  services: Pick<Services, 'clock' | 'store'>,
  id: string,
  investigator: string | null = null,
): Promise<Case> {
  const audited = { by: investigator, act: 'take_back' } as const;
  const changed = await applyAuditedChange(services, id, audited, async (records, record) => {
    if (record.state !== 'delivered') throw createRefusal('There is no finding to take back.');
    if (!isDeliveryOnHold(record, services.clock.now()) || (await isReleased(records, record)))
      throw createRefusal('The buyer can already read the finding, so it can no longer be taken back.');
    const next = record.finding_seq + 1;
    if (next >= MAX_FINDINGS)
      throw createRefusal(`A finding can be taken back ${MAX_FINDINGS - 1} times, which was done.`);
    return await discardDelivery(
      records,
      record,
      {
        state: 'in_progress',
        purge_at: null,
        finding_seq: next,
      },
      services.clock.now(),
    );
  });
  // It has happened by now; what is left is deleted by the sweep.
  await deleteDiscardedObjects(services).catch(() => undefined);
  return changed;
}

/** A clock that went back since must not hide that the buyer may have read it. */
async function isReleased(records: Records, { released_at: at }: Case): Promise<boolean> {
  const lastSeen = await findLastSeenTime(records);
  return lastSeen !== undefined && at !== null && lastSeen.seen_at >= at;
}

function createRefusal(detail: string): ServiceError {
  return new ServiceError('case_state', { detail });
}
