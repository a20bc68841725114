/** Counts what only the former master key recognises and nothing can compute again: it is forgotten with time alone. */
import { sql } from 'kysely';
import { cutToDay } from '#platform/day.ts';
import { DAY_MS } from '#platform/durations.ts';
import { FORM_DAYS } from '#platform/expiry.ts';
import { computeOldestKeyDay } from './idempotent-request.ts';
import type { Records } from './tables.ts';

interface FormerTime {
  readonly now: number;
  /** When the former key was used last. */
  readonly usedUntil: number;
}

/** Requests that would be taken for new ones if they came again with their Idempotency-Key. */
export async function countFormerRequests(records: Records, { now, usedUntil }: FormerTime): Promise<number> {
  const { count } = await records
    .selectFrom('idempotency')
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .where('created_at', '>=', computeOldestKeyDay(now))
    .where('created_at', '<=', cutToDay(usedUntil))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Events of the provider that would be read once more if they were sent again. */
export async function countFormerEvents(records: Records, { usedUntil }: FormerTime): Promise<number> {
  const { count } = await records
    .selectFrom('provider_events')
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .where('seen_at', '<=', cutToDay(usedUntil))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Paid and unused orders whose form a browser may remember in a cookie. */
export async function countFormerForms(records: Records, { now, usedUntil }: FormerTime): Promise<number> {
  const { count } = await records
    .selectFrom('orders')
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .where('payment', 'in', ['paid', 'processing'])
    .where('redeemed', '=', 0)
    .where('created_at', '>', now - FORM_DAYS * DAY_MS)
    .where('created_at', '<=', usedUntil)
    .executeTakeFirstOrThrow();
  return Number(count);
}

interface FormerSpan extends FormerTime {
  /** How long such a thing is good. */
  readonly lifetimeMs: number;
}

/** Links to credentials that were sent and not yet used. */
export async function countFormerOffers(
  records: Records,
  { now, usedUntil, lifetimeMs }: FormerSpan,
): Promise<number> {
  const { count } = await records
    .selectFrom('registrations')
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .where('offer_until', '>', now)
    .where('offer_until', '<=', usedUntil + lifetimeMs)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Sign-ins under way. */
export async function countFormerSignIns(
  records: Records,
  { now, usedUntil, lifetimeMs }: FormerSpan,
): Promise<number> {
  const { count } = await records
    .selectFrom('tokens')
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    // As in the partial index, which SQLite would not use otherwise.
    .where(sql<boolean>`kind in ('Interaction', 'Session')`)
    .where('kind', '=', 'Interaction')
    .where('expires_at', '>', now)
    .where('expires_at', '<=', usedUntil + lifetimeMs)
    .executeTakeFirstOrThrow();
  return Number(count);
}
