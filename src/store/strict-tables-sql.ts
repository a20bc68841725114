/**
 * Declares the tables of SQLite anew as strict ones, which have the same form on the disk: no row is written, and indexes
 * and row numbers stay (sqlite.org/lang_altertable.html, the procedure for changes that leave the content as it is).
 */
export const strictTablesSql: readonly string[] = [
  // Loose uploads could have a piece whose number is none.
  `delete from object_pieces where typeof(piece) <> 'integer'
    and object_id in (select id from objects where case_id is null)`,
  // So that other connections notice a new schema and read it again.
  'create view changed_schema as select 1',
  'drop view changed_schema',
  'pragma writable_schema = on',
  `update sqlite_schema set sql =
      replace(replace(replace(sql, ' bigint', ' int'), ' smallint', ' int'), ' bytea', ' blob')
        || iif(sql like '%without rowid', ', strict', ' strict')
    where type = 'table' and substr(name, 1, 7) <> 'sqlite_' and sql not like '%strict'`,
  'pragma writable_schema = reset',
];
