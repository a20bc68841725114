/** The orders of an owner, in pages. */
import { sql } from 'kysely';
import { cutToDay } from '#platform/day.ts';
import { DAY_MS } from '#platform/durations.ts';
import type { PageRequest } from '#platform/page-cursor.ts';
import type { TagList } from './keyring.ts';
import type { Order } from './orders.ts';
import { prepareQuery } from './prepared.ts';
import type { Records } from './tables.ts';

/** The number of the day in UTC; in the same words as in the index. */
const createdOn = sql<number>`created_at / ${sql.lit(DAY_MS)}`;

/** The newest day first, and by id within a day: an order keeps its place when its time is cut. */
export async function listOrdersByOwner(
  records: Records,
  owners: TagList,
  page: PageRequest,
): Promise<Order[]> {
  const lists = await Array.fromAsync(owners, (owner) => listOrdersByTag(records, owner, page));
  const [first = [], ...others] = lists.filter((list) => list.length > 0);
  if (others.length === 0) return first;
  return lists.flat().toSorted(compareNewestDayFirst).slice(0, page.limit);
}

function compareNewestDayFirst(one: Order, other: Order): number {
  return cutToDay(other.created_at) - cutToDay(one.created_at) || (one.id < other.id ? 1 : -1);
}

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

const listFirstPage = prepareQuery<OwnerPage, Order>(['owner', 'limit'], buildFirstPage);

const listLaterPage = prepareQuery<OwnerPage & { readonly day: number; readonly id: string }, Order>(
  ['owner', 'limit', 'day', 'id'],
  (records, { owner, limit, day, id }) =>
    buildFirstPage(records, { owner, limit }).where(sql<boolean>`(${createdOn}, id) < (${day}, ${id})`),
);

/** The index is by owner first, so that one query for several owners would have to sort all their orders. */
async function listOrdersByTag(
  records: Records,
  owner: string,
  { limit, after }: PageRequest,
): Promise<Order[]> {
  if (!after) return await listFirstPage(records, { owner, limit });
  return await listLaterPage(records, { owner, limit, day: Math.floor(after.at / DAY_MS), id: after.id });
}
