/** What commands may ask of an audit log, wherever it is. */
import type { CommandFailure } from './failure.ts';
import type { HolderNames } from './holder-name.ts';

export interface ListedEntry {
  readonly number: number;
  /** JSON; null once it is deleted. */
  readonly entry: string | null;
}

export interface AuditRequest {
  readonly caseId: string | undefined;
  readonly before: number | undefined;
  readonly limit: number;
}

export interface AuditSource {
  readonly names: HolderNames;
  /** The newest first. A fault is that of the log. */
  readonly listEntries: (
    request: AuditRequest,
  ) => Promise<{ readonly entries: readonly ListedEntry[]; readonly fault?: CommandFailure | undefined }>;
}
