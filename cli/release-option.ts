/** When the buyer sees a finding: after the time in which it can be taken back, or at once. */
import { isHeldDelivery } from '#cases/buyer-view.ts';
import { loadConfig } from '#platform/config.ts';
import { MINUTE_MS } from '#platform/durations.ts';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { PROGRAM_NAME } from '#platform/program-name.ts';
import type { Case } from '#store/cases.ts';
import { formatTimeOrDash } from './case-facts.ts';
import { CommandFailure } from './failure.ts';
import { getIo } from './io.ts';

export const releaseOptions = { now: { type: 'boolean' } } as const;
export const releaseHelp = [['--now', 'the buyer sees it at once, and it cannot be taken back']] as const;

export function readUndoTime(atOnce: boolean): number {
  return atOnce ? 0 : loadConfig(getIo().env).deliveryUndoMinutes * MINUTE_MS;
}

export function requireNotHeld(record: Case, now: number): void {
  if (!isHeldDelivery(record, now)) return;
  throw new CommandFailure(
    `A finding was delivered that the buyer sees from ${formatTimeOrDash(record.released_at)}. Take it back first: ${PROGRAM_NAME} cases take-back ${record.id}`,
    EXIT_CODES.failure,
  );
}
