/** The migration that remembers which keys cases are sealed to. */

/** Of a case that is older than this, nobody knows; the next re-sealing finds out. */
export const sealingSetSql = [
  `create table sealing_set (
    id smallint not null primary key check (id = 1),
    tag text not null,
    members text not null
  ) without rowid`,
  'alter table cases add column sealed_to text',
  'create index cases_by_sealed_to on cases (sealed_to) where purging = 0',
];
