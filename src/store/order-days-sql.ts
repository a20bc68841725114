/** Cuts the times of settled orders to the day, and removes what else told when an order was paid. */
import { DAY_MS } from '#platform/durations.ts';

export const orderDaysSql = [
  // Nothing ever read them.
  "delete from outbox where topic = 'order'",
  `update outbox set due_at = due_at - due_at % ${DAY_MS} where dead = 1`,
  `update orders set created_at = created_at - created_at % ${DAY_MS}, expires_at = created_at - created_at % ${DAY_MS}
    where redeemed = 1 or payment not in ('pending', 'processing', 'paid')`,
  `update idempotency set created_at = created_at - created_at % ${DAY_MS}`,
  // They were stored under the provider's own ids, which begin with their time; the ledger only saves work.
  'delete from provider_events',
  'drop index orders_by_owner',
  `create index orders_by_owner on orders (owner, (created_at / ${DAY_MS}), id) where owner is not null`,
  'create index orders_by_age on orders (created_at)',
  "create index orders_unpaid on orders (created_at) where payment in ('pending', 'failed', 'expired')",
] as const;
