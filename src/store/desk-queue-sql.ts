/** The migrations for the desk's queue: who has a case, when it last changed, and an index for every view. */
export const deskQueueSql = [
  'alter table cases add column holder text',
  // Null in cases that have not changed since: for them it is the time of the inquiry.
  'alter table cases add column changed_at bigint',
  'create index cases_unanswered_by_due on cases (state, due_at, id) where unanswered_since is not null',
  'create index cases_by_tier on cases (tier, state, due_at, id)',
  'create index cases_by_change on cases (coalesce(changed_at, submitted_at), id)',
  // Whatever the collation of the database, unlike a range of ids.
  'create index cases_by_beginning on cases (substr(id, 1, 3))',
] as const;

/** Null is a value like any other. */
export const sqliteHoldersSql = [
  'create index cases_by_holder on cases (holder, state, due_at, id)',
] as const;

/** What is found by null is in no order. */
export const postgresHoldersSql = [
  'create index cases_by_holder on cases (holder, state, due_at, id) where holder is not null',
  'create index cases_of_nobody on cases (state, due_at, id) where holder is null',
] as const;
