/** Inserts by SQL alone many rows that sweeps must find: expired, given up on, forgotten, due and late. */
import { type RawBuilder, sql } from 'kysely';
import { DAY_MS } from '#platform/durations.ts';
import { storageCaps } from '#store/limits/storage-caps.ts';
import type { Records } from '#store/schema/tables.ts';
import { CIPHERTEXT, insertNumbered } from './filled-store.ts';

/** Limited, because the purge of each case is a transaction with its own sync. */
export const MAX_SWEPT_CASES = 5_000;
/** The number of cases that a desk could have open. */
const LATE_CASES = 500;
const YEARS_MS = 20 * 365 * DAY_MS;

/** Each task finds `rows` rows of its table, or as many as its cap allows. Cases have no shred key. */
export async function insertSweptRows(records: Records, rows: number, now = Date.now()): Promise<void> {
  const id = sql`'due-' || cast(100000000 + i as text)`;
  const past = sql`cast(${now - YEARS_MS} as bigint) + i`;
  const insertRows: RowInserter = async (target, values, count = rows) =>
    await insertNumbered(records, target, values, count);
  await insertRows(
    'orders (id, tier, amount, currency, livemode, payment, revision, redeemed, created_at, expires_at, return_link_at)',
    sql`${id}, 'Trace', 100, 'eur', 0, case i % 2 when 0 then 'expired' else 'refunded' end, 1, 0, ${past}, ${past}, ${past}`,
  );
  await insertRows(
    'idempotency (key_tag, body_tag, record_id, created_at)',
    sql`${id}, 'body', ${id}, ${past}`,
  );
  await insertRows(
    'draft_keys (form_tag, half_ciphertext, created_at)',
    sql`${id}, ${sql.val(CIPHERTEXT)}, ${past}`,
  );
  await insertRows(
    'notices (id, address_ciphertext, told_at, ends_at)',
    sql`${id}, ${sql.val(CIPHERTEXT)}, ${past}, ${past}`,
  );
  await insertRows(
    'webhook_events (id, kind, queue_tag, ciphertext, due_at, ends_at, attempts, claimed_until)',
    sql`${id}, 'test', ${id}, ${sql.val(CIPHERTEXT)}, ${past}, ${past}, 1, 0`,
  );
  await insertRows('provider_events (id, seen_at)', sql`${id}, ${past}`);
  await insertRows(
    'outbox (id, topic, payload, dedupe, due_at, waits_since, attempts, claimed_until, dead)',
    sql`${id}, 'none', '{}', ${id}, ${past}, ${past}, 9, 0, 1`,
  );
  await insertRows('tokens (id, kind, payload, expires_at)', sql`${id}, 'AccessToken', '{}', ${past}`);
  await insertRows(
    'desk_challenges (id, investigator, nonce_hash, expires_at)',
    sql`${id}, 'x', 'x', ${past}`,
  );
  await insertRows('desk_sessions (id, investigator, jkt, expires_at)', sql`${id}, 'x', 'x', ${past}`);
  await insertRows(
    'sign_in_codes (id, sign_in_tag, address_tag, address_ciphertext, tries_left, created_at, expires_at)',
    sql`${id}, ${id}, ${id}, ${sql.val(CIPHERTEXT)}, 0, ${past}, ${past}`,
    Math.min(rows, storageCaps.sign_in_codes.number),
  );
  await insertRows(
    `registrations (id, name, contact_ciphertext, identity_type, credentials, redirect_uris, status, scopes, grants,
      created_at, forget_at)`,
    sql`${id}, 'A client', ${sql.val(CIPHERTEXT)}, 'email', 'bearer', '[]', 'pending', '', '', ${past}, ${past}`,
    Math.min(rows, storageCaps.registrations.number),
  );
  await insertRows(
    'tombstones (id, tier, month, outcome, lookup_hash, purged_on, forget_at)',
    sql`${id}, 'Trace', '2026-11', 'delivered', ${id}, '2026-11-15', ${past}`,
  );
  await insertRows(
    'contact_messages (id, sealed, sealed_by, received_at, purge_at)',
    sql`${id}, ${sql.val(CIPHERTEXT)}, 'browser', ${past}, ${past}`,
    Math.min(rows, storageCaps.contact_messages.number),
  );
  await insertRows(
    'objects (number, id, uploader, kept_at, bytes)',
    sql`1000000000 + i, 'staged-' || ${id}, ${id}, ${past}, ${sql.val(CIPHERTEXT)}`,
  );
  await insertCases(insertRows, {
    first: 0,
    id,
    state: 'delivered',
    past,
    purgeAt: past,
    count: Math.min(rows, MAX_SWEPT_CASES),
  });
  const late = { id: sql`'late-' || ${id}`, state: 'in_progress', past, purgeAt: sql`null` };
  await insertCases(insertRows, { ...late, first: 500_000_000, count: LATE_CASES });
  await insertRows(
    'case_webhooks (case_id, client_ciphertext, told_at, due_at)',
    sql`${late.id}, ${sql.val(CIPHERTEXT)}, ${past}, ${past}`,
    LATE_CASES,
  );
}

type RowInserter = (target: string, values: RawBuilder<unknown>, count?: number) => Promise<unknown>;

interface DueCases {
  /** The row number of the first object. */
  readonly first: number;
  readonly id: RawBuilder<unknown>;
  readonly state: string;
  readonly past: RawBuilder<unknown>;
  readonly purgeAt: RawBuilder<unknown>;
  readonly count: number;
}

async function insertCases(
  insertRows: RowInserter,
  { first, id, state, past, purgeAt, count }: DueCases,
): Promise<void> {
  await insertRows(
    `cases (id, lookup_hash, words_tag, tier, state, call, sealed_by, keep_days, terms_version, submitted_at, due_at,
      changed_at, finding_seq, purge_at, purging)`,
    sql`${id}, ${id}, ${id}, 'Trace', ${sql.lit(state)}, 'none', 'browser', 30, '2026-11', ${past}, ${past}, ${past}, 0,
      cast(${purgeAt} as bigint), 0`,
    count,
  );
  const place = 'objects (number, id, case_id, kind, seq, size, kept_at, bytes)';
  await insertRows(
    place,
    sql`${sql.lit(first)} + i, ${id}, ${id}, 'inquiry.v1', 0, 5, ${past}, ${sql.val(CIPHERTEXT)}`,
    count,
  );
}
