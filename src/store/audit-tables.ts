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

export const auditLogSql = [
  `create table audit_entries (
    number bigint not null primary key,
    hash text not null,
    entry_hash text not null,
    salt text,
    entry text,
    subject_id text
  ) without rowid`,
  'create index audit_entries_by_subject on audit_entries (subject_id, number) where subject_id is not null',
  `create table audit_head (
    id smallint not null primary key check (id = 1),
    number bigint not null,
    hash text not null
  ) without rowid`,
] as const;
