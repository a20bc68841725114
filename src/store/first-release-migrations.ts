/** The schema of version 0.1.0, step by step. None of these steps may change: databases were made with them. */
import type { SchemaStep } from './schema-step.ts';
import { shredKeysSql } from './shred-table.ts';

export const firstReleaseMigrations: readonly SchemaStep[] = [
  {
    name: 'orders and outbox',
    sql: [
      `create table keyring_check (
        id smallint not null primary key check (id = 1),
        tag text not null
      ) without rowid`,
      `create table orders (
        id text not null primary key,
        tier text not null,
        amount integer not null check (amount > 0),
        currency text not null,
        livemode smallint not null check (livemode in (0, 1)),
        payment text not null check (payment in
          ('pending', 'processing', 'paid', 'failed', 'expired', 'refunded', 'disputed', 'charged_back',
           'quarantined')),
        revision integer not null,
        redeemed smallint not null default 0 check (redeemed in (0, 1)),
        session_tag text unique,
        session_box bytea,
        owner text,
        created_at bigint not null,
        expires_at bigint not null,
        check_at bigint
      ) without rowid`,
      'create index orders_by_owner on orders (owner, created_at, id) where owner is not null',
      'create index orders_to_check on orders (check_at) where check_at is not null',
      `create table outbox (
        id text not null primary key,
        topic text not null,
        payload text not null,
        dedupe text not null unique,
        due_at bigint not null,
        attempts integer not null,
        claimed_by text,
        claimed_until bigint not null,
        dead smallint not null check (dead in (0, 1))
      ) without rowid`,
      'create index outbox_due on outbox (due_at) where dead = 0',
    ],
  },
  {
    name: 'payments',
    sql: [
      `create table provider_events (
        id text not null primary key,
        seen_at bigint not null
      ) without rowid`,
      'create index provider_events_by_age on provider_events (seen_at)',
      `create table idempotency (
        key_tag text not null primary key,
        body_tag text not null,
        record_id text not null,
        created_at bigint not null
      ) without rowid`,
      'create index idempotency_by_age on idempotency (created_at)',
    ],
  },
  {
    name: 'cases',
    sql: [
      `create table cases (
        id text not null primary key,
        lookup_hash text not null unique,
        owner text,
        user_tag text,
        words_tag text not null,
        tier text not null,
        state text not null check (state in
          ('received', 'in_progress', 'awaiting_client', 'delivered', 'declined', 'withdrawn')),
        call text not null check (call in ('none', 'offered', 'booked', 'held')),
        sealed_by text not null check (sealed_by in ('browser', 'agent', 'server')),
        keep_days integer not null check (keep_days in (30, 90, 180, 365)),
        terms_version text not null,
        key_box bytea not null,
        submitted_at bigint not null,
        due_at bigint not null,
        delivered_at bigint,
        purge_at bigint,
        purging smallint not null check (purging in (0, 1))
      ) without rowid`,
      'create index idempotency_by_record on idempotency (record_id)',
      'create index cases_by_due on cases (due_at, id)',
      'create index cases_by_owner on cases (owner, submitted_at, id) where owner is not null',
      'create index cases_by_user on cases (user_tag, submitted_at, id) where user_tag is not null',
      'create index cases_by_words on cases (words_tag, submitted_at, id)',
      'create index cases_to_purge on cases (purge_at) where purge_at is not null',
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
      `create table objects (
        id text not null primary key,
        case_id text references cases (id),
        holder text,
        kind text,
        seq integer,
        size integer,
        kept_at bigint not null,
        check ((case_id is null) = (holder is not null))
      ) without rowid`,
      'create unique index objects_by_place on objects (case_id, kind, seq) where case_id is not null',
      'create index objects_by_holder on objects (holder) where holder is not null',
      'create index objects_staged on objects (kept_at) where case_id is null',
      `create table object_pieces (
        object_id text not null references objects (id),
        piece integer not null,
        size integer not null,
        bytes bytea not null,
        primary key (object_id, piece)
      ) without rowid`,
      `create table contact_messages (
        id text not null primary key,
        sealed bytea not null,
        sealed_by text not null check (sealed_by in ('browser', 'agent', 'server')),
        received_at bigint not null,
        done_at bigint,
        purge_at bigint not null
      ) without rowid`,
      'create index contact_messages_by_age on contact_messages (received_at, id)',
      'create index contact_messages_to_purge on contact_messages (purge_at)',
    ],
  },
  { name: 'shred keys', on: 'postgres', sql: shredKeysSql },
  {
    name: 'oauth',
    sql: [
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
      `create table users (
        id text not null primary key,
        address_tag text unique,
        address_box bytea,
        words_tag text unique,
        created_at bigint not null
      ) without rowid`,
      `create table tokens (
        id text not null primary key,
        kind text not null,
        payload text not null,
        client_id text,
        grant_id text,
        uid_hash text,
        consumed_at bigint,
        expires_at bigint not null
      ) without rowid`,
      'create index tokens_by_grant on tokens (grant_id, kind) where grant_id is not null',
      'create index tokens_by_uid on tokens (uid_hash) where uid_hash is not null',
      'create index tokens_by_end on tokens (expires_at)',
      `create table sign_in_codes (
        id text not null primary key,
        sign_in_tag text not null,
        address_tag text not null,
        address_box bytea not null,
        tries_left integer not null,
        created_at bigint not null,
        expires_at bigint not null
      ) without rowid`,
      'create index sign_in_codes_by_sign_in on sign_in_codes (sign_in_tag)',
      'create index sign_in_codes_by_address on sign_in_codes (address_tag, created_at)',
      'create index sign_in_codes_by_age on sign_in_codes (created_at)',
      `create table kept_secrets (
        name text not null primary key,
        box bytea not null
      ) without rowid`,
      'create index outbox_due_by_topic on outbox (topic, due_at) where dead = 0',
      'drop index outbox_due',
    ],
  },
  {
    name: 'agent registrations',
    sql: [
      `create table registrations (
        id text not null primary key,
        name text not null,
        contact_box bytea not null,
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
      "create index registrations_pending on registrations (id) where status = 'pending'",
      'create index registrations_to_forget on registrations (forget_at) where forget_at is not null',
    ],
  },
];
