/** Limits a query to one page of a list; by keyset, so that later pages cost no more than the first. */
import { type SelectQueryBuilder, sql } from 'kysely';
import type { PageRequest } from '#platform/page-cursor.ts';
import type { Tables } from '../schema/tables.ts';

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
