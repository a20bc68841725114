/** A change of the retention by the desk, which goes with a message to the buyer that says why. */
import { DAY_MS } from '#platform/durations.ts';
import { ServiceError } from '#platform/errors.ts';
import type { Case } from '#store/cases.ts';
import type { Records } from '#store/tables.ts';
import { type KeepDays, REASON_DAYS } from './retention.ts';
import { updateKeepDays } from './states.ts';

export interface RetentionChange {
  readonly days: KeepDays;
  /** Whether fewer days than now are meant, which may be what the buyer chose. */
  readonly mayShorten: boolean;
}

/** A shorter time must leave the buyer days to read the reason, and to choose again. */
export async function applyRetention(
  records: Records,
  record: Case,
  { days, mayShorten }: RetentionChange,
  now: number,
): Promise<Case> {
  const isShorter = days < record.keep_days;
  if (isShorter && !mayShorten)
    throw createRefusal(
      `The case is to be kept for ${record.keep_days} days, which may be what the buyer chose.`,
    );
  const changed = await updateKeepDays(records, record, days, now, 'desk');
  if (isShorter && (changed.purge_at ?? Infinity) < now + REASON_DAYS * DAY_MS)
    throw createRefusal(
      `That would leave the buyer less than ${REASON_DAYS} days to read the reason and to choose again.`,
    );
  return changed;
}

function createRefusal(detail: string): ServiceError {
  return new ServiceError('case_state', { detail });
}
