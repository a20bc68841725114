/** Counts rows of the store: cases, sealed objects, uploads that wait for a case, messages. */
import { sql } from 'kysely';
import type { TestShop } from '#test/test-shop.ts';

export interface StoredCounts {
  readonly cases: number;
  readonly objects: number;
  readonly staged: number;
  readonly pieces: number;
  readonly messages: number;
}

export async function countStoredRows({ store }: Pick<TestShop, 'store'>): Promise<StoredCounts> {
  const { rows } = await sql<StoredCounts>`select
    (select count(*) from cases) as cases,
    (select count(*) from objects) as objects,
    (select count(*) from objects where case_id is null) as staged,
    (select count(bytes) from objects) + (select count(*) from object_pieces) as pieces,
    (select count(*) from contact_messages) as messages`.execute(store.records);
  return { ...rows[0]! };
}

/** Returns the changes of the counts between two readings. */
export function computeAddedRows(before: StoredCounts, after: StoredCounts): Partial<StoredCounts> {
  const names = Object.keys(before) as (keyof StoredCounts)[];
  return Object.fromEntries(
    names.map((name) => [name, after[name] - before[name]] as const).filter(([, count]) => count !== 0),
  );
}
