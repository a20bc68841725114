/** All tables of the record store; those of cases are in a separate file. Times are epoch milliseconds. */
import type { Generated, Kysely, Transaction } from 'kysely';
import type { CaseTables } from './case-tables.ts';
import type {
  CLIENT_STATUSES,
  CREDENTIAL_SETS,
  DigestAct,
  EventKind,
  IDENTITY_TYPES,
  PaymentState,
  REGISTRATION_STATUSES,
  SqlBoolean,
  WebhookState,
} from './column-values.ts';

export interface Tables extends CaseTables {
  /** One for each client that set a webhook. */
  webhooks: {
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
  };
  /** A case whose client is notified of events; deleted with the case or the webhook. Not in any backup. */
  case_webhooks: {
    case_id: string;
    /** The client's id, encrypted. */
    client_ciphertext: Uint8Array;
    /** The time of the last event that was reported. */
    told_at: number;
    /** The time of the next one; null while none is known. */
    due_at: number | null;
  };
  /** An order that may still be paid, and whose client is then notified; deleted once it is paid. Not in any backup. */
  order_webhooks: { order_id: string; client_ciphertext: Uint8Array };
  /** An event to be sent; deleted once it is delivered, or after some days. Not in any backup. */
  webhook_events: {
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
  };
  orders: {
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
  };
  /** Orders that were reviewed; a later change of the payment has a higher revision. */
  reviewed_orders: { order_id: string; revision: number };
  /** Provider events that have been processed. */
  provider_events: { id: string; seen_at: number };
  /** An act that ended another investigator's case. Names no case; deleted once it was sent. */
  digest_lines: {
    id: string;
    /** Who did it: the SHA-256 of their public key; null for the command line without a key. */
    who: string | null;
    act: DigestAct;
    had_by: string;
    /** No digest includes it before this time: a decline can still be taken back. */
    due_at: number;
  };
  /** Valid for a minute. */
  desk_challenges: {
    id: string;
    /** SHA-256 of the public key that it is sealed to, which may be a stranger's. */
    investigator: string;
    /** SHA-256 of the nonce in it. */
    nonce_hash: string;
    expires_at: number;
  };
  desk_sessions: {
    /** SHA-256 of the token. */
    id: string;
    /** SHA-256 of the investigator's public key. */
    investigator: string;
    /** Thumbprint of the key that signs the proofs of this session (RFC 7638). */
    jkt: string;
    expires_at: number;
  };
  audit_entries: {
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
  };
  /** One row: the last entry. */
  audit_head: { id: 1; number: number; hash: string };
  /** The master keys that records were sealed or tagged with; two while the key is being changed. */
  master_keys: {
    tag: string;
    /** When a service last ran with it; null if none has. */
    sealed_at: number | null;
  };
  /** Half of the key of a draft, for the form of one payment. */
  draft_keys: { form_tag: string; half_ciphertext: Uint8Array; created_at: number };
  /** What an Idempotency-Key was used for; never the response. */
  idempotency: {
    key_tag: string;
    body_tag: string;
    record_id: string;
    created_at: number;
    /** With this and the key that the client has, the case's words can be generated again; null if there are none. */
    words_salt: string | null;
  };
  outbox: {
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
  };
  /** Secrets that the service generated for itself and shares between its processes. */
  kept_secrets: { name: string; ciphertext: Uint8Array };
  /** Must match what the shred keys have. */
  records_installation: {
    id: 1;
    installation_id: string;
    generation: number;
    /** The instance that does what only one has to do, until this time of the database's clock; not on SQLite. */
    leader: Generated<string | null>;
    leads_until: Generated<number>;
  };
  /** One row: the last time that the service saw. */
  last_seen_time: {
    id: 1;
    seen_at: number;
    /** How often an operator has accepted clock skew. */
    accepted: number;
    /** By how much the database's clock was behind when the operator accepted that. */
    database_behind: number;
  };
  /** The public keys that cases are sealed to. */
  recipient_set: {
    id: 1;
    tag: string;
    /** JSON: name, role and hash of each, for people to read. The keys to seal to come only from the configuration. */
    members: string;
    /** How often the keys were replaced. */
    changes: number;
  };
  /** One row: the half day of the last digest. */
  desk_digests: { id: 1; slot: number };
  previous_installations: { id: string; generation: number };
  last_backup: { id: 1; records_at: number | null; keys_at: number | null };
  terms_texts: {
    version: string;
    /** As shown, in Markdown. */
    text: string;
    first_at: number;
    /** When an instance last had it in force. */
    last_at: number;
  };
  /** A program that may request tokens. */
  clients: {
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
    /** For a client described by a document, the day on which a person last allowed it. */
    created_at: number;
  };
  /** A program's request to become a client. */
  registrations: {
    id: string;
    name: string;
    /** The developer's e-mail address, encrypted. */
    contact_ciphertext: Uint8Array;
    identity_type: (typeof IDENTITY_TYPES)[number];
    credentials: (typeof CREDENTIAL_SETS)[number];
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
  };
  /** A person who lets clients act for them, identified by an address or by the words of a case, never by both. */
  users: {
    id: string;
    address_tag: string | null;
    address_ciphertext: Uint8Array | null;
    /** HMAC of the `words_tag` of the case, so that the records do not reveal which case it is. */
    words_tag: string | null;
    /** The `words_tag` of the case, encrypted. */
    words_ciphertext: Uint8Array | null;
    created_at: number;
  };
  /** Everything the authorization server stores: tokens, codes, grants, sign-ins in progress, used proofs. */
  tokens: {
    /** SHA-256 of the token value. */
    id: string;
    kind: string;
    /** The OAuth engine's JSON without that value; encrypted if it contains other such values. */
    payload: string;
    client_id: string | null;
    /** The user's grant: everything with the same value is revoked together. */
    grant_id: string | null;
    /** Who gave the grant; only in the row of the grant itself. */
    user_id: string | null;
    /** The second id of a session; for a sign-in that no person has completed yet, the `sign_in_tag` of its codes. */
    uid_hash: string | null;
    consumed_at: number | null;
    expires_at: number;
  };
  sign_in_codes: {
    /** The code is derived from it. */
    id: string;
    /** HMAC of the sign-in that requested the code; no other sign-in can use it. */
    sign_in_tag: string;
    address_tag: string;
    address_ciphertext: Uint8Array;
    /** The row whose e-mail had the long code that this sign-in expects; null for a short code of its own. */
    long_code_id: string | null;
    tries_left: number;
    created_at: number;
    expires_at: number;
  };
  /** Only on PostgreSQL; with SQLite, the shred keys are in a separate file. */
  shred_keys: { case_id: string; key: Uint8Array };
  shred_installation: { id: 1; installation_id: string; generation: number };
  /** The table of Kysely's migrator. */
  schema_steps: { name: string; timestamp: string };
  schema_hashes: { name: string; hash: string };
}

/** The database or a transaction on it: queries accept both, so that the caller decides. */
export type Records = Kysely<Tables> | Transaction<Tables>;
