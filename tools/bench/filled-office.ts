/** An office with any number of cases, orders and tokens, whose rows are made by SQL and shortened to what lies in the trees. */
import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { type RawBuilder, sql } from 'kysely';
import { computeCaseOwnerTag } from '#cases/access.ts';
import { loadSharedSealingKeys } from '#cases/sealing/recipient-set.ts';
import { readConfig } from '#platform/config/config.ts';
import { DAY_MS } from '#platform/durations.ts';
import { cutToDay } from '#platform/text/day.ts';
import { toShredKeysPath } from '#store/engine/sqlite.ts';
import { encodeSlot, SHRED_KEY_BYTES, SLOT_BYTES } from '#store/keys/key-slot.ts';
import { CHUNK_SLOTS, PAGE_BYTES } from '#store/keys/key-slots-page.ts';
import { computeOrderOwnerTag } from '#store/owner.ts';
import type { CleanupScope } from '#test/cleanup.ts';
import { type BenchOffice, createBenchOffice } from './office.ts';

/** As many as an office that keeps its promise of two days has to do. */
const OPEN_CASES = 500;
/** One in so many belongs to the client. */
const CLIENT_SHARE = 20;
/** One in so many has an idempotency record and a tombstone. */
const SMALL_SHARE = 10;
const CIPHERTEXT = randomBytes(100);

/** Expressions over `n`, the number of a row, that spread over the trees as random ones do. */
const SCATTERED = sql`(n * 2654435761 % 4294967296)`;
const NUMBER = sql`${SCATTERED} * 2097152`;
const LETTERS = sql.lit('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_');
const ID = sql`substr(${LETTERS}, cast(1 + ${SCATTERED} % 64 as integer), 1)
  || substr(${LETTERS}, cast(1 + ${SCATTERED} / 64 % 64 as integer), 1)
  || cast(1000000000000000000 + ${SCATTERED} as text) || 'A'`;
const HASH = sql`${ID} || ${ID}`;

type Values = Readonly<Record<string, RawBuilder<unknown> | string | number | Buffer | null>>;

/** `database` has the settings of PostgreSQL; without them it is SQLite. */
export async function createFilledOffice(
  t: CleanupScope,
  count: number,
  database: Record<string, string> = {},
): Promise<BenchOffice> {
  const office = await createBenchOffice(t, database);
  const { records, engine } = office.store;
  const run = async (statement: string) => void (await sql.raw(statement).execute(records));
  if (engine.name === 'postgres') {
    await insertOfficeRows(office, count);
    await run('analyze');
    return office;
  }
  await run('pragma synchronous = off');
  await run('pragma cache_size = -800000');
  await insertOfficeRows(office, count);
  await fillKeySlots(office.dataDir, count);
  await run('pragma cache_size = -2000');
  await run('pragma synchronous = full');
  await office.store.erase();
  return office;
}

/** Cases are spread over 25 days, their purge over the 25 days to come. */
async function insertOfficeRows({ store, keyring, client, env }: BenchOffice, count: number): Promise<void> {
  const { records } = store;
  /** Each value is an expression over `n`, the number of the row. Sorted by the first, the key: a tree that is filled in its order is filled fast. */
  const insertRows = async (table: string, values: Values, rows = count) => {
    const names = sql.raw(Object.keys(values).join(', '));
    await sql`insert into ${sql.raw(table)} (${names})
      with recursive numbers (n) as (select cast(0 as bigint) union all select n + 1 from numbers where n + 1 < ${sql.lit(rows)})
      select ${sql.join(Object.values(values))} from numbers order by 1`.execute(records);
  };
  const time = (ms: number) => sql`cast(${ms} as bigint)`;
  const now = Date.now();
  const daysAgo = (days: number) => sql`${time(now)} - (n % 25 + ${sql.lit(days)}) * ${sql.lit(DAY_MS)}`;
  const byState = (ongoing: RawBuilder<unknown>, delivered: RawBuilder<unknown>) =>
    sql`case when n < ${sql.lit(OPEN_CASES)} then ${ongoing} else ${delivered} end`;
  const owners = { clientId: client.clientId, userId: null };
  const ownedBy = (tag: string) => sql`case when n % ${sql.lit(CLIENT_SHARE)} = 0 then ${sql.lit(tag)} end`;
  const { set } = await loadSharedSealingKeys({ store }, readConfig(env), true);
  const isSqlite = store.engine.name === 'sqlite';
  await insertRows('cases', {
    id: ID,
    lookup_hash: HASH,
    owner: ownedBy(computeCaseOwnerTag(keyring, owners)),
    words_tag: HASH,
    tier: 'Trace',
    state: byState(sql`'in_progress'`, sql`'delivered'`),
    call: 'none',
    sealed_by: 'browser',
    keep_days: 30,
    terms_version: '2026-11',
    submitted_at: byState(time(now), daysAgo(3)),
    due_at: byState(sql`${time(now + DAY_MS)} + n * 60000`, daysAgo(1)),
    delivered_at: byState(sql`null`, daysAgo(2)),
    purge_at: byState(sql`null`, sql`${time(now)} + (n % 25 + 1) * ${sql.lit(DAY_MS)}`),
    purging: 0,
    changed_at: time(now),
    finding_seq: 0,
    key_slot: isSqlite ? sql`n` : sql`cast(null as integer)`,
    shred_id: isSqlite ? sql`cast(10000000000 + n as text) || '0000000000A'` : sql`cast(null as text)`,
    sealed_to: set,
  });
  if (!isSqlite) await insertRows('shred_keys', { case_id: ID, key: randomBytes(SHRED_KEY_BYTES) });
  await insertRows('case_keys', { number: NUMBER, case_id: ID, ciphertext: CIPHERTEXT });
  const object = { number: NUMBER, id: ID, case_id: ID, kind: 'inquiry.v1', seq: 0, kept_at: time(now) };
  await insertRows('objects', { ...object, size: CIPHERTEXT.length, bytes: CIPHERTEXT });
  const day = sql`${time(cutToDay(now))} - (n % 25) * ${sql.lit(DAY_MS)}`;
  await insertRows('orders', {
    id: ID,
    tier: 'Trace',
    amount: 9_900,
    currency: 'usd',
    livemode: 0,
    payment: 'paid',
    revision: 1,
    redeemed: 1,
    session_tag: HASH,
    session_ciphertext: CIPHERTEXT,
    owner: ownedBy(computeOrderOwnerTag(keyring, owners)),
    created_at: day,
    expires_at: day,
  });
  await insertRows('provider_events', { id: HASH, seen_at: sql`${time(now)} - n % 1000` });
  await insertRows('tokens', {
    id: HASH,
    kind: 'ClientCredentials',
    payload: JSON.stringify({ clientId: client.clientId, scope: 'case:read' }),
    client_id: client.clientId,
    expires_at: sql`${time(now + DAY_MS)} + n % 1000`,
  });
  const fewer = Math.ceil(count / SMALL_SHARE);
  const created = { record_id: ID, created_at: sql`${time(now)} - n % 1000` };
  await insertRows('idempotency', { key_tag: HASH, body_tag: ID, ...created }, fewer);
  const tombstone = { tier: 'Trace', month: '2026-10', outcome: 'delivered' };
  await insertRows('tombstones', { id: sql`'gone-' || ${ID}`, ...tombstone }, fewer);
}

/** The file of shred keys has a key for every case; its first page, with the installation id, stays as it is. */
async function fillKeySlots(dataDir: string, count: number): Promise<void> {
  await using file = await open(toShredKeysPath(dataDir), 'r+');
  for (let first = 0; first < count; first += CHUNK_SLOTS) {
    const slots = Array.from({ length: Math.min(CHUNK_SLOTS, count - first) }, (_, index) => {
      const id = `${10_000_000_000 + first + index}0000000000A`;
      return encodeSlot(first + index, { id, key: randomBytes(SHRED_KEY_BYTES) });
    });
    await file.write(Buffer.concat(slots, CHUNK_SLOTS * SLOT_BYTES), {
      position: PAGE_BYTES + first * SLOT_BYTES,
    });
  }
}
