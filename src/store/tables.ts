/** All tables of the record store, with the types of those that belong to no feature. Times are epoch milliseconds. */
import type { Kysely, Transaction } from 'kysely';
import type { AuditEntryTable, AuditHeadTable } from './audit-tables.ts';
import type {
  CallbackEventTable,
  CallbackTable,
  CaseCallbackTable,
  OrderCallbackTable,
} from './callback-tables.ts';
import type {
  CaseAlertTable,
  CaseKeyTable,
  CaseTable,
  ContactMessageTable,
  NoticeTable,
  ObjectPieceTable,
  ObjectTable,
  TombstoneTable,
} from './case-tables.ts';
import type {
  ClientTable,
  RegistrationTable,
  SignInCodeTable,
  TokenTable,
  UserTable,
} from './client-tables.ts';
import type { SqlBoolean } from './column-values.ts';
import type { DeskChallengeTable, DeskSessionTable, DigestLineTable } from './desk-tables.ts';
import type { AttendedOrderTable, OrderTable, ProviderEventTable } from './payment-tables.ts';

export interface Tables {
  attended_orders: AttendedOrderTable;
  audit_entries: AuditEntryTable;
  audit_head: AuditHeadTable;
  callback_events: CallbackEventTable;
  callbacks: CallbackTable;
  case_alerts: CaseAlertTable;
  case_callbacks: CaseCallbackTable;
  case_keys: CaseKeyTable;
  cases: CaseTable;
  contact_messages: ContactMessageTable;
  clients: ClientTable;
  clock_notes: ClockNoteTable;
  desk_challenges: DeskChallengeTable;
  desk_digests: DeskDigestTable;
  desk_sessions: DeskSessionTable;
  digest_lines: DigestLineTable;
  draft_keys: DraftKeyTable;
  former_pairings: FormerPairingTable;
  kept_secrets: KeptSecretTable;
  last_backup: LastBackupTable;
  idempotency: IdempotencyTable;
  master_keys: MasterKeyTable;
  notices: NoticeTable;
  object_pieces: ObjectPieceTable;
  objects: ObjectTable;
  order_callbacks: OrderCallbackTable;
  orders: OrderTable;
  outbox: OutboxTable;
  provider_events: ProviderEventTable;
  records_pairing: RecordsPairingTable;
  registrations: RegistrationTable;
  sealing_set: SealingSetTable;
  tombstones: TombstoneTable;
  sign_in_codes: SignInCodeTable;
  terms_texts: TermsTextTable;
  tokens: TokenTable;
  users: UserTable;
  write_checks: WriteCheckTable;
}

/** The database or a transaction on it: queries accept both, so that the caller decides. */
export type Records = Kysely<Tables> | Transaction<Tables>;

/** The master keys that records were sealed or tagged with; two while the key is changed. */
interface MasterKeyTable {
  tag: string;
  /** When a process with this key ran last. */
  sealed_at: number | null;
}

/** Half of the key of a draft, for the form of one payment. */
interface DraftKeyTable {
  form_tag: string;
  half_box: Uint8Array;
  created_at: number;
}

/** What an Idempotency-Key was used for; never the response. */
interface IdempotencyTable {
  key_tag: string;
  body_tag: string;
  record_id: string;
  created_at: number;
}

interface OutboxTable {
  id: string;
  topic: string;
  /** JSON without secrets. */
  payload: string;
  /** Identifies the work: a second entry with the same value is dropped. */
  dedupe: string;
  due_at: number;
  /** Since when it could have been done; the day on which it was given up, if it was. */
  waits_since: number;
  attempts: number;
  /** Why the last attempt failed, as a sentence without addresses and secrets. */
  reason: string | null;
  claimed_by: string | null;
  /** 0 if no worker has claimed the entry. */
  claimed_until: number;
  /** Given up after too many attempts; kept for the operator. */
  dead: SqlBoolean;
}

/** Secrets that the service generated for itself and shares between its processes. */
interface KeptSecretTable {
  name: string;
  box: Uint8Array;
}

/** What the shred keys must have too. */
interface RecordsPairingTable {
  id: 1;
  pairing_id: string;
  counter: number;
}

/** One row: the last time that the service noted. */
interface ClockNoteTable {
  id: 1;
  noted_at: number;
  /** How often an operator has accepted a clock in doubt. */
  accepted: number;
  /** By how much the database's clock was behind when the operator accepted that. */
  database_behind: number;
}

/** The public keys that cases are sealed to. */
interface SealingSetTable {
  id: 1;
  tag: string;
  /** JSON: name, role and hash of each, for people to read. What is sealed to comes from the configuration alone. */
  members: string;
  /** How often it was replaced by other keys. */
  changes: number;
}

/** One row: the half day of the last digest. */
interface DeskDigestTable {
  id: 1;
  slot: number;
}

interface FormerPairingTable {
  id: string;
  counter: number;
}

interface LastBackupTable {
  id: 1;
  records_at: number | null;
  keys_at: number | null;
}

interface TermsTextTable {
  version: string;
  /** As shown, in Markdown. */
  text: string;
  first_at: number;
  /** When an instance had it in force for the last time. */
  last_at: number;
}

/** One row that is written again and again, to know that it can be. */
interface WriteCheckTable {
  id: 1;
  written_at: number;
}
