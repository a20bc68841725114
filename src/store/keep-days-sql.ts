/** Lets the store keep a case for any number of days, so that the choices in the code can change. */

export const postgresKeepDaysSql = [
  'alter table cases drop constraint cases_keep_days_check',
  'alter table cases add constraint cases_keep_days_check check (keep_days > 0)',
] as const;

/**
 * SQLite cannot change a CHECK, so the table is created again (sqlite.org/lang_altertable.html#otheralter). Objects
 * refer to its rows, so their foreign keys are checked at the commit, when the rows are back. The copy is not a
 * temporary table, because only the database itself overwrites what it deletes.
 */
export const sqliteKeepDaysSql = [
  'pragma defer_foreign_keys = on',
  'create table cases_copy as select * from cases',
  'drop table cases',
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
    keep_days integer not null check (keep_days > 0),
    terms_version text not null,
    key_box bytea not null,
    submitted_at bigint not null,
    due_at bigint not null,
    delivered_at bigint,
    purge_at bigint,
    purging smallint not null check (purging in (0, 1))
  ) without rowid`,
  'insert into cases select * from cases_copy',
  'drop table cases_copy',
  'create index cases_by_due on cases (due_at, id)',
  'create index cases_by_owner on cases (owner, submitted_at, id) where owner is not null',
  'create index cases_by_user on cases (user_tag, submitted_at, id) where user_tag is not null',
  'create index cases_by_words on cases (words_tag, submitted_at, id)',
  'create index cases_to_purge on cases (purge_at) where purge_at is not null',
] as const;
