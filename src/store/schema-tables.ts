/** The names of our tables, taken from the migrations, so that other tables of the same database are left alone. */
import { schemaMigrations } from './migrations.ts';

/** What they give ends with a restore. Earlier versions copied them. */
const NOT_COPIED_ANY_MORE: readonly string[] = ['idempotency', 'sign_in_codes', 'tokens'];
/**
 * They are copied with the shred keys, or written anew. A half of the key of a draft and the session of an investigator
 * end within a day, and an address for notices with its case, so no backup has them. Which cases and orders a callback is
 * told of is found again, and an event of an earlier day tells nobody anything.
 */
const APART = new Set([
  ...NOT_COPIED_ANY_MORE,
  'callback_events',
  'case_callbacks',
  'order_callbacks',
  'shred_keys',
  'shred_pairing',
  'records_pairing',
  'desk_challenges',
  'desk_sessions',
  'draft_keys',
  'notices',
]);
/** Made by the migrations themselves. */
const VERSION_TABLES = ['schema_version', 'schema_hashes'];
const CREATED = /\bcreate table (?:if not exists )?(\w+)|\brename to (\w+)/gi;

/** Every name that a table of ours has or had. */
export function listOurTableNames(): string[] {
  const names = schemaMigrations.flatMap(({ sql }) =>
    sql.flatMap((statement) => [...statement.matchAll(CREATED)].map(([, made, renamed]) => made ?? renamed)),
  );
  return [...new Set(names.filter((name) => name !== undefined)), ...VERSION_TABLES];
}

/** Those with records: what a backup of the records has. */
export function isRecordTable(name: string): boolean {
  return !VERSION_TABLES.includes(name) && !APART.has(name) && listOurTableNames().includes(name);
}

export function isPassedOver(name: string): boolean {
  return NOT_COPIED_ANY_MORE.includes(name);
}

/** Of these the rows of cases: an upload without one ends within a day, and strangers write it. */
const COPIED_ROWS: Readonly<Record<string, string>> = {
  objects: 'case_id is not null',
  object_pieces: 'object_id in (select id from objects where case_id is not null)',
};

/** As a condition of SQL. */
export function selectCopiedRows(table: string): string {
  return COPIED_ROWS[table] ?? 'true';
}

/** Puts each table after those that its rows refer to. */
export function sortByReference(
  names: readonly string[],
  references: readonly { readonly from: string; readonly to: string }[],
): string[] {
  const sorted: string[] = [];
  const waiting = new Set(names.toSorted());
  while (waiting.size > 0) {
    const ready = [...waiting].filter(
      (name) => !references.some(({ from, to }) => from === name && to !== name && waiting.has(to)),
    );
    // Two tables that refer to each other cannot be sorted.
    if (ready.length === 0) throw new Error('tables refer to each other');
    for (const name of ready) {
      sorted.push(name);
      waiting.delete(name);
    }
  }
  return sorted;
}
