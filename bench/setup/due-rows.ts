/** Gives every periodic task of a filled office plenty to do. */
import { sql } from 'kysely';
import { DAY_MS } from '#platform/durations.ts';
import type { BenchOffice } from './office.ts';
import { makeCasesDue } from './purge-run.ts';
import { insertRows, sqlForms } from './row-generator.ts';

const OLD_MS = 400 * DAY_MS;
const DUE_CASES = 1_000;
const STALE_UPLOADS = 2_000;

/** `count` rows of each kind whose number is not bounded otherwise. */
export async function insertDueRows(office: BenchOffice, count: number): Promise<void> {
  const { records, engine } = office.store;
  const { text, bytes, number } = sqlForms[engine.name];
  const old = String(Date.now() - OLD_MS);
  await makeCasesDue(office, DUE_CASES);
  const token = { id: text(43), kind: "'ClientCredentials'", payload: "'{}'", expires_at: old };
  await insertRows(records, 'tokens', token, count);
  const key = { key_tag: text(43), body_tag: text(43), record_id: text(22), created_at: old };
  await insertRows(records, 'idempotency', key, count);
  await insertRows(records, 'provider_events', { id: text(43), seen_at: old }, count);
  const order = { id: text(22), tier: "'Trace'", amount: '9900', currency: "'usd'", livemode: '0' };
  const unpaid = { payment: "'expired'", revision: '1', created_at: old, expires_at: old };
  await insertRows(records, 'orders', { ...order, ...unpaid }, count);
  const tombstone = { id: text(22), tier: "'Trace'", month: "'2025-01'", outcome: "'delivered'" };
  const forgotten = { lookup_hash: text(43), purged_on: "'2025-01-01'", forget_at: old };
  await insertRows(records, 'tombstones', { ...tombstone, ...forgotten }, count);
  const upload = { number, id: text(22), holder: text(43), kept_at: old, bytes: bytes(100) };
  await insertRows(records, 'objects', upload, STALE_UPLOADS);
}

/** Zero once the periodic tasks have done everything. */
export async function countDueRows({ store }: BenchOffice): Promise<number> {
  const old = Date.now() - OLD_MS + DAY_MS;
  const { rows } = await sql<{ due: number }>`select
    (select count(*) from tokens where expires_at < ${old})
    + (select count(*) from idempotency where created_at < ${old})
    + (select count(*) from provider_events where seen_at < ${old})
    + (select count(*) from orders where created_at < ${old})
    + (select count(*) from tombstones where forget_at < ${old})
    + (select count(*) from objects where case_id is null)
    + (select count(*) from cases where purge_at < ${Date.now()}) as due`.execute(store.records);
  return Number(rows[0]?.due);
}
