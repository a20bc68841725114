/** Finds, counts, changes and deletes rows, chosen by their values or by a query. */
import {
  type Expression,
  type Insertable,
  type Kysely,
  type RawBuilder,
  type Selectable,
  type SelectQueryBuilder,
  sql,
  type UpdateObject,
} from 'kysely';
import type { Records, Tables } from '../schema/tables.ts';

/** The values that a row must have in these columns. */
type Match<Table extends keyof Tables> = Partial<Selectable<Tables[Table]>>;

export async function findRow<Table extends keyof Tables>(
  db: Records,
  table: Table,
  match: Match<Table>,
): Promise<Selectable<Tables[Table]> | undefined> {
  type Row = Selectable<Tables[Table]>;
  const query = sql<Row>`select * from ${sql.table(table)} where ${buildMatch(match)} limit 1`;
  return (await query.execute(db)).rows[0];
}

/** Returns whether there were any. */
export async function updateRows<Table extends keyof Tables>(
  db: Records,
  table: Table,
  match: Match<Table>,
  change: UpdateObject<Tables, Table>,
): Promise<boolean> {
  const { numUpdatedRows } = await (db as Kysely<Tables>)
    .updateTable(table as 'orders')
    .set(change as UpdateObject<Tables, 'orders'>)
    .where(buildMatch(match))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Returns whether there were any. */
export async function deleteRows<Table extends keyof Tables>(
  db: Records,
  table: Table,
  match: Match<Table>,
): Promise<boolean> {
  const deletion = sql`delete from ${sql.table(table)} where ${buildMatch(match)}`;
  return Number((await deletion.execute(db)).numAffectedRows) > 0;
}

function buildMatch(match: object): RawBuilder<boolean> {
  const conditions = Object.entries(match).map(([column, value]) =>
    value === null ? sql`${sql.ref(column)} is null` : sql`${sql.ref(column)} = ${value}`,
  );
  return sql`${sql.join(conditions, sql` and `)}`;
}

/** Inserts the row, or changes the one that has the same key. */
export async function upsertRow<Table extends keyof Tables>(
  db: Records,
  table: Table,
  key: keyof Tables[Table] & string,
  row: Insertable<Tables[Table]>,
  change: UpdateObject<Tables, Table>,
): Promise<void> {
  await (db as Kysely<Tables>)
    .insertInto(table as 'orders')
    .values(row as Insertable<Tables['orders']>)
    .onConflict((conflict) => conflict.column(key as 'id').doUpdateSet(change))
    .execute();
}

/** An existing row stays as it is. */
export async function insertIfNew<Table extends keyof Tables>(
  db: Records,
  table: Table,
  row: Insertable<Tables[Table]>,
): Promise<void> {
  await (db as Kysely<Tables>)
    .insertInto(table as 'orders')
    .values(row as Insertable<Tables['orders']>)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

interface DueRows<Table extends keyof Tables> {
  /** The time at which a row is due. */
  readonly column: keyof Tables[Table] & string;
  readonly now: number;
  readonly limit: number;
  readonly match?: Match<Table>;
}

/** Changes the rows that are due, the earliest first, and returns them; no other process gets the same ones. */
export async function claimDueRows<Table extends keyof Tables>(
  db: Records,
  table: Table,
  { column, now, limit, match }: DueRows<Table>,
  change: UpdateObject<Tables, Table>,
): Promise<Selectable<Tables[Table]>[]> {
  const time = sql.ref<number>(column);
  const due = db
    .selectFrom(table as 'orders')
    .select('id')
    .where(time, '<=', now)
    .$if(match !== undefined, (query) => query.where(buildMatch(match!)))
    .orderBy(time)
    .limit(limit);
  const claimed = await (db as Kysely<Tables>)
    .updateTable(table as 'orders')
    .set(change as UpdateObject<Tables, 'orders'>)
    .where('id', 'in', due)
    // Repeated outside the subquery: under READ COMMITTED, PostgreSQL re-checks only the row.
    .where(time, '<=', now)
    .returningAll()
    .execute();
  return claimed as unknown as Selectable<Tables[Table]>[];
}

export async function countSelected<DB, Table extends keyof DB>(
  rows: SelectQueryBuilder<DB, Table, object>,
): Promise<number> {
  const counted = rows.select(sql<number>`count(*)`.as('count'));
  return ((await counted.executeTakeFirstOrThrow()) as { count: number }).count;
}

/** By key, because neither engine allows a limit on a deletion. Returns the number of deleted rows. */
export async function deleteSelected<Table extends keyof Tables>(
  records: Records,
  table: Table,
  key: keyof Tables[Table] & string,
  selected: Expression<unknown>,
): Promise<number> {
  const deletion = sql`delete from ${sql.table(table)} where ${sql.ref(key)} in (${selected})`;
  return Number((await deletion.execute(records)).numAffectedRows);
}
