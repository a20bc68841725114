/** Shred keys as the rows of a backup. */
import type { RecordsSnapshot, SnapshotTable } from '#store/engine/records-snapshot.ts';
import { SHRED_KEY_BYTES } from '#store/keys/key-slot.ts';
import type { ShredKeyCopy } from '#store/keys/shred-keys.ts';
import type { CopiedItem } from '#store/restore/insert-items.ts';
import { requireTypedRow, type TypedColumn } from '#store/schema/typed-columns.ts';
import { BackupFault } from './backup-stream.ts';

const TABLE = 'shred_keys';
/** On PostgreSQL the id is that of the case, and a destroyed key leaves no row. */
const COLUMNS: readonly TypedColumn[] = [
  { name: 'slot', type: 'integer' },
  { name: 'id', type: 'text' },
  { name: 'freed_on', type: 'integer' },
  { name: 'key', type: 'blob' },
];
const COLUMN_NAMES = COLUMNS.map(({ name }) => name).join();
/** With this many slots, a file is a gigabyte long. */
const MAX_SLOTS = 2 ** 24;
const MAX_DAY = 2 ** 32;
const SLOT_ID = /^[\w-]{22}$/;

export async function* listKeyTables(keys: readonly ShredKeyCopy[]): AsyncGenerator<SnapshotTable> {
  const rows = keys.map(({ slot, id, freedOn, key }) => [slot, id, freedOn, key]);
  yield { name: TABLE, columns: COLUMNS, rows: ReadableStream.from(rows) };
}

export async function readKeyItems(
  items: AsyncIterable<CopiedItem>,
  engine: RecordsSnapshot['engine'],
): Promise<ShredKeyCopy[]> {
  const keys: ShredKeyCopy[] = [];
  const places = new Set<number | string>();
  let isOpen = false;
  for await (const item of items) {
    if ('table' in item) isOpen = item.table === TABLE && item.columns.join() === COLUMN_NAMES;
    if (!isOpen) throw new BackupFault('it has something other than shred keys');
    if ('table' in item) continue;
    const number = keys.length + 1;
    requireTypedRow({ table: TABLE, columns: COLUMNS, number, values: item.row });
    const [slot, id, freedOn, key] = item.row as [number | null, string, number | null, Uint8Array | null];
    const copy = { slot, id, freedOn, key: key && Buffer.from(key) };
    if (!isPlausible(copy, engine) || places.has(slot ?? id))
      throw new BackupFault(`${TABLE}, row ${number}: no key`);
    places.add(slot ?? id);
    keys.push(copy);
  }
  return keys;
}

function isPlausible({ slot, id, freedOn, key }: ShredKeyCopy, engine: RecordsSnapshot['engine']): boolean {
  if (engine === 'postgres') return slot === null && Boolean(id) && key !== null;
  const isPlaced = slot !== null && slot >= 0 && slot < MAX_SLOTS && SLOT_ID.test(id ?? '');
  const isFreed = freedOn === null || (freedOn >= 0 && freedOn < MAX_DAY && key === null);
  return isPlaced && isFreed && (key === null || key.length === SHRED_KEY_BYTES);
}
