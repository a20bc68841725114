/** The tables of the audit log: their types and the step of the schema that makes them. */

export interface AuditEntryTable {
  /** From 1, without gaps. */
  number: number;
  /** Of the chain up to this entry. */
  hash: string;
  /** SHA-256 of salt and entry; stays when they go. */
  entry_hash: string;
  salt: string | null;
  /** JSON: `at`, `by`, `act`, and one of `case`, `order`, `agent`, `contact`. Null once that is deleted. */
  entry: string | null;
  /** What it is about. */
  subject_id: string | null;
}

/** One row: the last entry. */
export interface AuditHeadTable {
  id: 1;
  number: number;
  hash: string;
}
