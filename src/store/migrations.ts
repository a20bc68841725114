/** The schema migrations: append only, one transaction each, the same SQL for every engine. */
import { auditLogSql } from './audit-tables.ts';
import { callbacksSql } from './callback-tables.ts';
import { deskQueueSql, postgresHoldersSql, sqliteHoldersSql } from './desk-queue-sql.ts';
import { firstReleaseMigrations } from './first-release-migrations.ts';
import { formerPairingsSql } from './former-pairings.ts';
import { postgresKeepDaysSql, sqliteKeepDaysSql } from './keep-days-sql.ts';
import { lastBackupSql } from './last-backup.ts';
import { orderDaysSql } from './order-days-sql.ts';
import { pairingSql } from './pairing.ts';
import {
  numberedCasesSql,
  numberedContactMessagesSql,
  numberedPiecesSql,
  postgresProposedCallsSql,
  sqliteProposedCallsSql,
} from './random-rowids-sql.ts';
import type { SchemaStep } from './schema-step.ts';
import { sealingSetSql } from './sealing-set-sql.ts';
import { shredPairingSql, unboundShredKeysSql } from './shred-table.ts';
import { storageCapsSql } from './storage-caps-sql.ts';
import { strictTablesSql } from './strict-tables-sql.ts';
import { unansweredCasesSql } from './unanswered-messages.ts';
import { waitingIndexesSql } from './waiting-indexes-sql.ts';

export const schemaMigrations: readonly SchemaStep[] = [
  ...firstReleaseMigrations,
  { name: 'any number of days on SQLite', on: 'sqlite', sql: sqliteKeepDaysSql },
  { name: 'any number of days on PostgreSQL', on: 'postgres', sql: postgresKeepDaysSql },
  {
    // Cases of one person at several clients are no longer linked.
    name: 'no tag of the user',
    sql: ['drop index cases_by_user', 'alter table cases drop column user_tag'],
  },
  {
    // The row of a letter with a long code names itself; later sign-ins of that address name that row.
    name: 'long sign-in codes',
    sql: ['alter table sign_in_codes add column long_code_id text'],
  },
  {
    name: 'grants by user',
    sql: [
      'alter table tokens add column user_id text',
      'create index tokens_by_user on tokens (user_id) where user_id is not null',
    ],
  },
  {
    name: 'users of stored grants on SQLite',
    on: 'sqlite',
    sql: ["update tokens set user_id = json_extract(payload, '$.accountId') where kind = 'Grant'"],
  },
  {
    name: 'users of stored grants on PostgreSQL',
    on: 'postgres',
    sql: ["update tokens set user_id = payload::json ->> 'accountId' where kind = 'Grant'"],
  },
  {
    name: 'bundle keys',
    sql: [
      `create table bundle_keys (
        case_id text not null references cases (id) on delete cascade,
        case_key_hash text not null,
        box bytea not null,
        primary key (case_id, case_key_hash)
      ) without rowid`,
    ],
  },
  { name: 'orders keep the day', sql: orderDaysSql },
  { name: 'caps', sql: storageCapsSql },
  {
    name: 'shred slots',
    sql: ['alter table cases add column shred_slot integer', 'alter table cases add column shred_id text'],
  },
  {
    name: 'cases without a shred slot',
    on: 'sqlite',
    sql: ['create index cases_without_slot on cases (id) where shred_slot is null'],
  },
  { name: 'shred keys without marks', on: 'postgres', sql: unboundShredKeysSql },
  {
    // The service fills it at its start: only the keyring can.
    name: 'users apart from their case',
    sql: ['alter table users add column words_box bytea'],
  },
  {
    name: 'held orders',
    sql: ['alter table orders add column held smallint not null default 0 check (held in (0, 1))'],
  },
  { name: 'pairing', sql: pairingSql },
  { name: 'pairing of the shred keys', on: 'postgres', sql: shredPairingSql },
  {
    name: 'reasons in the outbox',
    sql: [
      'alter table outbox add column waits_since bigint not null default 0',
      'alter table outbox add column reason text',
      'update outbox set waits_since = due_at',
    ],
  },
  {
    name: 'clock notes',
    sql: [
      `create table clock_notes (
        id smallint not null primary key check (id = 1),
        noted_at bigint not null,
        accepted bigint not null,
        database_behind bigint not null
      ) without rowid`,
      // The last time that a former version wrote.
      `insert into clock_notes (id, noted_at, accepted, database_behind)
        select 1, written_at, 0, 0 from write_checks`,
    ],
  },
  {
    name: 'master keys',
    sql: ['create table master_keys (tag text not null primary key, sealed_at bigint) without rowid'],
  },
  { name: 'the first master key', sql: ['insert into master_keys (tag) select tag from keyring_check'] },
  { name: 'no check of one master key', sql: ['drop table keyring_check'] },
  { name: 'sealing set', sql: sealingSetSql },
  {
    // For what is counted again and again: due, late and unanswered cases.
    name: 'cases by state',
    sql: ['create index cases_by_state on cases (state, due_at, id)'],
  },
  {
    name: 'letters to the desk',
    sql: [
      `create table case_alerts (
        case_id text not null primary key references cases (id) on delete cascade,
        stage text not null check (stage in ('due', 'late')),
        letter text not null
      ) without rowid`,
      'create index case_alerts_by_letter on case_alerts (letter)',
      `create table desk_digests (
        id smallint not null primary key check (id = 1),
        slot integer not null
      ) without rowid`,
      `create table attended_orders (
        order_id text not null primary key references orders (id) on delete cascade,
        revision integer not null
      ) without rowid`,
    ],
  },
  { name: 'outbox by wait', sql: ['create index outbox_by_wait on outbox (dead, waits_since)'] },
  {
    name: 'held deliveries',
    sql: [
      'alter table cases add column released_at bigint',
      'alter table cases add column held_state text',
      'alter table cases add column finding_seq integer not null default 0',
    ],
  },
  { name: 'shortened retention', sql: ['alter table cases add column shortened_from integer'] },
  { name: 'last backup', sql: lastBackupSql },
  { name: 'former pairings', sql: formerPairingsSql },
  {
    name: 'changes of the sealing set',
    sql: ['alter table sealing_set add column changes integer not null default 0'],
  },
  { name: 'indexes of what waits', sql: waitingIndexesSql },
  { name: 'unanswered cases', sql: unansweredCasesSql },
  {
    // SQLite reads a whole row, bytes and all, to compare its key; an index of the keys alone spares that.
    name: 'pieces by object',
    sql: ['create index object_pieces_by_object on object_pieces (object_id, piece, size)'],
  },
  {
    // Orders that were paid before get no letter: their buyers were not told of one.
    name: 'ways back to paid forms',
    sql: [
      'alter table orders add column way_back_at bigint',
      'alter table orders add column way_back_hash text',
      'create index orders_by_way_back on orders (way_back_hash) where way_back_hash is not null',
      'create index orders_due_way_back on orders (way_back_at) where way_back_at is not null',
    ],
  },
  { name: 'numbered pieces', on: 'sqlite', sql: numberedPiecesSql },
  { name: 'numbered contact messages', on: 'sqlite', sql: numberedContactMessagesSql },
  { name: 'numbered cases', on: 'sqlite', sql: numberedCasesSql },
  {
    name: 'draft keys',
    sql: [
      `create table draft_keys (
        form_tag text not null primary key,
        half_box bytea not null,
        created_at bigint not null
      ) without rowid`,
      'create index draft_keys_by_age on draft_keys (created_at)',
    ],
  },
  {
    name: 'texts of the terms',
    sql: [
      `create table terms_texts (
        version text not null primary key,
        text text not null,
        first_at bigint not null,
        last_at bigint not null
      ) without rowid`,
      // Forms that are open during the upgrade still name it.
      `insert into terms_texts (version, text, first_at, last_at)
        select '2026-11', '# Terms of November 2026', last_at, last_at
          from (
            select max(at) as last_at from (
              select submitted_at as at from cases
              union all select created_at from orders where payment = 'paid' and redeemed = 0
            ) as times
          ) as newest where last_at is not null`,
    ],
  },
  {
    name: 'notices',
    sql: [
      `create table notices (
        id text not null primary key,
        address_box bytea not null,
        told_at bigint not null,
        due_at bigint,
        ends_at bigint
      ) without rowid`,
      'create index notices_due on notices (due_at) where due_at is not null',
      'create index notices_ending on notices (ends_at) where ends_at is not null',
      'alter table cases add column notice_id text',
      'alter table cases add column news_hash text',
      'create index cases_by_notice on cases (notice_id) where notice_id is not null',
      'create index cases_by_news on cases (news_hash) where news_hash is not null',
    ],
  },
  // Nobody knows it of older cases.
  { name: 'when cases are taken up', sql: ['alter table cases add column taken_at bigint'] },
  { name: 'proposed calls on SQLite', on: 'sqlite', sql: sqliteProposedCallsSql },
  { name: 'proposed calls on PostgreSQL', on: 'postgres', sql: postgresProposedCallsSql },
  {
    name: 'sessions of the desk',
    sql: [
      `create table desk_challenges (
        id text not null primary key,
        holder text not null,
        nonce_hash text not null,
        expires_at bigint not null
      ) without rowid`,
      'create index desk_challenges_by_expiry on desk_challenges (expires_at)',
      `create table desk_sessions (
        id text not null primary key,
        holder text not null,
        jkt text not null,
        expires_at bigint not null
      ) without rowid`,
      'create index desk_sessions_by_expiry on desk_sessions (expires_at)',
    ],
  },
  { name: 'queue of the desk', sql: deskQueueSql },
  { name: 'holders on SQLite', on: 'sqlite', sql: sqliteHoldersSql },
  { name: 'holders on PostgreSQL', on: 'postgres', sql: postgresHoldersSql },
  { name: 'audit log', sql: auditLogSql },
  { name: 'callbacks', sql: callbacksSql },
  {
    name: 'purges that wait',
    sql: [
      'alter table cases add column kept_until bigint',
      'alter table cases add column purge_by text',
      'alter table cases add column taken_from text',
      'create index cases_to_purge_by_due on cases (state, due_at, id) where purge_by is not null',
      `create table digest_lines (
        id text not null primary key,
        who text,
        act text not null check (act in ('decline', 'purge', 'purge_now')),
        had_by text not null
      ) without rowid`,
    ],
  },
  {
    name: 'no private feeds',
    sql: ['drop index cases_by_news', 'alter table cases drop column news_hash'],
  },
  { name: 'strict tables', on: 'sqlite', sql: strictTablesSql },
  { name: 'no bundle keys', sql: ['drop table bundle_keys'] },
];
