/** The place of a restore until it is complete, and the mark that keeps other programs away from it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '#platform/config/config.ts';
import { PROGRAM_NAME } from '#platform/config/program-name.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';

/** In PostgreSQL, a table of this name. */
export const UNFINISHED_RESTORE_TABLE = 'unfinished_restore';

/** With SQLite, a folder in which everything is prepared. */
export function toRestoreFolder(dataDir: string): string {
  return join(dataDir, 'restoring');
}

export function requireNoUnfinishedRestore(dataDir: string): void {
  if (existsSync(toRestoreFolder(dataDir))) throw createUnfinishedRestoreError();
}

export function createUnfinishedRestoreError(): ProgramError {
  return new ProgramError(
    `a restore was begun here and did not finish; run ${PROGRAM_NAME} restore again`,
    EXIT_CODES.config,
  );
}

/** Empty at first, unused until it is complete; a killed restore can start over. */
export interface RestorePlace {
  /** The report of an earlier restore that lacked only its last step, which has been done now. */
  readonly finished: string | undefined;
  /** Where to open the store during the restore. */
  readonly config: Pick<Config, 'dataDir' | 'store' | 'sweepSeconds'>;
  /** Removes what an earlier restore has left. */
  readonly prepare: () => Promise<void>;
  /** Puts everything in place; nothing may be open any more. */
  readonly complete: (report: string) => Promise<void>;
  /** Leaves nothing behind. */
  readonly abandon: () => Promise<void>;
  readonly close: () => Promise<void>;
}
