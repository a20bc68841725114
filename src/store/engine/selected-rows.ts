/** Finds, counts, changes and deletes rows, chosen by their values or by a query. */
import {
  type Expression,
  type ExpressionBuilder,
  type Insertable,
  type Kysely,
  type Selectable,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
  type UpdateObject,
} from 'kysely';
import type { PageRequest } from '#platform/page-cursor.ts';
import type { Records, Tables } from '../schema/tables.ts';

type Comparison = '<' | '<=' | '>' | '>=' | 'in' | 'not in' | 'is not' | 'is distinct from';
type Wanted<Value> = Value | readonly [comparison: Comparison, value: Value | readonly Value[]];

type RowOf<Table extends keyof Tables> = Selectable<Tables[Table]>;

/** What a row must have in these columns: a value, or one that compares like this with another. */
type Match<Table extends keyof Tables> = {
  readonly [Column in keyof RowOf<Table>]?: Wanted<RowOf<Table>[Column]>;
};

interface Choice<Table extends keyof Tables> {
  readonly by?: keyof Tables[Table] & string;
  /** Part of the query's text, so never a caller's choice. */
  readonly limit?: number;
}

/** The caller adds what to select. */
export function chooseRows<Table extends keyof Tables>(
  db: Records,
  table: Table,
  match: Match<Table>,
  { by, limit }: Choice<Table> = {},
): SelectQueryBuilder<Tables, Table, unknown> {
  let query = db.selectFrom(table as 'orders').where(buildMatch(match));
  if (by !== undefined) query = query.orderBy(sql.ref(by));
  // As a parameter, it would make SQLite plan the query again in every run.
  if (limit !== undefined) query = query.limit(sql.lit(limit));
  return query as unknown as SelectQueryBuilder<Tables, Table, unknown>;
}

export async function listRows<Table extends keyof Tables>(
  db: Records,
  table: Table,
  match: Match<Table>,
  choice: Choice<Table> = {},
): Promise<RowOf<Table>[]> {
  const query = chooseRows(db, table, match, choice).selectAll();
  return (await query.execute()) as unknown as RowOf<Table>[];
}

export async function findRow<Table extends keyof Tables>(
  db: Records,
  table: Table,
  match: Match<Table>,
): Promise<RowOf<Table> | undefined> {
  const [row] = await listRows(db, table, match, { limit: 1 });
  return row;
}

/** The lowest value in a column; null if there are no rows. */
export async function findLowest<Table extends keyof Tables>(
  db: Records,
  table: Table,
  column: keyof Tables[Table] & string,
  match: Match<Table>,
): Promise<number | null> {
  const lowest = sql<number | null>`min(${sql.ref(column)})`.as('lowest');
  const row = await chooseRows(db, table, match).select(lowest).executeTakeFirstOrThrow();
  return row.lowest;
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

/** By id, because neither engine allows a limit on an update. Returns the number of changed rows. */
export async function updateSome<Table extends keyof Tables>(
  db: Records,
  table: Table,
  match: Match<Table>,
  change: UpdateObject<Tables, Table>,
  limit: number,
): Promise<number> {
  const some = chooseRows(db, table as 'orders', match as Match<'orders'>, { limit }).select('id');
  const { numUpdatedRows } = await (db as Kysely<Tables>)
    .updateTable(table as 'orders')
    .set(change as UpdateObject<Tables, 'orders'>)
    .where('id', 'in', some)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Returns whether there were any. */
export async function deleteRows<Table extends keyof Tables>(
  db: Records,
  table: Table,
  match: Match<Table>,
): Promise<boolean> {
  const { numDeletedRows } = await (db as Kysely<Tables>)
    .deleteFrom(table as 'orders')
    .where(buildMatch(match))
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Makes a function that changes the rows with a value in this column. */
export function updateBy<Table extends keyof Tables>(table: Table, column: keyof Tables[Table] & string) {
  return async (records: Records, value: string, change: UpdateObject<Tables, Table>): Promise<boolean> =>
    await updateRows(records, table, { [column]: value } as Match<Table>, change);
}

/** Makes a function that deletes the rows with a value in this column. */
export function deleteBy<Table extends keyof Tables>(table: Table, column: keyof Tables[Table] & string) {
  return async (records: Records, value: string): Promise<boolean> =>
    await deleteRows(records, table, { [column]: value } as Match<Table>);
}

/** An empty match is refused, since it would choose every row. */
function buildMatch(match: object) {
  const wantedByColumn = Object.entries(match);
  if (wantedByColumn.length === 0) throw new Error('no row is chosen');
  return (where: ExpressionBuilder<Tables, 'orders'>): Expression<SqlBool> =>
    where.and(
      wantedByColumn.map(([column, wanted]) => {
        const [comparison, value] = Array.isArray(wanted) ? wanted : [wanted === null ? 'is' : '=', wanted];
        return where(sql.ref(column), comparison, value) as Expression<SqlBool>;
      }),
    );
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

/** An existing row stays as it is. Returns whether the row is new. */
export async function insertIfNew<Table extends keyof Tables>(
  db: Records,
  table: Table,
  row: Insertable<Tables[Table]>,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await (db as Kysely<Tables>)
    .insertInto(table as 'orders')
    .values(row as Insertable<Tables['orders']>)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

interface DueRows<Table extends keyof Tables> {
  /** The column with the time at which a row is due. */
  readonly by: keyof Tables[Table] & string;
  readonly now: number;
  readonly limit: number;
  readonly match?: Match<Table>;
}

/** Changes the rows that are due, the earliest first, and returns them; no other process gets the same ones. */
export async function claimDueRows<Table extends keyof Tables>(
  db: Records,
  table: Table,
  { by, now, limit, match }: DueRows<Table>,
  change: UpdateObject<Tables, Table>,
): Promise<RowOf<Table>[]> {
  const isDue = { [by]: ['<=', now] } as Match<Table>;
  const choice = { by: by as 'id', limit };
  const due = chooseRows<'orders'>(db, table as 'orders', { ...match, ...isDue }, choice);
  const claimed = await (db as Kysely<Tables>)
    .updateTable(table as 'orders')
    .set(change as UpdateObject<Tables, 'orders'>)
    .where('id', 'in', due.select('id'))
    // Repeated outside the subquery: under READ COMMITTED, PostgreSQL re-checks only the row.
    .where(buildMatch(isDue))
    .returningAll()
    .execute();
  return claimed as unknown as RowOf<Table>[];
}

export async function countMatching<Table extends keyof Tables>(
  db: Records,
  table: Table,
  match: Match<Table>,
): Promise<number> {
  return await countSelected(chooseRows(db, table, match));
}

export async function countSelected<DB, Table extends keyof DB>(
  rows: SelectQueryBuilder<DB, Table, unknown>,
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

/** Limits a query to one page of a list; by keyset, so that later pages cost no more than the first. */
export function limitToPage<Table extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Table, Row>,
  { by, direction }: { readonly by: keyof Tables[Table] & string; readonly direction: 'asc' | 'desc' },
  { limit, after }: PageRequest,
): SelectQueryBuilder<Tables, Table, Row> {
  const [time, id] = [sql.ref(by), sql.ref('id')];
  const page = query.orderBy(time, direction).orderBy(id, direction).limit(limit);
  if (!after) return page;
  const comparison = sql.raw(direction === 'asc' ? '>' : '<');
  return page.where(sql<boolean>`(${time}, ${id}) ${comparison} (${after.at}, ${after.id})`);
}
