/** The types of the tables of payments: orders and the provider's events. */
import type { PaymentState, SqlBoolean } from './column-values.ts';

export interface OrderTable {
  id: string;
  tier: string;
  /** In the currency's smallest unit. */
  amount: number;
  currency: string;
  livemode: SqlBoolean;
  /** Follows the provider only; `redeemed` says whether the order was used for an inquiry. */
  payment: PaymentState;
  /** Counts the changes of `payment`, so that concurrent updates cannot overwrite each other. */
  revision: number;
  redeemed: SqlBoolean;
  /** Restored from a backup: nobody can know whether it was used afterwards, so an operator has to release it. */
  held: SqlBoolean;
  /** HMAC of the provider's session id, to find the order by it. */
  session_tag: string | null;
  /** The session id, encrypted because it gives access to the inquiry form. */
  session_box: Uint8Array | null;
  /** HMAC of the client that made the order, and of the person if it acted for one; null for one from the website. */
  owner: string | null;
  created_at: number;
  expires_at: number;
  /** When to ask the provider again; null once no change is expected. */
  check_at: number | null;
  /** When the payer is sent the way back to the form; null once that is begun, or not needed. */
  way_back_at: number | null;
  /** SHA-256 of the token in that letter. */
  way_back_hash: string | null;
}

/** Orders that somebody has looked at; a later change of the payment has a higher revision. */
export interface AttendedOrderTable {
  order_id: string;
  revision: number;
}

/** Provider events that have been processed. */
export interface ProviderEventTable {
  id: string;
  seen_at: number;
}
