/** Moves rows from the former master key to the new one: in small transactions, beside a running service, repeatable. */
import { giveWay } from '#platform/turns.ts';
import { type Keyring, openWithEachKey, type SealedSecret } from './keyring.ts';
import type { Store } from './store.ts';
import type { Records, Tables } from './tables.ts';

const BATCH = 100;

/** What happened to the rows of a step. */
export interface RotationCounts {
  readonly moved: number;
  /** Rows that cannot be moved, such as the second of two entries for one person. */
  readonly left: number;
  /** Rows that no key opens. */
  readonly unreadable: number;
}

export interface RotationStep {
  /** What the rows are, in the plural. */
  readonly what: string;
  /** Whose rows are looked at. */
  readonly table: keyof Tables;
  /** `onRows` is told how many rows were looked at. */
  readonly run: (store: Store, onRows: (count: number) => void) => Promise<RotationCounts>;
}

/** `unchanged` if the row was no longer as it was read: then the running service has moved it. */
type RowOutcome = 'moved' | 'unchanged' | 'left';

export type RowChange = (records: Records) => Promise<RowOutcome>;

interface StepDefinition<Row> extends Pick<RotationStep, 'table' | 'what'> {
  /** The next rows in the order of the primary key. */
  readonly list: (records: Records, after: Row | null, limit: number) => Promise<Row[]>;
  /** Returns the change that a row needs, or null; throws if no key opens it. */
  readonly plan: (row: Row) => RowChange | null;
}

/** Rows are read outside of transactions, so that a running service seldom meets one. */
export function createRotationStep<Row>({ what, table, list, plan }: StepDefinition<Row>): RotationStep {
  return {
    what,
    table,
    run: async (store, onRows) => {
      const counts = { moved: 0, left: 0, unreadable: 0 };
      for (let after: Row | null = null; ; ) {
        const rows: Row[] = await list(store.records, after, BATCH);
        const changes: RowChange[] = [];
        for (const row of rows) {
          const change = buildChangeOrNull(plan, row);
          if (change === null) counts.unreadable += 1;
          else if (change !== undefined) changes.push(change);
        }
        const outcomes = changes.length > 0 ? await applyChanges(store, changes) : [];
        counts.moved += outcomes.filter((outcome) => outcome === 'moved').length;
        counts.left += outcomes.filter((outcome) => outcome === 'left').length;
        onRows(rows.length);
        after = rows.at(-1) ?? null;
        if (rows.length < BATCH) return counts;
        await giveWay();
      }
    },
  };
}

/** Undefined if there is nothing to do, null if no key opens the row: one such row must not stop the others. */
function buildChangeOrNull<Row>(plan: StepDefinition<Row>['plan'], row: Row): RowChange | null | undefined {
  try {
    return plan(row) ?? undefined;
  } catch {
    return null;
  }
}

async function applyChanges(store: Store, changes: readonly RowChange[]): Promise<RowOutcome[]> {
  return await store.transaction(
    async (records) => await Array.fromAsync(changes, async (change) => await change(records)),
  );
}

interface ResealedBox {
  readonly secret: string;
  readonly box: Uint8Array;
}

/** Seals the secret with the first key; returns null if it already is. */
export function resealBox(keyring: Keyring, sealed: SealedSecret): ResealedBox | null {
  const { secret, key } = openWithEachKey(keyring, sealed);
  if (key === keyring.keys[0]) return null;
  return { secret, box: keyring.seal(sealed.purpose, secret, sealed.context) };
}
