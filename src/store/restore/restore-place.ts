/** An empty place for restored records: unused until it is complete, and a killed restore can start over. */
import type { Config } from '#platform/config/config.ts';

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
