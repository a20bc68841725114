/** An office with any number of cases, orders and tokens, whose rows are made by SQL and shortened to what lies in the trees. */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { cp, open } from 'node:fs/promises';
import { sql } from 'kysely';
import { computeCaseOwnerTag } from '#cases/access.ts';
import { loadSharedSealingKeys } from '#cases/sealing/recipient-set.ts';
import type { ClientCredentials } from '#clients/clients.ts';
import { readConfig } from '#platform/config/config.ts';
import { DAY_MS } from '#platform/durations.ts';
import { cutToDay } from '#platform/text/day.ts';
import { toShredKeysPath } from '#store/engine/sqlite.ts';
import { encodeSlot, SHRED_KEY_BYTES, SLOT_BYTES } from '#store/keys/key-slot.ts';
import { CHUNK_SLOTS, PAGE_BYTES } from '#store/keys/key-slots-page.ts';
import { computeOrderOwnerTag } from '#store/owner.ts';
import { type CleanupScope, createTemporaryFolder, runInScope } from '#test/cleanup.ts';
import { createDataFolder, readRecipientSettings } from '#test/data-folder.ts';
import { openPostgresEngine } from '#test/store/engines.ts';
import { type BenchOffice, createBenchOffice } from './office.ts';

/** As many as an office that keeps its promise of two days has to do. */
const OPEN_CASES = 500;
/** One in so many belongs to the client. */
const CLIENT_SHARE = 20;
const OBJECT_BYTES = 100;
const SMALL_SHARE = 10;
const HEX_OF_MD5 = 32;
const SLOT_DIGITS = 21;

/** SQL of one engine. */
interface SqlForm {
  /** Random letters and digits; canonical base64url for 22 and 43 of them. */
  readonly text: (length: number) => string;
  readonly bytes: (length: number) => string;
  /** Of a row; random. */
  readonly number: string;
  /** Where the key of case `n` is. */
  readonly place: { readonly key_slot: string; readonly shred_id: string };
}

const sqlForms: Readonly<Record<'sqlite' | 'postgres', SqlForm>> = {
  sqlite: {
    text: (length) => `substr(lower(hex(randomblob(${Math.ceil(length / 2)}))), 1, ${length - 1}) || 'A'`,
    bytes: (length) => `randomblob(${length})`,
    number: '(random() >> 11) & 9007199254740991',
    // Digits and that letter are canonical base64url.
    place: {
      key_slot: 'n',
      shred_id: `substr('${'0'.repeat(SLOT_DIGITS)}' || n, -${SLOT_DIGITS}) || 'A'`,
    },
  },
  postgres: {
    text: (length) => `substr(${repeatMd5(length)}, 1, ${length - 1}) || 'A'`,
    bytes: (length) => `decode(substr(${repeatMd5(length * 2)}, 1, ${length * 2}), 'hex')`,
    number: '(random() * 9007199254740991)::bigint',
    place: { key_slot: 'null::integer', shred_id: 'null::text' },
  },
};

function repeatMd5(length: number): string {
  return Array.from({ length: Math.ceil(length / HEX_OF_MD5) }, () => 'md5(random()::text)').join(' || ');
}

/** Copies an office with that many cases. */
export type OfficeCopier = (t: CleanupScope, count: number) => Promise<BenchOffice>;

interface OfficeTemplate {
  readonly dataDir: string;
  readonly client: ClientCredentials;
}

/** Each size is filled once in a run, and every bench gets a copy of its own. */
export function createOfficeCopier(owner: CleanupScope, report: (text: string) => void): OfficeCopier {
  const templates = new Map<number, OfficeTemplate>();
  return async (t, count) => {
    if (!templates.has(count)) report(`filling an office with ${count} cases`);
    const template = templates.get(count) ?? (await fillTemplate(owner, count));
    templates.set(count, template);
    report(`copying an office with ${count} cases`);
    const dataDir = await createTemporaryFolder(t);
    await cp(template.dataDir, dataDir, { recursive: true, mode: constants.COPYFILE_FICLONE });
    return await createBenchOffice(t, { DATA_DIR: dataDir }, template.client);
  };
}

async function fillTemplate(owner: CleanupScope, count: number): Promise<OfficeTemplate> {
  const dataDir = await createDataFolder(owner);
  // A copy of a database that is in use would be torn.
  const { client } = await runInScope((scope) => createFilledOffice(scope, count, { DATA_DIR: dataDir }));
  return { dataDir, client };
}

/** Returns what fills offices, each with a database of its own on one server. */
export async function openPostgresOffices(t: CleanupScope): Promise<(count: number) => Promise<BenchOffice>> {
  const engine = await openPostgresEngine(t);
  return async (count) => {
    const dataDir = await createDataFolder(t);
    const { env } = await engine.createDatabase(t);
    const settings = { DATA_DIR: dataDir, ...env, ...(await readRecipientSettings(dataDir)) };
    return await createFilledOffice(t, count, settings);
  };
}

async function createFilledOffice(
  t: CleanupScope,
  count: number,
  env: Record<string, string>,
): Promise<BenchOffice> {
  const office = await createBenchOffice(t, env);
  const { store } = office;
  const { set } = await loadSharedSealingKeys({ store }, readConfig(office.env), true);
  if (store.engine.name === 'sqlite') {
    const restoreIndexes = await suspendIndexes(office);
    await insertOfficeRows(office, count, set);
    await restoreIndexes();
    await fillKeySlots(office.dataDir, count);
  } else {
    await insertOfficeRows(office, count, set);
    await insertRows(office, 'shred_keys', { case_id: 'id', key: sqlForms.postgres.bytes(32) }, 'cases');
    await sql.raw('analyze').execute(store.records);
  }
  return office;
}

async function insertOfficeRows(office: BenchOffice, count: number, set: string): Promise<void> {
  const { keyring, store } = office;
  const { text, bytes, number, place } = sqlForms[store.engine.name];
  const { clientId } = office.client;
  const owners = { clientId, userId: null };
  const ownedBy = (tag: string) => `case when n % ${CLIENT_SHARE} = 0 then '${tag}' end`;
  const now = Date.now();
  // Cases are spread over 25 days, their purge over the 25 days to come.
  const byState = (ongoing: string, delivered: string) =>
    `case when n < ${OPEN_CASES} then ${ongoing} else ${delivered} end`;
  const daysAgo = (days: number) => `${now} - (n % 25 + ${days}) * ${DAY_MS}`;
  await insertRows(
    office,
    'cases',
    {
      id: text(22),
      lookup_hash: text(43),
      owner: ownedBy(computeCaseOwnerTag(keyring, owners)),
      words_tag: text(43),
      tier: "'Trace'",
      state: byState("'in_progress'", "'delivered'"),
      call: "'none'",
      sealed_by: "'browser'",
      keep_days: '30',
      terms_version: "'2026-11'",
      submitted_at: byState(`${now}`, daysAgo(3)),
      due_at: byState(`${now + DAY_MS} + n * 60000`, daysAgo(1)),
      delivered_at: byState('null', daysAgo(2)),
      purge_at: byState('null', `${now} + (n % 25 + 1) * ${DAY_MS}`),
      purging: '0',
      changed_at: `${now}`,
      finding_seq: '0',
      ...place,
      sealed_to: `'${set}'`,
    },
    count,
  );
  await insertRows(office, 'case_keys', { number, case_id: 'id', ciphertext: bytes(OBJECT_BYTES) }, 'cases');
  const object = {
    number,
    id: text(22),
    case_id: 'id',
    kind: "'inquiry.v1'",
    seq: '0',
    kept_at: 'submitted_at',
  };
  const content = { size: `${OBJECT_BYTES}`, bytes: bytes(OBJECT_BYTES) };
  await insertRows(office, 'objects', { ...object, ...content }, 'cases');
  const day = `${cutToDay(now)} - (n % 25) * ${DAY_MS}`;
  const price = { tier: "'Trace'", amount: '9900', currency: "'usd'", livemode: '0' };
  await insertRows(
    office,
    'orders',
    {
      id: text(22),
      ...price,
      payment: "'paid'",
      revision: '1',
      redeemed: '1',
      session_tag: text(43),
      session_ciphertext: bytes(OBJECT_BYTES),
      owner: ownedBy(computeOrderOwnerTag(keyring, owners)),
      created_at: day,
      expires_at: day,
    },
    count,
  );
  await insertRows(office, 'provider_events', { id: text(43), seen_at: `${now} - n % 1000` }, count);
  const payload = `'{"clientId":"${clientId}","scope":"case:read"}'`;
  const token = { id: text(43), kind: "'ClientCredentials'", payload, client_id: `'${clientId}'` };
  await insertRows(office, 'tokens', { ...token, expires_at: `${now + DAY_MS} + n % 1000` }, count);
  const fewer = Math.ceil(count / SMALL_SHARE);
  const key = { key_tag: text(43), body_tag: text(43), record_id: text(22), created_at: `${now} - n % 1000` };
  await insertRows(office, 'idempotency', key, fewer);
  const tombstone = { id: text(22), tier: "'Trace'", month: "'2026-10'", outcome: "'delivered'" };
  await insertRows(office, 'tombstones', tombstone, fewer);
}

/** Each column is an expression over `n`, the number of the row. Sorted by the first, the key: a tree that is filled in its order is filled fast. */
async function insertRows(
  { store }: BenchOffice,
  table: string,
  columns: Readonly<Record<string, string>>,
  source: number | string,
): Promise<void> {
  const from =
    typeof source === 'string'
      ? source
      : `(with recursive series (n) as (values (cast(0 as bigint)) union all select n + 1 from series where n + 1 < ${source}) select n from series) as series`;
  const values = Object.entries(columns).map(([name, value]) => `${value} as ${name}`);
  const names = Object.keys(columns).join(', ');
  await sql
    .raw(`insert into ${table} (${names}) select ${values.join(', ')} from ${from} order by 1`)
    .execute(store.records);
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

/** The file of shred keys has a key for every case; its first page, with the installation id, stays as it is. */
async function fillKeySlots(dataDir: string, count: number): Promise<void> {
  await using file = await open(toShredKeysPath(dataDir), 'r+');
  for (let first = 0; first < count; first += CHUNK_SLOTS) {
    const chunk = Buffer.alloc(CHUNK_SLOTS * SLOT_BYTES);
    for (let number = first; number < Math.min(first + CHUNK_SLOTS, count); number += 1) {
      const id = `${String(number).padStart(SLOT_DIGITS, '0')}A`;
      const slot = encodeSlot(number, { id, key: randomBytes(SHRED_KEY_BYTES) });
      chunk.set(slot, (number - first) * SLOT_BYTES);
    }
    await file.write(chunk, 0, chunk.length, PAGE_BYTES + first * SLOT_BYTES);
  }
}
