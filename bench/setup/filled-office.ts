/** An office with any number of cases, orders and tokens, whose rows are made by SQL and shortened to what lies in the trees. */

import { sql } from 'kysely';
import { computeCaseOwnerTag } from '#cases/access.ts';
import { loadSharedSealingKeys } from '#cases/sealing-set.ts';
import { computeOrderOwnerTag } from '#payments/owner.ts';
import { readConfig } from '#platform/config.ts';
import { cutToDay } from '#platform/day.ts';
import { DAY_MS } from '#platform/durations.ts';
import type { CleanupScope } from '#test/cleanup.ts';
import { fillShredSlots, SLOT_ID_SQL } from './filled-slots.ts';
import { type BenchOffice, createBenchOffice } from './office.ts';
import { insertRows, type SqlForm, sqlForms } from './row-generator.ts';

/** As many as an office that keeps its promise of two days has to do. */
const OPEN_CASES = 500;
/** One in so many belongs to the client. */
const CLIENT_SHARE = 20;
const OBJECT_BYTES = 100;
const SMALL_SHARE = 10;

interface Filling {
  readonly office: BenchOffice;
  readonly form: SqlForm;
  readonly count: number;
  readonly now: number;
}

export async function createFilledOffice(
  t: CleanupScope,
  count: number,
  env: Record<string, string> = {},
): Promise<BenchOffice> {
  const office = await createBenchOffice(t, env);
  const { store } = office;
  const config = readConfig(office.env);
  const { set } = await loadSharedSealingKeys({ store }, config, true);
  const filling = { office, form: sqlForms[store.engine.name], count, now: Date.now() };
  const restoreIndexes = store.engine.name === 'sqlite' ? await suspendIndexes(office) : async () => {};
  await insertCases(filling, set);
  await insertPayments(filling);
  await insertAccess(filling);
  await restoreIndexes();
  if (store.engine.name === 'sqlite') await fillShredSlots(office.dataDir, count);
  else await insertShredRows(filling);
  return office;
}

async function insertCases({ office, form, count, now }: Filling, set: string): Promise<void> {
  const { records } = office.store;
  const owner = computeCaseOwnerTag(office.keyring, { clientId: office.client.clientId, userId: null });
  const isOpen = `n < ${OPEN_CASES}`;
  const onSqlite = office.store.engine.name === 'sqlite';
  await insertRows(
    records,
    'cases',
    {
      id: form.text(22),
      lookup_hash: form.text(43),
      owner: `case when n % ${CLIENT_SHARE} = 0 then '${owner}' end`,
      words_tag: form.text(43),
      tier: "'Trace'",
      state: `case when ${isOpen} then 'in_progress' else 'delivered' end`,
      call: "'none'",
      sealed_by: "'browser'",
      keep_days: '30',
      terms_version: "'2026-11'",
      // Spread over 25 days, the purge over the 25 days to come.
      submitted_at: `case when ${isOpen} then ${now} else ${now} - (n % 25 + 3) * ${DAY_MS} end`,
      due_at: `case when ${isOpen} then ${now + DAY_MS} + n * 60000 else ${now} - (n % 25 + 1) * ${DAY_MS} end`,
      delivered_at: `case when ${isOpen} then null else ${now} - (n % 25 + 2) * ${DAY_MS} end`,
      purge_at: `case when ${isOpen} then null else ${now} + (n % 25 + 1) * ${DAY_MS} end`,
      purging: '0',
      changed_at: String(now),
      finding_seq: '0',
      shred_slot: onSqlite ? 'n' : 'null::integer',
      shred_id: onSqlite ? SLOT_ID_SQL : 'null::text',
      sealed_to: `'${set}'`,
    },
    count,
  );
  await insertRows(
    records,
    'case_keys',
    { number: form.number, case_id: 'id', box: form.bytes(OBJECT_BYTES) },
    'cases',
  );
  await insertRows(
    records,
    'objects',
    {
      number: form.number,
      id: form.text(22),
      case_id: 'id',
      kind: "'inquiry.v1'",
      seq: '0',
      size: String(OBJECT_BYTES),
      kept_at: 'submitted_at',
      bytes: form.bytes(OBJECT_BYTES),
    },
    'cases',
  );
}

async function insertPayments({ office, form, count, now }: Filling): Promise<void> {
  const { records } = office.store;
  const owner = computeOrderOwnerTag(office.keyring, { clientId: office.client.clientId, userId: null });
  const day = `${cutToDay(now)} - (n % 25) * ${DAY_MS}`;
  await insertRows(
    records,
    'orders',
    {
      id: form.text(22),
      tier: "'Trace'",
      amount: '9900',
      currency: "'usd'",
      livemode: '0',
      payment: "'paid'",
      revision: '1',
      redeemed: '1',
      session_tag: form.text(43),
      session_box: form.bytes(OBJECT_BYTES),
      owner: `case when n % ${CLIENT_SHARE} = 0 then '${owner}' end`,
      created_at: day,
      expires_at: day,
    },
    count,
  );
  await insertRows(records, 'provider_events', { id: form.text(43), seen_at: `${now} - n % 1000` }, count);
}

async function insertAccess({ office, form, count, now }: Filling): Promise<void> {
  const { records } = office.store;
  const { clientId } = office.client;
  await insertRows(
    records,
    'tokens',
    {
      id: form.text(43),
      kind: "'ClientCredentials'",
      payload: `'{"clientId":"${clientId}","scope":"case:read"}'`,
      client_id: `'${clientId}'`,
      expires_at: `${now + DAY_MS} + n % 1000`,
    },
    count,
  );
  const fewer = Math.ceil(count / SMALL_SHARE);
  const key = { key_tag: form.text(43), body_tag: form.text(43), record_id: form.text(22) };
  await insertRows(records, 'idempotency', { ...key, created_at: `${now} - n % 1000` }, fewer);
  const tombstone = { id: form.text(22), tier: "'Trace'", month: "'2026-10'", outcome: "'delivered'" };
  await insertRows(records, 'tombstones', tombstone, fewer);
}

/** An index that is made of rows which are there is sorted once. */
async function suspendIndexes({ store }: BenchOffice): Promise<() => Promise<void>> {
  const run = async (statement: string) => void (await sql.raw(statement).execute(store.records));
  const { rows } = await sql<{ name: string; sql: string }>`
    select name, sql from sqlite_master where type = 'index' and sql is not null`.execute(store.records);
  await run('pragma synchronous = off');
  await run('pragma cache_size = -400000');
  await run('pragma temp_store = memory');
  for (const { name } of rows) await run(`drop index ${name}`);
  return async () => {
    for (const { sql: statement } of rows) await run(statement);
    await run('pragma cache_size = -2000');
    await run('pragma synchronous = full');
    await store.erase();
  };
}

async function insertShredRows({ office, form }: Filling): Promise<void> {
  const { records } = office.store;
  await insertRows(records, 'shred_keys', { case_id: 'id', key: form.bytes(32) }, 'cases');
  await sql.raw('analyze').execute(records);
}
