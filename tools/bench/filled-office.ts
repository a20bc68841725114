/** An office with any number of cases, orders and tokens; the number of rows is real, the size of files is not. */
import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { sql } from 'kysely';
import { computeCaseOwnerTag } from '#cases/access.ts';
import { loadSharedSealingKeys } from '#cases/sealing/recipient-set.ts';
import { readConfig } from '#platform/config/config.ts';
import { DAY_MS, MINUTE_MS } from '#platform/durations.ts';
import { encodeSlot, SHRED_KEY_BYTES, SLOT_BYTES } from '#store/keys/key-slot.ts';
import { CHUNK_SLOTS, PAGE_BYTES } from '#store/keys/key-slots-page.ts';
import { toShredKeysPath } from '#store/keys/orphaned-keys.ts';
import { computeOrderOwnerTag } from '#store/owner.ts';
import type { CleanupScope } from '#test/cleanup.ts';
import { fillStore, toFilledShredId } from '#test/store/filled-store.ts';
import { type BenchOffice, createBenchOffice } from './office.ts';

/** The number of open cases at an office that replies within the promised two days. */
const OPEN_CASES = 500;
/** The time from storing the cases here until their purge. */
const KEEP_MS = 30 * DAY_MS;
/** The tables that grow as people and programs use an office; the others hold few rows. */
const TABLES = 'cases case_keys objects tombstones orders provider_events idempotency tokens'.split(' ');

/** `database` has the settings of PostgreSQL; without them it is SQLite. */
export async function createFilledOffice(
  t: CleanupScope,
  count: number,
  database: Record<string, string> = {},
): Promise<BenchOffice> {
  const office = await createBenchOffice(t, database);
  const { records, engine, erase } = office.store;
  const run = async (statement: string) => void (await sql.raw(statement).execute(records));
  if (engine.name === 'postgres') {
    await fillOffice(office, count);
    await sql`insert into shred_keys (case_id, key)
      select id, ${randomBytes(SHRED_KEY_BYTES)} from cases`.execute(records);
    await run('vacuum analyze');
    return office;
  }
  await run('pragma synchronous = off');
  await run('pragma cache_size = -800000');
  await fillOffice(office, count);
  await fillKeySlots(office.dataDir, count);
  await run('pragma cache_size = -2000');
  await run('pragma synchronous = full');
  await erase();
  return office;
}

/** Some cases are open, and about one in ten of the cases and orders belongs to the client. */
async function fillOffice({ store, keyring, client, env }: BenchOffice, count: number): Promise<void> {
  const { records, engine } = store;
  const now = Date.now();
  const { set } = await loadSharedSealingKeys({ store }, readConfig(env), true);
  await fillStore(records, count, {
    now,
    tables: TABLES,
    set,
    hasKeySlots: engine.name === 'sqlite',
  });
  const owners = { clientId: client.clientId, userId: null };
  const tags = { cases: computeCaseOwnerTag(keyring, owners), orders: computeOrderOwnerTag(keyring, owners) };
  for (const [table, tag] of Object.entries(tags))
    await sql`update ${sql.table(table)} set owner = ${tag} where owner like 'owner-1%'`.execute(records);
  await sql`update cases set state = 'in_progress', delivered_at = null, released_at = null, purge_at = null,
    due_at = cast(${now + DAY_MS} as bigint) + (purge_at - ${now + KEEP_MS}) * ${sql.lit(MINUTE_MS)}
    where id in (select id from cases order by purge_at limit ${sql.lit(OPEN_CASES)})`.execute(records);
}

/** The file of shred keys has a key for every case; its first page, with the installation id, stays as it is. */
async function fillKeySlots(dataDir: string, count: number): Promise<void> {
  await using file = await open(toShredKeysPath(dataDir), 'r+');
  for (let first = 0; first <= count; first += CHUNK_SLOTS) {
    const slots = Array.from({ length: Math.min(CHUNK_SLOTS, count + 1 - first) }, (_, index) => {
      const number = first + index;
      if (number === 0) return Buffer.alloc(SLOT_BYTES);
      return encodeSlot(number, { id: toFilledShredId(number), key: randomBytes(SHRED_KEY_BYTES) });
    });
    const chunk = Buffer.concat(slots, CHUNK_SLOTS * SLOT_BYTES);
    await file.write(chunk, { position: PAGE_BYTES + first * SLOT_BYTES });
  }
}
