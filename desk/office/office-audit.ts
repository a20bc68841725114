/** What the desk's pages may ask of the office about the audit log. */
import type { DeskAuditText } from '#wire/desk-audit.ts';

export interface AuditOffice {
  /** The newest first, or those before a number; the chain is checked up to its end. */
  readAudit(before?: number): Promise<OfficeAudit>;
  /** The investigator knows why the log is another one. `shown` is the head that was on the page. */
  acceptAudit(shown: string): Promise<void>;
}

export interface OfficeAudit {
  readonly entries: readonly AuditLine[];
  /** Older entries come before this number; null if there are none. */
  readonly older: number | null;
  /** How many entries there are, and how many of them hold. */
  readonly total: number;
  readonly checked: number;
  /** As `audit verify` prints it. */
  readonly head: string;
  readonly fault: AuditWarning | null;
}

export interface AuditLine {
  readonly number: number;
  /** Null if it was deleted with what it was about, or cannot be read. */
  readonly said: DeskAuditText | null;
  readonly isEmptied: boolean;
}

export interface AuditWarning {
  /** Whole sentences. */
  readonly text: string;
  /** A restore from a backup has the same effect, so it can be accepted. */
  readonly mayBeRestored: boolean;
}
