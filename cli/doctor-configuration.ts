/** What the doctor says about what stands beside the records: the public keys and the clock of this machine. */
import { readSealingKeys } from '#cases/sealing-keys.ts';
import { isSealingSetAdopted, requireSameSealingSet } from '#cases/sealing-set.ts';
import type { Config } from '#platform/config.ts';
import { ProgramError } from '#platform/exit-codes.ts';
import { formatClockAlarm } from '#store/clock-alarm-text.ts';
import { compareWithNote } from '#store/clock-guard.ts';
import { findClockNote } from '#store/clock-notes.ts';
import type { Records } from '#store/tables.ts';
import type { Observation } from './doctor-observation.ts';

/** For records whose schema is up to date. */
export async function inspectConfiguration(
  records: Records,
  config: Config,
  now: number,
): Promise<Observation[]> {
  const alarm = compareWithNote(now, await findClockNote(records));
  return [
    ...(await inspectSealingKeys(records, config)),
    ...(alarm ? [{ isWrong: true, text: `The clock is in doubt: ${formatClockAlarm(alarm)}.` }] : []),
  ];
}

async function inspectSealingKeys(records: Records, config: Config): Promise<Observation[]> {
  try {
    if (await isSealingSetAdopted(records))
      await requireSameSealingSet(records, await readSealingKeys(config));
    return [];
  } catch (error) {
    if (error instanceof ProgramError) return [{ isWrong: true, text: error.message }];
    throw error;
  }
}
