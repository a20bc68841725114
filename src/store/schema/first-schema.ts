/**
 * The schema of version 1.0.0, with the type names of PostgreSQL; `schema-step.ts` adapts it to SQLite. Once released,
 * it never changes: later versions append steps.
 */
import type { SchemaStep } from './schema-step.ts';

export const firstSchema: SchemaStep = {
  name: '001 first release',
  sql: [
    `create table orders (
      id text not null primary key,
      tier text not null,
      amount integer not null check (amount > 0),
      currency text not null,
      livemode smallint not null check (livemode in (0, 1)),
      payment text not null check (payment in ('pending', 'processing', 'paid', 'failed', 'expired', 'refunded', 'disputed', 'charged_back', 'quarantined')),
      revision integer not null,
      redeemed smallint not null default 0 check (redeemed in (0, 1)),
      session_tag text unique,
      session_ciphertext bytea,
      owner text,
      created_at bigint not null,
      expires_at bigint not null,
      check_at bigint,
      on_hold smallint not null default 0 check (on_hold in (0, 1)),
      return_link_at bigint,
      return_link_hash text,
      form_shown smallint not null default 0 check (form_shown in (0, 1))
    ) without rowid`,
    'create index orders_by_owner on orders (owner, (created_at / 86400000), id) where owner is not null',
    'create index orders_by_payment on orders (payment, created_at)',
    'create index orders_by_return_link on orders (return_link_hash) where return_link_hash is not null',
    'create index orders_due_return_link on orders (return_link_at) where return_link_at is not null',
    'create index orders_on_hold on orders (created_at, id) where on_hold = 1',
    'create index orders_to_check on orders (check_at) where check_at is not null',
    `create table reviewed_orders (
      order_id text not null primary key references orders (id) on delete cascade,
      revision integer not null
    ) without rowid`,
    'create table provider_events (id text not null primary key, seen_at bigint not null) without rowid',
    'create index provider_events_by_age on provider_events (seen_at)',
    `create table idempotency (
      key_tag text not null primary key,
      body_tag text not null,
      record_id text not null,
      created_at bigint not null,
      words_salt text
    ) without rowid`,
    'create index idempotency_by_age on idempotency (created_at)',
    'create index idempotency_by_record on idempotency (record_id)',
    `create table outbox (
      id text not null primary key,
      topic text not null,
      payload text not null,
      dedupe text not null unique,
      due_at bigint not null,
      attempts integer not null,
      claimed_by text,
      claimed_until bigint not null,
      dead smallint not null check (dead in (0, 1)),
      waits_since bigint not null default 0,
      reason text
    ) without rowid`,
    'create index outbox_by_wait on outbox (dead, waits_since, id)',
    'create index outbox_due_by_topic on outbox (topic, due_at) where dead = 0',
    `create table cases (
      id text not null primary key,
      lookup_hash text not null unique,
      owner text,
      words_tag text not null,
      tier text not null,
      state text not null check (state in
        ('received', 'in_progress', 'awaiting_client', 'delivered', 'declined', 'withdrawn')),
      call text not null check (call in ('none', 'offered', 'proposed', 'booked', 'held')),
      sealed_by text not null check (sealed_by in ('browser', 'agent', 'server')),
      sealed_to text,
      terms_version text not null,
      submitted_at bigint not null,
      due_at bigint not null,
      taken_at bigint,
      assignee text,
      taken_from text,
      handed_by text,
      changed_at bigint not null,
      awaiting_reply_since bigint,
      delivered_at bigint,
      released_at bigint,
      state_on_hold text,
      finding_seq integer not null,
      finding_opened smallint not null default 0 check (finding_opened in (0, 1)),
      keep_days integer not null check (keep_days > 0),
      shortened_from integer,
      purge_at bigint,
      kept_until bigint,
      purge_by text,
      purging smallint not null check (purging in (0, 1)),
      notice_id text,
      key_slot integer,
      shred_id text
    ) without rowid`,
    'create index cases_by_owner on cases (owner, submitted_at, id) where owner is not null',
    'create index cases_by_words on cases (words_tag, submitted_at, id)',
    'create index cases_by_state on cases (state, due_at, id)',
    'create index cases_by_assignee on cases (assignee, state, due_at, id) where assignee is not null',
    'create index cases_by_change on cases (changed_at, id)',
    // Few at any time: cases that are awaiting a reply or on hold, or whose purge was requested.
    `create index cases_waiting on cases (state, due_at, id)
      where awaiting_reply_since is not null or state_on_hold is not null or purge_by is not null`,
    'create index cases_to_purge on cases (purge_at) where purge_at is not null',
    // Usually empty: cases that a process has begun to purge.
    'create index cases_being_purged on cases (purge_at) where purging = 1',
    'create index cases_by_notice on cases (notice_id) where notice_id is not null',
    // Separate from the cases, which are listed and changed often. Found by a number derived from the case's id.
    `create table case_keys (
      number bigint not null primary key,
      case_id text not null,
      ciphertext bytea not null
    )`,
    // With its first piece, which is the whole object for most; found by a number derived from its id.
    `create table objects (
      number bigint not null primary key,
      id text not null,
      case_id text references cases (id),
      uploader text,
      kind text,
      seq integer,
      size integer,
      kept_at bigint not null,
      author text,
      bytes bytea,
      check ((case_id is null) = (uploader is not null))
    )`,
    'create unique index objects_by_place on objects (case_id, kind, seq) where case_id is not null',
    'create index objects_by_uploader on objects (uploader) where uploader is not null',
    'create index objects_staged on objects (kept_at) where case_id is null',
    `create table object_pieces (
      number bigint not null primary key,
      object_number bigint not null references objects (number),
      piece integer not null check (piece > 0),
      size integer not null,
      bytes bytea not null
    )`,
    'create index object_pieces_by_object on object_pieces (object_number, piece, size)',
    `create table tombstones (
      id text not null primary key,
      tier text not null,
      month text not null,
      outcome text not null,
      lookup_hash text unique,
      purged_on text,
      forget_at bigint
    ) without rowid`,
    'create index tombstones_to_forget on tombstones (forget_at) where forget_at is not null',
    // Counts of purged cases by week or month, which identify none of them.
    `create table case_counts (
      period text not null,
      what text not null,
      counted integer not null,
      primary key (period, what)
    ) without rowid`,
    `create table notices (
      id text not null primary key,
      address_ciphertext bytea not null,
      told_at bigint not null,
      due_at bigint,
      ends_at bigint
    ) without rowid`,
    'create index notices_due on notices (due_at) where due_at is not null',
    'create index notices_ending on notices (ends_at) where ends_at is not null',
    `create table case_alerts (
      case_id text not null primary key references cases (id) on delete cascade,
      stage text not null check (stage in ('due', 'late')),
      email_id text not null
    ) without rowid`,
    'create index case_alerts_by_email on case_alerts (email_id)',
    `create table contact_messages (
      id text not null primary key,
      sealed_by text not null check (sealed_by in ('browser', 'agent', 'server')),
      received_at bigint not null,
      done_at bigint,
      purge_at bigint not null,
      sealed bytea not null
    ) without rowid`,
    'create index contact_messages_by_age on contact_messages (received_at, id)',
    'create index contact_messages_handled on contact_messages (done_at) where done_at is not null',
    'create index contact_messages_open on contact_messages (received_at, id) where done_at is null',
    'create index contact_messages_to_purge on contact_messages (purge_at)',
    `create table refunds (
      id text not null primary key,
      case_id text unique references cases (id) on delete set null,
      purge_at bigint not null,
      restored smallint not null check (restored in (0, 1)),
      sealed bytea not null
    ) without rowid`,
    `create table draft_keys (
      form_tag text not null primary key,
      half_ciphertext bytea not null,
      created_at bigint not null
    ) without rowid`,
    'create index draft_keys_by_age on draft_keys (created_at)',
    `create table terms_texts (
      version text not null primary key,
      text text not null,
      first_at bigint not null,
      last_at bigint not null
    ) without rowid`,
    `create table clients (
      id text not null primary key,
      name text not null,
      secret_hash text not null,
      status text not null check (status in ('active', 'suspended')),
      scopes text not null,
      grants text not null,
      redirect_uris text not null,
      credentials text not null check (credentials in ('bearer', 'dpop', 'bearer dpop')),
      created_at bigint not null
    ) without rowid`,
    "create index clients_of_documents on clients (created_at) where substr(id, 1, 6) = 'https:'",
    `create table registrations (
      id text not null primary key,
      name text not null,
      contact_ciphertext bytea not null,
      identity_type text not null check (identity_type in ('email', 'did', 'oauth')),
      credentials text not null check (credentials in ('bearer', 'dpop', 'bearer dpop')),
      redirect_uris text not null,
      status text not null check (status in ('pending', 'approved', 'collected', 'rejected')),
      token_hash text,
      scopes text not null,
      grants text not null,
      client_id text unique,
      offer text,
      offer_until bigint,
      created_at bigint not null,
      forget_at bigint
    ) without rowid`,
    'create index registrations_by_age on registrations (created_at, id)',
    'create index registrations_by_status on registrations (status, created_at, id)',
    'create index registrations_offered on registrations (offer_until) where offer_until is not null',
    'create index registrations_to_forget on registrations (forget_at) where forget_at is not null',
    `create table users (
      id text not null primary key,
      address_tag text unique,
      address_ciphertext bytea,
      words_tag text unique,
      created_at bigint not null,
      words_ciphertext bytea
    ) without rowid`,
    `create table tokens (
      id text not null primary key,
      kind text not null,
      payload text not null,
      client_id text,
      grant_id text,
      uid_hash text,
      consumed_at bigint,
      expires_at bigint not null,
      user_id text
    ) without rowid`,
    'create index tokens_by_client on tokens (client_id, kind) where client_id is not null',
    'create index tokens_by_end on tokens (expires_at)',
    'create index tokens_by_grant on tokens (grant_id, kind) where grant_id is not null',
    'create index tokens_by_uid on tokens (uid_hash) where uid_hash is not null',
    'create index tokens_by_user on tokens (user_id) where user_id is not null',
    "create index tokens_of_sign_ins on tokens (kind, expires_at) where kind in ('Interaction', 'Session')",
    `create table sign_in_codes (
      id text not null primary key,
      sign_in_tag text not null,
      address_tag text not null,
      address_ciphertext bytea not null,
      tries_left integer not null,
      created_at bigint not null,
      expires_at bigint not null,
      long_code_id text
    ) without rowid`,
    'create index sign_in_codes_by_address on sign_in_codes (address_tag, created_at)',
    'create index sign_in_codes_by_age on sign_in_codes (created_at)',
    'create index sign_in_codes_by_sign_in on sign_in_codes (sign_in_tag)',
    `create table webhooks (
      id text not null primary key,
      client_tag text not null unique,
      ciphertext bytea not null,
      state text not null check (state in ('marking', 'set', 'ending')),
      created_on bigint not null,
      last_on bigint,
      last_fault text
    ) without rowid`,
    "create index webhooks_unsettled on webhooks (id) where state in ('marking', 'ending')",
    `create table case_webhooks (
      case_id text not null primary key references cases (id) on delete cascade,
      client_ciphertext bytea not null,
      told_at bigint not null,
      due_at bigint
    ) without rowid`,
    'create index case_webhooks_due on case_webhooks (due_at) where due_at is not null',
    `create table order_webhooks (
      order_id text not null primary key references orders (id) on delete cascade,
      client_ciphertext bytea not null
    ) without rowid`,
    `create table webhook_events (
      id text not null primary key,
      kind text not null check (kind in ('order', 'case', 'test')),
      queue_tag text not null,
      ciphertext bytea not null,
      due_at bigint not null,
      ends_at bigint not null,
      attempts integer not null,
      claimed_until bigint not null
    ) without rowid`,
    'create index webhook_events_by_queue on webhook_events (queue_tag)',
    'create index webhook_events_due on webhook_events (kind, due_at)',
    'create index webhook_events_ending on webhook_events (ends_at)',
    `create table desk_challenges (
      id text not null primary key,
      investigator text not null,
      nonce_hash text not null,
      expires_at bigint not null
    ) without rowid`,
    'create index desk_challenges_by_expiry on desk_challenges (expires_at)',
    `create table desk_sessions (
      id text not null primary key,
      investigator text not null,
      jkt text not null,
      expires_at bigint not null
    ) without rowid`,
    'create index desk_sessions_by_expiry on desk_sessions (expires_at)',
    `create table desk_digests (
      id smallint not null primary key check (id = 1),
      slot integer not null
    ) without rowid`,
    `create table digest_lines (
      id text not null primary key,
      who text,
      act text not null check (act in ('decline', 'purge', 'purge_now')),
      had_by text not null,
      due_at bigint not null
    ) without rowid`,
    `create table audit_entries (
      entry_hash text not null primary key,
      number bigint unique,
      hash text,
      salt text,
      entry text,
      subject_id text
    ) without rowid`,
    'create index audit_entries_by_subject on audit_entries (subject_id, number) where subject_id is not null',
    'create index audit_entries_unchained on audit_entries (entry) where number is null',
    `create table audit_head (
      id smallint not null primary key check (id = 1),
      number bigint not null,
      hash text not null
    ) without rowid`,
    `create table recipient_set (
      id smallint not null primary key check (id = 1),
      tag text not null,
      members text not null,
      changes integer not null default 0
    ) without rowid`,
    'create table master_keys (tag text not null primary key, sealed_at bigint) without rowid',
    'create table kept_secrets (name text not null primary key, ciphertext bytea not null) without rowid',
    `create table records_installation (
      id smallint not null primary key check (id = 1),
      installation_id text not null,
      generation bigint not null,
      leader text,
      leads_until bigint not null default 0
    ) without rowid`,
    `create table previous_installations (
      id text not null primary key,
      generation bigint not null
    ) without rowid`,
    `create table last_backup (
      id smallint not null primary key check (id = 1),
      records_at bigint,
      keys_at bigint
    ) without rowid`,
    `create table last_seen_time (
      id smallint not null primary key check (id = 1),
      seen_at bigint not null,
      accepted bigint not null,
      database_behind bigint not null
    ) without rowid`,
    // Hashes of what each step executed, for which the table of Kysely's migrator has no column.
    'create table schema_hashes (name text not null primary key, hash text not null) without rowid',
  ],
  postgres: [
    // Sealed data cannot be compressed.
    'alter table case_keys alter column ciphertext set storage external',
    'alter table objects alter column bytes set storage external',
    'alter table object_pieces alter column bytes set storage external',
    // With SQLite, the shred keys are in a separate file.
    'create table shred_keys (case_id text not null primary key, key bytea not null)',
    `create table shred_installation (
      id smallint not null primary key check (id = 1),
      installation_id text not null,
      generation bigint not null
    )`,
  ],
};
