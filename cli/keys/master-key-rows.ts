/** Re-encrypts the rows of a table while the master key is changed: in small transactions, repeatable at any point. */
import { giveWay } from '#platform/turns.ts';
import type { KeyPurpose, Keyring } from '#store/keys/keyring.ts';
import {
  countRows,
  listSealedRows,
  readRowKey,
  type SealedRow,
  type SealedTable,
} from '#store/keys/sealed-rows.ts';
import type { Records } from '#store/schema/tables.ts';
import type { Store } from '#store/store.ts';
import { createCountProgress } from '../terminal/progress.ts';

const BATCH = 100;

export interface KeyChange {
  /** Null if it is lost. */
  readonly from: Keyring | null;
  readonly to: Keyring;
}

/** Returns `merged` if it deleted the row because another row replaces it. */
export type RowChange = (records: Records) => Promise<unknown>;

export interface RowStep<Table extends SealedTable = SealedTable> {
  readonly table: Table;
  /** Returns the change that a row needs, or null if it has the new key; throws if neither key opens it. */
  plan(row: SealedRow<Table>): RowChange | null;
  /** Removes a row that no key opens, once the previous key is known to be lost. */
  giveUp(records: Records, row: SealedRow<Table>): Promise<void>;
}

/** What happens to the rows that neither key opens; with `count`, no row changes at all. */
export type UnreadableRows = 'leave' | 'give up' | 'count';

/** Counts the rows that neither key opens, and those that were deleted because others replace them. */
export async function runRowStep(store: Store, step: RowStep, unreadable: UnreadableRows) {
  const { table } = step;
  const progress = createCountProgress(table.replace('_', ' '), await countRows(store.records, table));
  const counts = { unreadable: 0, merged: 0 };
  for (let after = ''; ; ) {
    const rows = await listSealedRows(store.records, table, { after, limit: BATCH });
    const changes: RowChange[] = [];
    for (const row of rows) {
      try {
        const change = step.plan(row);
        if (change) changes.push(change);
      } catch {
        // One row that cannot be read must not stop the others.
        counts.unreadable += 1;
        if (unreadable === 'give up') changes.push((records) => step.giveUp(records, row));
      }
    }
    if (unreadable !== 'count') counts.merged += await applyChanges(store, changes);
    progress.add(rows.length);
    const last = rows.at(-1);
    if (!last || rows.length < BATCH) break;
    after = readRowKey(table, last);
    await giveWay();
  }
  progress.finish();
  return counts;
}

/** Returns how many rows were deleted because others replace them. */
async function applyChanges(store: Store, changes: readonly RowChange[]): Promise<number> {
  if (changes.length === 0) return 0;
  return await store.transaction(async (records) => {
    const outcomes = await Array.fromAsync(changes, async (change) => await change(records));
    return outcomes.filter((outcome) => outcome === 'merged').length;
  });
}

interface SealedSecret {
  readonly purpose: KeyPurpose;
  readonly ciphertext: Uint8Array;
  readonly context: string;
}

/** Opens a secret with either key; throws if neither opens it. */
export function openSecret({ from, to }: KeyChange, { purpose, ciphertext, context }: SealedSecret) {
  try {
    return { secret: to.open(purpose, ciphertext, context), isMoved: true };
  } catch (error) {
    if (from === null) throw error;
    return { secret: from.open(purpose, ciphertext, context), isMoved: false };
  }
}

/** Returns null if the secret is already sealed with the new key. */
export function resealSecret(change: KeyChange, sealed: SealedSecret) {
  const { secret, isMoved } = openSecret(change, sealed);
  return isMoved ? null : { secret, ciphertext: change.to.seal(sealed.purpose, secret, sealed.context) };
}
