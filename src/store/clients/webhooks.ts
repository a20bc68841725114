/** Webhooks: one row for each client that wants to be notified of events. */
import { type Selectable, sql, type Updateable } from 'kysely';
import { prepareFind, prepareInsert } from '../engine/prepared.ts';
import { deleteRows, findRow, updateRows } from '../engine/selected-rows.ts';
import type { Records, Tables } from '../schema/tables.ts';

export type Webhook = Selectable<Tables['webhooks']>;

/** Written out, as in the partial index, which SQLite would not use otherwise. */
const isUnsettled = sql<boolean>`state in ('marking', 'ending')`;

export const insertWebhook = prepareInsert('webhooks');

export const findWebhook = prepareFind('webhooks', 'client_tag');

export async function updateWebhook(
  records: Records,
  id: string,
  change: Updateable<Tables['webhooks']>,
): Promise<void> {
  await updateRows(records, 'webhooks', { id }, change);
}

export async function isWebhookInState(
  records: Records,
  { id, state }: Pick<Webhook, 'id' | 'state'>,
): Promise<boolean> {
  return (await findRow(records, 'webhooks', { id, state })) !== undefined;
}

export async function listUnsettledWebhooks(
  records: Records,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<Webhook[]> {
  return await records
    .selectFrom('webhooks')
    .selectAll()
    .where(isUnsettled)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Called once all cases of the client are linked. Does nothing if the webhook was ended meanwhile. */
export async function settleMarkedWebhook(records: Records, id: string): Promise<void> {
  await updateRows(records, 'webhooks', { id, state: 'marking' }, { state: 'set' });
}

/** Called once no case is linked any more. Does nothing if the webhook was set again meanwhile. */
export async function deleteEndedWebhook(records: Records, id: string): Promise<void> {
  await deleteRows(records, 'webhooks', { id, state: 'ending' });
}

/** After a restore: the backup does not say which cases the webhooks are linked to. */
export async function markRestoredWebhooks(records: Records): Promise<void> {
  await updateRows(records, 'webhooks', { state: 'set' }, { state: 'marking' });
}
