/** The names of our tables, taken from the migrations, so that other tables of the same database are left alone. */
import { schemaMigrations } from './migrations.ts';

/**
 * They are copied with the shred keys, or written anew. A half of the key of a draft and the session of an investigator
 * end within a day, and an address for notices with its case, so no backup has them. Which cases and orders a callback is
 * told of is found again, and an event of an earlier day tells nobody anything.
 */
const APART = new Set([
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
