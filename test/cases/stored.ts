/** What the store holds, counted: cases, sealed objects and those that wait for a case, messages. */
import { sql } from 'kysely';
import type { Shop } from '#test/shop.ts';

export interface Stored {
  readonly cases: number;
  readonly objects: number;
  readonly staged: number;
  readonly pieces: number;
  readonly messages: number;
}

export async function stored({ store }: Pick<Shop, 'store'>): Promise<Stored> {
  const { rows } = await sql<Stored>`select
    (select count(*) from cases) as cases,
    (select count(*) from objects) as objects,
    (select count(*) from objects where case_id is null) as staged,
    (select count(*) from object_pieces) as pieces,
    (select count(*) from contact_messages) as messages`.execute(store.records);
  return { ...rows[0]! };
}

/** What came in between, where something did. */
export function added(before: Stored, after: Stored): Partial<Stored> {
  const names = Object.keys(before) as (keyof Stored)[];
  return Object.fromEntries(
    names.map((name) => [name, after[name] - before[name]] as const).filter(([, count]) => count !== 0),
  );
}
