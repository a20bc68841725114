/** What can be wrong with an audit log, in sentences for investigators. */
import { nameCase } from '#wire/case-name.ts';

export interface AuditWarning {
  /** Whole sentences. */
  readonly text: string;
  /** A restore from a backup has the same effect, so it can be accepted. */
  readonly mayBeRestored: boolean;
}

const RESTORE =
  'A restore from a backup can cause this. If nothing was restored, the records were tampered with: ask the operator.';

export function warnOfShorterLog(number: number): AuditWarning {
  return {
    text: `The log is shorter than when this desk last looked: entry ${number} is no longer there. ${RESTORE}`,
    mayBeRestored: true,
  };
}

export function warnOfRewrittenLog(number: number): AuditWarning {
  return {
    text: `The log has changed since this desk last saw it: its entries up to ${number} are different. ${RESTORE}`,
    mayBeRestored: true,
  };
}

export function warnOfBrokenChain(number: number): AuditWarning {
  return {
    text: `The hash chain breaks at entry ${number}: that entry, or one before it, was changed, moved or removed after it was written. A restore cannot cause this: ask the operator.`,
    mayBeRestored: false,
  };
}

export function warnOfEmptiedEntry(number: number, caseId: string): AuditWarning {
  return {
    text: `Entry ${number} was emptied as if by a purge, but its case, ${nameCase(caseId)}, still exists. The records were tampered with: ask the operator.`,
    mayBeRestored: false,
  };
}
