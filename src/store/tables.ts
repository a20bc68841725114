/** Every table of the record store as types; migrations.ts creates them. Times are epoch milliseconds. */
import type { Kysely, Transaction } from 'kysely';

export interface Tables {
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
}

/** The store outside or inside a transaction: queries take either, so that their caller decides. */
export type Records = Kysely<Tables> | Transaction<Tables>;

/** Booleans, as every engine can keep them. */
export type SqlBoolean = 0 | 1;

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
  /** Follows the provider's word alone; whether the order was used for an inquiry stands in `redeemed`. */
  payment:
    | 'pending'
    | 'processing'
    | 'paid'
    | 'failed'
    | 'expired'
    | 'refunded'
    | 'disputed'
    | 'charged_back'
    | 'quarantined';
  /** Counts the changes of `payment`, so that two readers of the provider cannot overwrite each other. */
  revision: number;
  redeemed: SqlBoolean;
  /** HMAC of the provider's session id, to find the order by it. */
  session_tag: string | null;
  /** The session id itself, encrypted: whoever holds it may open the inquiry form. */
  session_box: Uint8Array | null;
  /** HMAC of the client that made the order; null for a person at the site. */
  owner: string | null;
  created_at: number;
  expires_at: number;
  /** When the provider is to be asked again; null once nothing more is expected. */
  check_at: number | null;
}

/** What an Idempotency-Key was used for: never the answer itself. */
interface IdempotencyTable {
  key_tag: string;
  body_tag: string;
  record_id: string;
  created_at: number;
}

/** The provider's events that have had their effect. */
interface ProviderEventTable {
  id: string;
  seen_at: number;
}

interface OutboxTable {
  id: string;
  topic: string;
  /** JSON; never anything secret. */
  payload: string;
  /** What the work is about: a second entry for the same is dropped. */
  dedupe: string;
  due_at: number;
  attempts: number;
  claimed_by: string | null;
  /** 0 when nobody holds the entry. */
  claimed_until: number;
  /** Given up after too many attempts; kept for the operator. */
  dead: SqlBoolean;
}

/** Where plain text became sealed: only of `server` did this service ever hold it. */
export type SealedBy = 'browser' | 'agent' | 'server';

export type KeepDays = 30 | 90 | 180 | 365;

interface CaseTable {
  id: string;
  /** SHA-256 of the lookup token, which whoever has the words can derive. */
  lookup_hash: string;
  /** HMAC of the client that submitted it; null for a person at the site. */
  owner: string | null;
  /** HMAC of the user for whom it was submitted. */
  user_tag: string | null;
  /** What a user who signs in with the words is known by. */
  words_tag: string;
  tier: string;
  /** What comes after, `purged`, is a tombstone. */
  state: 'received' | 'in_progress' | 'awaiting_client' | 'delivered' | 'declined' | 'withdrawn';
  /** The call that a Dossier includes. */
  call: 'none' | 'offered' | 'booked' | 'held';
  sealed_by: SealedBy;
  /** How long after the delivery the file is kept. */
  keep_days: KeepDays;
  terms_version: string;
  /** `case.key`, encrypted once more under the shred key of the case, which lies elsewhere. */
  key_box: Uint8Array;
  submitted_at: number;
  due_at: number;
  delivered_at: number | null;
  /** Null while the case is worked on. */
  purge_at: number | null;
  /** Set first of all by a purge: from here there is no way back. */
  purging: SqlBoolean;
}

/** What stays of a purged case. */
interface TombstoneTable {
  /** New, so that nothing leads to the case. */
  id: string;
  tier: string;
  /** As 2026-11. */
  month: string;
  outcome: CaseTable['state'];
  /** For a while, so that whoever has the words is told; then null, like the two below. */
  lookup_hash: string | null;
  /** As 2026-11-15. */
  purged_on: string | null;
  forget_at: number | null;
}

/** A sealed thing of a case, or one that was uploaded and waits for its case. */
interface ObjectTable {
  id: string;
  /** Null while it waits. */
  case_id: string | null;
  /** HMAC of what entitles to the upload; gone once the object has its case, so that nothing leads back. */
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
  /** When the desk had dealt with it. */
  done_at: number | null;
  purge_at: number;
}

/** A program that may ask for tokens. */
interface ClientTable {
  id: string;
  name: string;
  /** SHA-256 of 256 random bits: nothing shorter could be found by guessing. */
  secret_hash: string;
  status: 'active' | 'suspended';
  /** Names with blanks between them, as OAuth writes them. */
  scopes: string;
  grants: string;
  /** A JSON list. */
  redirect_uris: string;
  credentials: 'bearer' | 'dpop' | 'bearer dpop';
  created_at: number;
}

/** A program that asks to become a client. */
interface RegistrationTable {
  id: string;
  name: string;
  /** Where its maker can be reached, encrypted. */
  contact_box: Uint8Array;
  identity_type: 'email' | 'did' | 'oauth';
  credentials: ClientTable['credentials'];
  /** A JSON list. */
  redirect_uris: string;
  /** `approved` while credentials wait to be collected, the first time or after a rotation. */
  status: 'pending' | 'approved' | 'collected' | 'rejected';
  /** SHA-256 of what the program shows when it asks how things stand; null once it has its credentials. */
  token_hash: string | null;
  /** What the maintainer chose, as in a client; empty until then. */
  scopes: string;
  grants: string;
  /** Chosen at the approval; the client itself is made with its secret. */
  client_id: string | null;
  /** What the one-time link is derived from. */
  offer: string | null;
  offer_until: number | null;
  created_at: number;
  /** Null once there is a client. */
  forget_at: number | null;
}

/** A person who lets programs act for them: known by an address or by the words of a case, never by both. */
interface UserTable {
  id: string;
  address_tag: string | null;
  address_box: Uint8Array | null;
  words_tag: string | null;
  created_at: number;
}

/** What the authorization server keeps: tokens, codes, grants, sign-ins under way, proofs that were used. */
interface TokenTable {
  /** SHA-256 of the value that its holder shows. */
  id: string;
  kind: string;
  /** The engine's own JSON, without that value; sealed where it would name another such value. */
  payload: string;
  client_id: string | null;
  /** The consent behind it: what is revoked together. */
  grant_id: string | null;
  uid_hash: string | null;
  consumed_at: number | null;
  expires_at: number;
}

interface SignInCodeTable {
  /** The code itself is derived from it. */
  id: string;
  /** HMAC of the sign-in that asked for the code: no other can use it. */
  sign_in_tag: string;
  address_tag: string;
  address_box: Uint8Array;
  tries_left: number;
  created_at: number;
  expires_at: number;
}

/** Secrets that the service made for itself and all its processes share. */
interface KeptSecretTable {
  name: string;
  box: Uint8Array;
}
