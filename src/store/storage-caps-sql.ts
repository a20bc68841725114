/** The migration for the caps: indexes to count and to give way by, and the row of the write check. */
export const storageCapsSql = [
  'create index orders_by_payment on orders (payment, created_at)',
  'drop index orders_unpaid',
  "create index tokens_of_sign_ins on tokens (kind) where kind in ('Interaction', 'Session')",
  'create index registrations_by_status on registrations (status, created_at)',
  'drop index registrations_pending',
  'create index contact_messages_handled on contact_messages (done_at) where done_at is not null',
  `create table write_checks (
    id smallint not null primary key check (id = 1),
    written_at bigint not null
  ) without rowid`,
] as const;
