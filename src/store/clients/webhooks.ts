/** Callbacks: one row for each client that wants to be told of events. */
import { type Selectable, sql, type Updateable } from 'kysely';
import { prepareInsert } from '../engine/prepared.ts';
import type { Records, Tables } from '../schema/tables.ts';

export type Callback = Selectable<Tables['callbacks']>;

/** Written out, as in the partial index, which SQLite would not use otherwise. */
const isUnsettled = sql<boolean>`state in ('marking', 'ending')`;

export const insertCallback = prepareInsert('callbacks');

export async function findCallback(records: Records, clientTag: string): Promise<Callback | undefined> {
  return await records
    .selectFrom('callbacks')
    .selectAll()
    .where('client_tag', '=', clientTag)
    .executeTakeFirst();
}

export async function updateCallback(
  records: Records,
  id: string,
  change: Updateable<Tables['callbacks']>,
): Promise<void> {
  await records.updateTable('callbacks').set(change).where('id', '=', id).execute();
}

export async function isCallbackInState(
  records: Records,
  { id, state }: Pick<Callback, 'id' | 'state'>,
): Promise<boolean> {
  const found = await records.selectFrom('callbacks').select('state').where('id', '=', id).executeTakeFirst();
  return found?.state === state;
}

export async function listUnsettledCallbacks(
  records: Records,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<Callback[]> {
  return await records
    .selectFrom('callbacks')
    .selectAll()
    .where(isUnsettled)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** All cases of its client are known to it, unless it was ended meanwhile. */
export async function settleMarkedCallback(records: Records, id: string): Promise<void> {
  await records
    .updateTable('callbacks')
    .set({ state: 'set' })
    .where('id', '=', id)
    .where('state', '=', 'marking')
    .execute();
}

/** No case knows it any more, unless it was set again meanwhile. */
export async function deleteEndedCallback(records: Records, id: string): Promise<void> {
  await records.deleteFrom('callbacks').where('id', '=', id).where('state', '=', 'ending').execute();
}

/** After a restore, whose backup does not say which cases they are told of. */
export async function markRestoredCallbacks(records: Records): Promise<void> {
  await records.updateTable('callbacks').set({ state: 'marking' }).where('state', '=', 'set').execute();
}
