/** The names of our tables, read from the steps of the schema, so that other tables in the database are left alone. */
import { schemaSteps } from './schema-steps.ts';

/**
 * Tables that are copied with the shred keys, rewritten, or useless after a restore. The half of a draft's key and the
 * session of an investigator end within a day, and an address for notices with its case, so no backup has them. The
 * cases and orders of a webhook are found again, and an event of an earlier day is of no use.
 */
const APART = new Set([
  'webhook_events',
  'case_webhooks',
  'desk_challenges',
  'desk_sessions',
  'draft_keys',
  'idempotency',
  'notices',
  'order_webhooks',
  'records_installation',
  'schema_hashes',
  'shred_keys',
  'shred_installation',
  'sign_in_codes',
  'tokens',
]);
/** Kysely's own, under names that no other program in the same database has. */
export const STEPS_TABLE = 'schema_steps';
export const LOCK_TABLE = 'schema_lock';
/** Separate from Kysely's table, which has no column for them. */
export const HASHES_TABLE = 'schema_hashes';
const MIGRATOR_TABLES: readonly string[] = [STEPS_TABLE, LOCK_TABLE];
const CREATED = /^create table (\w+)/;

export function listOurTableNames(): string[] {
  return [...listSchemaTables(), ...MIGRATOR_TABLES];
}

/** Each follows those that it refers to. A step that renames, drops or rebuilds a table must be handled here. */
export function listSchemaTables(): string[] {
  const statements = schemaSteps.flatMap(({ sql, postgres = [] }) => [...sql, ...postgres]);
  return statements.flatMap((statement) => CREATED.exec(statement)?.[1] ?? []);
}

/** The tables that a backup of the records contains. */
export function listRecordTables(): string[] {
  return listSchemaTables().filter((name) => !APART.has(name));
}

/** Only the rows of cases: an upload without a case ends within a day, and strangers write it. */
const COPIED_ROWS: Readonly<Record<string, string>> = {
  objects: 'case_id is not null',
  object_pieces: 'object_number in (select number from objects where case_id is not null)',
};

/** Returns a condition in SQL. */
export function selectCopiedRows(table: string): string {
  return COPIED_ROWS[table] ?? 'true';
}
