/** The orders of an owner, in pages. */
import { sql } from 'kysely';
import { DAY_MS } from '#platform/durations.ts';
import type { PageRequest } from '#platform/page-cursor.ts';
import { prepareQuery } from '../engine/prepared.ts';
import type { Records } from '../schema/tables.ts';
import type { Order } from './orders.ts';

/** The number of the day in UTC, spelled as in the index. */
const createdOn = sql<number>`created_at / ${sql.lit(DAY_MS)}`;

interface OwnerPage {
  readonly owner: string;
  readonly limit: number;
}

function buildFirstPage(records: Records, { owner, limit }: OwnerPage) {
  return records
    .selectFrom('orders')
    .selectAll()
    .where('owner', '=', owner)
    .orderBy(createdOn, 'desc')
    .orderBy('id', 'desc')
    .limit(sql<number>`${limit}`);
}

const listFirstPage = prepareQuery<OwnerPage, Order>(buildFirstPage);

const listLaterPage = prepareQuery<OwnerPage & { readonly day: number; readonly id: string }, Order>(
  (records, { owner, limit, day, id }) =>
    buildFirstPage(records, { owner, limit }).where(sql<boolean>`(${createdOn}, id) < (${day}, ${id})`),
);

/** The newest day first, and by id within a day: an order keeps its place when its time is cut to the day. */
export async function listOrdersByOwner(
  records: Records,
  owner: string,
  { limit, after }: PageRequest,
): Promise<Order[]> {
  if (!after) return await listFirstPage(records, { owner, limit });
  return await listLaterPage(records, { owner, limit, day: Math.floor(after.at / DAY_MS), id: after.id });
}
