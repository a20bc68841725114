/** The mark of an unfinished restore: no program may use the records while it exists. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
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
