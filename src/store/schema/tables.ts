/** All tables of the record store; those of cases and clients are in separate files. Times are epoch milliseconds. */
import type { Generated, Kysely, Transaction } from 'kysely';
import type {
  CaseAlertTable,
  CaseCountTable,
  CaseKeyTable,
  CaseTable,
  ContactMessageTable,
  NoticeTable,
  ObjectPieceTable,
  ObjectTable,
  RefundTable,
  TombstoneTable,
} from './case-tables.ts';
import type {
  ClientTable,
  RegistrationTable,
  SignInCodeTable,
  TokenTable,
  UserTable,
} from './client-tables.ts';
import type { DigestAct, EventKind, PaymentState, SqlBoolean, WebhookState } from './column-values.ts';

/** One for each client that set a webhook. */
interface WebhookTable {
  id: string;
  /** HMAC of the client's id, so that a row does not reveal whose it is. */
  client_tag: string;
  /** The client's id, the address and the secret, encrypted. */
  ciphertext: Uint8Array;
  /** `marking` while the client's cases are being linked to it, `ending` while they are being unlinked. */
  state: WebhookState;
  created_on: number;
  /** The day of the last delivery, successful or not. */
  last_on: number | null;
  /** Why that delivery failed, as a sentence for the client; null if it succeeded. */
  last_fault: string | null;
}

/** A case whose client is notified of events; deleted with the case or the webhook. Not in any backup. */
interface CaseWebhookTable {
  case_id: string;
  /** The client's id, encrypted. */
  client_ciphertext: Uint8Array;
  /** The time of the last event that was reported. */
  told_at: number;
  /** The time of the next one; null while none is known. */
  due_at: number | null;
}

/** An order that may still be paid, and whose client is then notified; deleted once it is paid. Not in any backup. */
interface OrderWebhookTable {
  order_id: string;
  client_ciphertext: Uint8Array;
}

/** An event to be sent; deleted once it is delivered, or after some days. Not in any backup. */
interface WebhookEventTable {
  id: string;
  /** Events of orders and events of cases are sent at different times. */
  kind: EventKind;
  /** HMAC of the client's id and the kind, so that an order and a case share none. */
  queue_tag: string;
  /** The client, the event and the id of its order or case, encrypted. */
  ciphertext: Uint8Array;
  /** The day of the event or, after a failed attempt, a time in whole minutes. */
  due_at: number;
  /** No attempt is made after this time, which is cut to the day. */
  ends_at: number;
  attempts: number;
  /** 0 if it is not being sent. */
  claimed_until: number;
}

interface OrderTable {
  id: string;
  tier: string;
  /** In the currency's smallest unit. */
  amount: number;
  currency: string;
  livemode: SqlBoolean;
  /** Follows the provider only; `redeemed` says whether the order was used for an inquiry. */
  payment: PaymentState;
  /** Counts the changes of `payment`, so that concurrent updates cannot overwrite each other. */
  revision: number;
  redeemed: SqlBoolean;
  /** Restored from a backup: it is not known whether it was used afterwards, so an operator has to release it. */
  on_hold: SqlBoolean;
  /** HMAC of the provider's session id, to find the order by it. */
  session_tag: string | null;
  /** The session id, encrypted because it gives access to the inquiry form. */
  session_ciphertext: Uint8Array | null;
  /** HMAC of the client that made the order, and of the person if it acted for one; null for one from the website. */
  owner: string | null;
  created_at: number;
  expires_at: number;
  /** When to ask the provider again; null once no change is expected. */
  check_at: number | null;
  /** When the payer is sent the return link to the form; null once sending has begun, or if it is not needed. */
  return_link_at: number | null;
  /** SHA-256 of the token in that e-mail. */
  return_link_hash: string | null;
  /** Whether the form was shown; each showing has new words. */
  form_shown: SqlBoolean;
}

/** Orders that were reviewed; a later change of the payment has a higher revision. */
interface ReviewedOrderTable {
  order_id: string;
  revision: number;
}

/** Provider events that have been processed. */
interface ProviderEventTable {
  id: string;
  seen_at: number;
}

/** An act that ended another investigator's case. Names no case; deleted once it was sent. */
interface DigestLineTable {
  id: string;
  /** Who did it: the SHA-256 of their public key; null for the command line without a key. */
  who: string | null;
  act: DigestAct;
  had_by: string;
  /** No digest includes it before this time: a decline can still be taken back. */
  due_at: number;
}

/** Valid for a minute. */
interface DeskChallengeTable {
  id: string;
  /** SHA-256 of the public key that it is sealed to, which may be a stranger's. */
  investigator: string;
  /** SHA-256 of the nonce in it. */
  nonce_hash: string;
  expires_at: number;
}

interface DeskSessionTable {
  /** SHA-256 of the token. */
  id: string;
  /** SHA-256 of the investigator's public key. */
  investigator: string;
  /** Thumbprint of the key that signs the proofs of this session (RFC 7638). */
  jkt: string;
  expires_at: number;
}

interface AuditEntryTable {
  /** SHA-256 of salt and entry; stays when they are deleted. */
  entry_hash: string;
  /** From 1, without gaps; null until it is put into the chain. */
  number: number | null;
  /** The hash of the chain up to this entry. */
  hash: string | null;
  salt: string | null;
  /** JSON: `at`, `by`, `act`, and one of `case`, `order`, `agent`, `contact`. Null once the subject is deleted. */
  entry: string | null;
  /** The id of the case, order, agent or contact message. */
  subject_id: string | null;
}

/** One row: the last entry. */
interface AuditHeadTable {
  id: 1;
  number: number;
  hash: string;
}

export interface Tables {
  reviewed_orders: ReviewedOrderTable;
  audit_entries: AuditEntryTable;
  audit_head: AuditHeadTable;
  webhook_events: WebhookEventTable;
  webhooks: WebhookTable;
  case_alerts: CaseAlertTable;
  case_counts: CaseCountTable;
  case_webhooks: CaseWebhookTable;
  case_keys: CaseKeyTable;
  cases: CaseTable;
  contact_messages: ContactMessageTable;
  refunds: RefundTable;
  clients: ClientTable;
  last_seen_time: LastSeenTimeTable;
  desk_challenges: DeskChallengeTable;
  desk_digests: DeskDigestTable;
  desk_sessions: DeskSessionTable;
  digest_lines: DigestLineTable;
  draft_keys: DraftKeyTable;
  previous_installations: PreviousInstallationTable;
  kept_secrets: KeptSecretTable;
  last_backup: LastBackupTable;
  idempotency: IdempotencyTable;
  master_keys: MasterKeyTable;
  notices: NoticeTable;
  object_pieces: ObjectPieceTable;
  objects: ObjectTable;
  order_webhooks: OrderWebhookTable;
  orders: OrderTable;
  outbox: OutboxTable;
  provider_events: ProviderEventTable;
  records_installation: RecordsInstallationTable;
  registrations: RegistrationTable;
  recipient_set: RecipientSetTable;
  tombstones: TombstoneTable;
  sign_in_codes: SignInCodeTable;
  terms_texts: TermsTextTable;
  tokens: TokenTable;
  users: UserTable;
}

/** The database or a transaction on it: queries accept both, so that the caller decides. */
export type Records = Kysely<Tables> | Transaction<Tables>;

/** The master keys that records were sealed or tagged with; two while the key is being changed. */
interface MasterKeyTable {
  tag: string;
  /** When a process with this key last ran. */
  sealed_at: number | null;
}

/** Half of the key of a draft, for the form of one payment. */
interface DraftKeyTable {
  form_tag: string;
  half_ciphertext: Uint8Array;
  created_at: number;
}

/** What an Idempotency-Key was used for; never the response. */
interface IdempotencyTable {
  key_tag: string;
  body_tag: string;
  record_id: string;
  created_at: number;
  /** With this and the key that the client has, the case's words can be generated again; null if there are none. */
  words_salt: string | null;
}

interface OutboxTable {
  id: string;
  topic: string;
  /** JSON without secrets. */
  payload: string;
  /** Identifies the work: a second entry with the same value is dropped. */
  dedupe: string;
  due_at: number;
  /** Since when the entry has been due; once it is given up, the day on which that happened. */
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
  ciphertext: Uint8Array;
}

/** Must match what the shred keys have. */
interface RecordsInstallationTable {
  id: 1;
  installation_id: string;
  generation: number;
  /** The instance that does what only one has to do, until this time of the database's clock; not on SQLite. */
  leader: Generated<string | null>;
  leads_until: Generated<number>;
}

/** One row: the last time that the service saw. */
interface LastSeenTimeTable {
  id: 1;
  seen_at: number;
  /** How often an operator has accepted clock skew. */
  accepted: number;
  /** By how much the database's clock was behind when the operator accepted that. */
  database_behind: number;
}

/** The public keys that cases are sealed to. */
interface RecipientSetTable {
  id: 1;
  tag: string;
  /** JSON: name, role and hash of each, for people to read. The keys to seal to come only from the configuration. */
  members: string;
  /** How often the keys were replaced. */
  changes: number;
}

/** One row: the half day of the last digest. */
interface DeskDigestTable {
  id: 1;
  slot: number;
}

interface PreviousInstallationTable {
  id: string;
  generation: number;
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
  /** When an instance last had it in force. */
  last_at: number;
}
