/** Orders: what was bought and the state of its payment. Nothing here links an order to its case. */
import { type Selectable, sql } from 'kysely';
import { DAY_MS, HOUR_MS } from '#platform/durations.ts';
import type { PageRequest } from '#platform/page-cursor.ts';
import { cutToDay } from '#platform/text/day.ts';
import { clearAuditEntries, deleteAuditedRows } from '../audit-log.ts';
import { prepareFind, prepareInsert, prepareQuery } from '../engine/prepared.ts';
import {
  chooseRows,
  claimDueRows,
  deleteRows,
  findRow,
  insertIfNew,
  listRows,
  updateRows,
  updateSome,
} from '../engine/selected-rows.ts';
import type { Keyring } from '../keys/keyring.ts';
import { OPEN_PAYMENT_STATES, PAYMENT_STATES, type PaymentState } from '../schema/column-values.ts';
import type { Records, Tables } from '../schema/tables.ts';

export type Order = Selectable<Tables['orders']>;

const dayOfCreation = sql<number>`created_at - created_at % ${sql.lit(DAY_MS)}`;
/** A finer time would point to the case of that hour, a separate expiry day would reveal more. Ends the return link. */
const settledValues = {
  created_at: dayOfCreation,
  expires_at: dayOfCreation,
  return_link_at: null,
  return_link_hash: null,
  form_shown: 0,
} as const;

export const insertOrder = prepareInsert('orders');

export const findOrder = prepareFind('orders', 'id');
export const findOrderBySession = prepareFind('orders', 'session_tag');

/** Returns false if the form was shown before. */
export async function markFormShown(records: Records, id: string): Promise<boolean> {
  return await updateRows(records, 'orders', { id, form_shown: 0 }, { form_shown: 1 });
}

/** Returns false if the order already has a session or was deleted. */
export async function bindOrderSession(
  records: Records,
  id: string,
  { tag, ciphertext }: { readonly tag: string; readonly ciphertext: Uint8Array },
): Promise<boolean> {
  const change = { session_tag: tag, session_ciphertext: ciphertext };
  return await updateRows(records, 'orders', { id, session_tag: null }, change);
}

interface PaymentChange {
  readonly to: PaymentState;
  readonly checkAt: number | null;
  /** When the payer is sent the return link to the form. */
  readonly returnLinkAt?: number | null;
}

/** Returns false if the order has changed since it was read. An order that is no longer open keeps only its day. */
export async function updateOrderPayment(
  records: Records,
  { id, revision }: Pick<Order, 'id' | 'revision'>,
  { to, checkAt, returnLinkAt = null }: PaymentChange,
): Promise<boolean> {
  const change = {
    payment: to,
    check_at: checkAt,
    return_link_at: returnLinkAt,
    revision: revision + 1,
    ...(OPEN_PAYMENT_STATES.includes(to) ? {} : settledValues),
  };
  return await updateRows(records, 'orders', { id, revision }, change);
}

/** The proof that redeems an order: the session of its payment, or its id and owner. The other values are null. */
export interface OrderProof {
  readonly sessionTag: string | null;
  readonly id: string | null;
  readonly owner: string | null;
  /** The mode of this service: a payment in the other mode is not accepted. */
  readonly livemode: Order['livemode'];
}

export type ProofKind = 'session' | 'owner';

export function buildRedemption(db: Records, by: ProofKind, { livemode, sessionTag, id, owner }: OrderProof) {
  const paid = db
    .updateTable('orders')
    .set({ redeemed: 1, ...settledValues })
    .where('payment', '=', 'paid')
    .where('redeemed', '=', 0)
    .where('on_hold', '=', 0)
    .where('livemode', '=', livemode)
    .returning(['id', 'tier']);
  return by === 'session'
    ? paid.where('session_tag', '=', sessionTag)
    : paid.where('id', '=', id ?? '').where('owner', '=', owner);
}

const prepareRedemption = (by: ProofKind) =>
  prepareQuery<OrderProof, Pick<Order, 'id' | 'tier'>>((records, proof) =>
    buildRedemption(records, by, proof),
  );

const redeemBy = { session: prepareRedemption('session'), owner: prepareRedemption('owner') } as const;

/** Redeems a paid order for its one inquiry; returns undefined if it is not paid, on hold or already redeemed. */
export async function redeemOrder(
  records: Records,
  proof: OrderProof,
): Promise<Pick<Order, 'id' | 'tier'> | undefined> {
  return (await redeemBy[proof.id === null ? 'session' : 'owner'](records, proof))[0];
}

/** Claims orders that are due for a check; no other process gets them before `until`. */
export async function claimOrdersToCheck(
  records: Records,
  { now, until, limit }: { now: number; until: number; limit: number },
): Promise<Order[]> {
  return await claimDueRows(records, 'orders', { by: 'check_at', now, limit }, { check_at: until });
}

/** No check is postponed for longer. */
export const MAX_CHECK_WAIT_MS = HOUR_MS;
/** A check further ahead was postponed by a fast clock; the clocks of two instances may differ by an hour. */
export const MAX_CHECK_AHEAD_MS = MAX_CHECK_WAIT_MS + HOUR_MS;

/** Makes checks due that were postponed by a clock far ahead of this one; returns their number. */
export async function recallOrderChecks(records: Records, now: number, limit: number): Promise<number> {
  const ahead = { check_at: ['>', now + MAX_CHECK_AHEAD_MS] } as const;
  return await updateSome(records, 'orders', ahead, { check_at: now }, limit);
}

/** Does nothing while the order is pending or processing: the provider may still have news about it. */
export async function endOrderChecks(records: Records, id: string): Promise<void> {
  const over = { id, payment: ['not in', ['pending', 'processing']] } as const;
  await updateRows(records, 'orders', over, { check_at: null });
}

export async function postponeOrderCheck(records: Records, id: string, until: number): Promise<void> {
  const checked = { id, check_at: ['is not', null] } as const;
  await updateRows(records, 'orders', checked, { check_at: Math.round(until) });
}

/** Deletes orders that were used, refunded or lost, but none that is paid and can still be used. */
export async function deleteSettledOrders(records: Records, before: number, limit: number): Promise<number> {
  const settled = records
    .selectFrom('orders')
    .select('id')
    .where('payment', 'in', PAYMENT_STATES)
    .where('created_at', '<', before)
    .where((row) => row.or([row('redeemed', '=', 1), row('payment', 'not in', OPEN_PAYMENT_STATES)]))
    .limit(limit);
  return await deleteAuditedRows(records, 'orders', settled);
}

/** Oldest first. */
export async function listOldestOrders(
  records: Records,
  payment: PaymentState,
  limit: number,
): Promise<Order[]> {
  return await listRows(records, 'orders', { payment }, { by: 'created_at', limit });
}

/** Returns false if the order's payment or session has changed since it was read. */
export async function deleteUnchangedOrder(
  records: Records,
  { id, revision, session_tag }: Pick<Order, 'id' | 'revision' | 'session_tag'>,
): Promise<boolean> {
  if (!(await deleteRows(records, 'orders', { id, revision, session_tag }))) return false;
  await clearAuditEntries(records, [id]);
  return true;
}

/** The number of the day in UTC, spelled as in the index. */
const createdOn = sql<number>`created_at / ${sql.lit(DAY_MS)}`;

/** The newest day first, and by id within a day: an order keeps its place when its time is cut to the day. */
export async function listOrdersByOwner(
  records: Records,
  owner: string,
  { limit, after }: PageRequest,
): Promise<Order[]> {
  const page = chooseRows(records, 'orders', { owner })
    .selectAll()
    .orderBy(createdOn, 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
  if (!after) return await page.execute();
  const day = Math.floor(after.at / DAY_MS);
  return await page.where(sql<boolean>`(${createdOn}, id) < (${day}, ${after.id})`).execute();
}

/** Claims orders whose e-mail is due. An order on hold after a restore waits for its release: it may have been used. */
export async function claimDueReturnLinks(
  records: Records,
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<Pick<Order, 'id'>[]> {
  const due = { by: 'return_link_at', now, limit, match: { on_hold: 0 } } as const;
  return await claimDueRows(records, 'orders', due, { return_link_at: null });
}

/** Returns false unless the order came from the website after that time and can be used. */
export async function makeReturnLinkDue(
  records: Records,
  { id, now, after }: { readonly id: string; readonly now: number; readonly after: number },
): Promise<boolean> {
  const usable = { id, payment: 'paid', redeemed: 0, on_hold: 0, owner: null } as const;
  const match = { ...usable, created_at: ['>', after] } as const;
  return await updateRows(records, 'orders', match, { return_link_at: now });
}

/** Makes the e-mail due again, once the order is no longer on hold. */
export async function postponeReturnLink(
  records: Records,
  { id }: Pick<Order, 'id'>,
  now: number,
): Promise<void> {
  await updateRows(records, 'orders', { id, on_hold: 1 }, { return_link_at: now });
}

/** Returns false if the order can no longer be used for an inquiry. */
export async function setReturnLinkHash(records: Records, id: string, hash: string): Promise<boolean> {
  const usable = { id, payment: 'paid', redeemed: 0 } as const;
  return await updateRows(records, 'orders', usable, { return_link_hash: hash });
}

export const findOrderByReturnLink = prepareFind('orders', 'return_link_hash');

/** Tagged, because the provider's ids begin with their time and lead to the payer. */
export function computeEventTag(keyring: Keyring, eventId: string): string {
  return keyring.tag('provider event', eventId);
}

export async function recordProviderEvent(records: Records, tag: string, now: number): Promise<void> {
  await insertIfNew(records, 'provider_events', { id: tag, seen_at: cutToDay(now) });
}

export async function isProviderEventRecorded(records: Records, tag: string): Promise<boolean> {
  return (await findRow(records, 'provider_events', { id: tag })) !== undefined;
}
