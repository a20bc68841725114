/** The migration that gives every list and every sweep an index of what waits, beside a store of what is done. */
export const waitingIndexesSql = [
  // Lists are merged from one query for each state.
  'drop index cases_by_due',
  'create index cases_held on cases (released_at) where held_state is not null',
  'drop index cases_by_sealed_to',
  'create index cases_by_sealed_to on cases (sealed_to, id) where purging = 0',
  'create index users_to_convert on users (id) where words_tag is not null and words_box is null',
  'create index orders_held on orders (created_at, id) where held = 1',
  'create index contact_messages_open on contact_messages (received_at, id) where done_at is null',
  'create index tokens_by_client on tokens (client_id, kind) where client_id is not null',
  'create index registrations_offered on registrations (offer_until) where offer_until is not null',
  'drop index registrations_by_status',
  'create index registrations_by_status on registrations (status, created_at, id)',
  'drop index outbox_by_wait',
  'create index outbox_by_wait on outbox (dead, waits_since, id)',
] as const;
