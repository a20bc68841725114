/** The types of all tables in the record store; migrations.ts creates the tables. Times are epoch milliseconds. */
import type { Kysely, Transaction } from 'kysely';
import type {
  CallState,
  CaseState,
  CLIENT_STATUSES,
  CREDENTIAL_SETS,
  IDENTITY_TYPES,
  PaymentState,
  REGISTRATION_STATUSES,
  SealedBy,
} from './column-values.ts';

export interface Tables {
  bundle_keys: BundleKeyTable;
  cases: CaseTable;
  contact_messages: ContactMessageTable;
  clients: ClientTable;
  keyring_check: KeyringCheckTable;
  kept_secrets: KeptSecretTable;
  idempotency: IdempotencyTable;
  object_pieces: ObjectPieceTable;
  objects: ObjectTable;
  orders: OrderTable;
  outbox: OutboxTable;
  provider_events: ProviderEventTable;
  registrations: RegistrationTable;
  tombstones: TombstoneTable;
  sign_in_codes: SignInCodeTable;
  tokens: TokenTable;
  users: UserTable;
  write_checks: WriteCheckTable;
}

/** The database or a transaction on it: queries accept both, so that the caller decides. */
export type Records = Kysely<Tables> | Transaction<Tables>;

/** A boolean in the form that every engine can store. */
type SqlBoolean = 0 | 1;

interface KeyringCheckTable {
  id: 1;
  tag: string;
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
  /** HMAC of the provider's session id, to find the order by it. */
  session_tag: string | null;
  /** The session id, encrypted because it gives access to the inquiry form. */
  session_box: Uint8Array | null;
  /** HMAC of the client that made the order, and of the person if it acted for one; null for one from the website. */
  owner: string | null;
  created_at: number;
  expires_at: number;
  /** When to ask the provider again; null once no change is expected. */
  check_at: number | null;
}

/** What an Idempotency-Key was used for; never the response. */
interface IdempotencyTable {
  key_tag: string;
  body_tag: string;
  record_id: string;
  created_at: number;
}

/** Provider events that have been processed. */
interface ProviderEventTable {
  id: string;
  seen_at: number;
}

interface OutboxTable {
  id: string;
  topic: string;
  /** JSON without secrets. */
  payload: string;
  /** Identifies the work: a second entry with the same value is dropped. */
  dedupe: string;
  due_at: number;
  attempts: number;
  claimed_by: string | null;
  /** 0 if no worker has claimed the entry. */
  claimed_until: number;
  /** Given up after too many attempts; kept for the operator. */
  dead: SqlBoolean;
}

interface CaseTable {
  id: string;
  /** SHA-256 of the lookup token, which is derived from the words. */
  lookup_hash: string;
  /** HMAC of the client that submitted it, and of the person if it acted for one; null for one from the website. */
  owner: string | null;
  /** Identifies a user who signs in with the words. */
  words_tag: string;
  tier: string;
  /** A purged case has no row here, only a tombstone. */
  state: CaseState;
  /** The call that a Dossier includes. */
  call: CallState;
  sealed_by: SealedBy;
  /** Days from delivery to purge. */
  keep_days: number;
  terms_version: string;
  /** `case.key`, encrypted again with the case's shred key, which is stored elsewhere. */
  key_box: Uint8Array;
  submitted_at: number;
  due_at: number;
  delivered_at: number | null;
  /** Null while the case is in progress. */
  purge_at: number | null;
  /** Set as the first step of a purge; cannot be undone. */
  purging: SqlBoolean;
  /** Number and id of the slot with the shred key; null on PostgreSQL, where the key is found by the case's id. */
  shred_slot: number | null;
  shred_id: string | null;
}

/** One for each exported `case.key` of a case; goes with the case. */
interface BundleKeyTable {
  case_id: string;
  /** SHA-256 of the sealed `case.key` in the bundle. */
  case_key_hash: string;
  /** The key of the MAC that a result needs, encrypted. */
  box: Uint8Array;
}

/** What remains of a purged case. */
interface TombstoneTable {
  /** A new id, so that nothing leads back to the case. */
  id: string;
  tier: string;
  /** For example 2026-11. */
  month: string;
  outcome: CaseState;
  /** Lets the words find the purge date for a while; then null, like the next two columns. */
  lookup_hash: string | null;
  /** For example 2026-11-15. */
  purged_on: string | null;
  forget_at: number | null;
}

/** A sealed object of a case, or an upload that is not yet part of a case. */
interface ObjectTable {
  id: string;
  /** Null until the upload becomes part of a case. */
  case_id: string | null;
  /** HMAC of the uploader's authorization; removed when the object is bound to its case, so that nothing leads back. */
  holder: string | null;
  kind: string | null;
  seq: number | null;
  size: number | null;
  kept_at: number;
}

interface ObjectPieceTable {
  object_id: string;
  piece: number;
  size: number;
  bytes: Uint8Array;
}

interface ContactMessageTable {
  id: string;
  /** Sealed to the desk. */
  sealed: Uint8Array;
  sealed_by: SealedBy;
  received_at: number;
  /** When the desk closed the message. */
  done_at: number | null;
  purge_at: number;
}

/** A program that may request tokens. */
interface ClientTable {
  id: string;
  name: string;
  /** A plain SHA-256 is enough for a secret of 256 random bits. */
  secret_hash: string;
  status: (typeof CLIENT_STATUSES)[number];
  /** Separated by spaces, as in OAuth. */
  scopes: string;
  grants: string;
  /** A JSON list. */
  redirect_uris: string;
  credentials: (typeof CREDENTIAL_SETS)[number];
  created_at: number;
}

/** A program's request to become a client. */
interface RegistrationTable {
  id: string;
  name: string;
  /** The developer's e-mail address, encrypted. */
  contact_box: Uint8Array;
  identity_type: (typeof IDENTITY_TYPES)[number];
  credentials: ClientTable['credentials'];
  /** A JSON list. */
  redirect_uris: string;
  /** `approved` while credentials wait to be collected, the first time or after a rotation. */
  status: (typeof REGISTRATION_STATUSES)[number];
  /** SHA-256 of the token with which the program polls its status; null once it has its credentials. */
  token_hash: string | null;
  /** Chosen by the maintainer, in the same form as in a client; empty until then. */
  scopes: string;
  grants: string;
  /** Assigned at approval; the client itself is created when its secret is collected. */
  client_id: string | null;
  /** The one-time link is derived from it. */
  offer: string | null;
  offer_until: number | null;
  created_at: number;
  /** Null once there is a client. */
  forget_at: number | null;
}

/** A person who lets clients act for them, identified by an address or by the words of a case, never by both. */
interface UserTable {
  id: string;
  address_tag: string | null;
  address_box: Uint8Array | null;
  words_tag: string | null;
  created_at: number;
}

/** Everything the authorization server stores: tokens, codes, grants, running sign-ins, used proofs. */
interface TokenTable {
  /** SHA-256 of the token value. */
  id: string;
  kind: string;
  /** The engine's JSON without that value; encrypted if it contains other such values. */
  payload: string;
  client_id: string | null;
  /** The user's grant: everything with the same value is revoked together. */
  grant_id: string | null;
  /** Who gave the grant; only in the row of the grant itself. */
  user_id: string | null;
  uid_hash: string | null;
  consumed_at: number | null;
  expires_at: number;
}

interface SignInCodeTable {
  /** The code is derived from it. */
  id: string;
  /** HMAC of the sign-in that requested the code; no other sign-in can use it. */
  sign_in_tag: string;
  address_tag: string;
  address_box: Uint8Array;
  /** The row whose letter had the long code that this sign-in expects; null for a short code of its own. */
  long_code_id: string | null;
  tries_left: number;
  created_at: number;
  expires_at: number;
}

/** Secrets that the service generated for itself and shares between its processes. */
interface KeptSecretTable {
  name: string;
  box: Uint8Array;
}

/** One row that is written again and again, to know that it can be. */
interface WriteCheckTable {
  id: 1;
  written_at: number;
}
