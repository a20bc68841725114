/** Carries the records of the last commit of version 0.1.0 over into the first schema that was released. */
import { createHash } from 'node:crypto';
import { type Insertable, type Kysely, sql } from 'kysely';
import { buildCaseKeyRow, insertCaseKeyRow } from '../cases/case-keys.ts';
import { insertObjectPiece } from '../cases/objects.ts';
import type { DatabaseEngine } from '../engine/engine.ts';
import { padForErasure } from '../engine/overflow-bytes.ts';
import { toRowNumber } from '../engine/row-number.ts';
import { listPresentColumns } from './schema-fit.ts';
import { listSchemaTables } from './schema-tables.ts';
import type { Tables } from './tables.ts';

type EngineName = DatabaseEngine['name'];

export const LAST_PREVIOUS_COMMIT = 'd6754aa';
export const FIRST_PREVIOUS_STEP = 'orders and outbox';
/** SHA-256 of the numbers, names and hashes of its sixty schema steps. */
const LAST_STEPS: Readonly<Record<EngineName, string>> = {
  sqlite: '90351be9f9384d2cde9c740678631e9c5a2f415340e5c420808ebbd9d860028b',
  postgres: '59385616ea149dbeb73a7c988dedb1f5c5c7cb5106ff0a560df402d0071b3c7b',
};
/** The new names of renamed tables. */
const RENAMED_TABLES: Readonly<Record<string, string>> = {
  callbacks: 'webhooks',
  callback_events: 'webhook_events',
  case_callbacks: 'case_webhooks',
  order_callbacks: 'order_webhooks',
  records_pairing: 'records_installation',
  shred_pairing: 'shred_installation',
  former_pairings: 'previous_installations',
  sealing_set: 'recipient_set',
  attended_orders: 'reviewed_orders',
  clock_notes: 'last_seen_time',
};
/** The new names of renamed columns, by table. */
const RENAMED_COLUMNS: readonly (readonly [table: string, name: string, next: string])[] = [
  ['case_alerts', 'letter', 'email_id'],
  ['cases', 'holder', 'assignee'],
  ['cases', 'shred_slot', 'key_slot'],
  ['cases', 'held_state', 'state_on_hold'],
  ['cases', 'unanswered_since', 'awaiting_reply_since'],
  ['records_installation', 'pairing_id', 'installation_id'],
  ['records_installation', 'counter', 'generation'],
  ['shred_installation', 'pairing_id', 'installation_id'],
  ['shred_installation', 'counter', 'generation'],
  ['previous_installations', 'counter', 'generation'],
  ['last_seen_time', 'noted_at', 'seen_at'],
  ['objects', 'holder', 'uploader'],
  ['desk_challenges', 'holder', 'investigator'],
  ['desk_sessions', 'holder', 'investigator'],
  ['orders', 'held', 'on_hold'],
  ['orders', 'way_back_at', 'return_link_at'],
  ['orders', 'way_back_hash', 'return_link_hash'],
];
const PREFIX = 'previous_';
const BATCH = 50;
/** Tables whose rows describe the previous steps, are rewritten, or are no longer needed. */
const NOT_COPIED: readonly string[] = [
  'schema_version',
  'schema_hashes',
  'objects',
  'object_pieces',
  'write_checks',
];

export function isPreviousSchema(columns: ReadonlySet<string>): boolean {
  return columns.has('schema_version.version');
}

/** Writes nothing. Returns why the records cannot be carried over, or null if they can. */
export async function explainPreviousRecords(
  db: Kysely<Tables>,
  engine: EngineName,
  columns: ReadonlySet<string>,
): Promise<string | null> {
  const hash = columns.has('schema_hashes.hash') ? await hashPreviousSteps(db) : null;
  const isWhole = hash === LAST_STEPS[engine] && (await isSettled(db, engine));
  return isWhole
    ? null
    : `the records were not written by the last commit of version 0.1.0; start the service of commit ${LAST_PREVIOUS_COMMIT} with them once, then this version`;
}

async function hashPreviousSteps(db: Kysely<Tables>): Promise<string> {
  const { rows } = await sql<{ version: number; name: string; hash: string | null }>`
    select schema_version.version, name, hash from schema_version
      left join schema_hashes on schema_hashes.version = schema_version.version
      order by schema_version.version`.execute(db);
  const text = rows.map(({ version, name, hash }) => `${version} ${name} ${hash}`).join('\n');
  return createHash('sha256').update(text).digest('hex');
}

/** Checks for what only the service of `LAST_PREVIOUS_COMMIT` creates at its start: slots of cases, ciphertexts of users. */
async function isSettled(db: Kysely<Tables>, engine: EngineName): Promise<boolean> {
  const waiting = [
    'select 1 from users where words_tag is not null and words_box is null limit 1',
    ...(engine === 'sqlite' ? ['select 1 from cases where shred_slot is null limit 1'] : []),
  ];
  for (const query of waiting) if ((await sql.raw(query).execute(db)).rows.length > 0) return false;
  return true;
}

/** In the transaction of the step that makes the tables: either everything is carried over or nothing. */
export async function carryOverRecords(
  db: Kysely<Tables>,
  engine: EngineName,
  makeTables: () => Promise<void>,
): Promise<void> {
  await renameTables(db, engine);
  await renameColumns(db, engine);
  const previous = groupByTable(await listPresentColumns(db, engine));
  const tables = [...new Set([...listSchemaTables(), ...NOT_COPIED])].filter((name) => previous.has(name));
  await setAside(db, engine, tables);
  await makeTables();
  const made = groupByTable(await listPresentColumns(db, engine));
  await sql`update previous_cases set changed_at = submitted_at where changed_at is null`.execute(db);
  for (const name of tables.filter((each) => !NOT_COPIED.includes(each)))
    await copyRows(db, name, intersect(made.get(name), previous.get(name)));
  await rewriteSealedRows(db, engine);
  // Tables that refer to others go first.
  for (const name of tables.toReversed()) await sql`drop table ${sql.table(PREFIX + name)}`.execute(db);
}

async function renameTables(db: Kysely<Tables>, engine: EngineName): Promise<void> {
  const present = groupByTable(await listPresentColumns(db, engine));
  // Some tables exist only on PostgreSQL.
  for (const [name, next] of Object.entries(RENAMED_TABLES))
    if (present.has(name)) await sql`alter table ${sql.table(name)} rename to ${sql.table(next)}`.execute(db);
}

async function renameColumns(db: Kysely<Tables>, engine: EngineName): Promise<void> {
  for (const column of await listPresentColumns(db, engine)) {
    const [table = '', name = ''] = column.split('.');
    const renamed = RENAMED_COLUMNS.find((each) => each[0] === table && each[1] === name);
    // An encrypted value used to be called a box.
    const next = renamed?.[2] ?? name.replace(/(?<=^|_)box$/, 'ciphertext');
    if (next !== name)
      await sql`alter table ${sql.table(table)} rename column ${sql.ref(name)} to ${sql.ref(next)}`.execute(
        db,
      );
  }
}

/** Indexes keep their names when a table is renamed. */
async function setAside(db: Kysely<Tables>, engine: EngineName, tables: readonly string[]): Promise<void> {
  for (const name of tables)
    await sql`alter table ${sql.table(name)} rename to ${sql.table(PREFIX + name)}`.execute(db);
  const renamed = sql.join(tables.map((name) => PREFIX + name));
  if (engine === 'sqlite') {
    const { rows } = await sql<{ name: string }>`select name from sqlite_schema
      where type = 'index' and sql is not null and tbl_name in (${renamed})`.execute(db);
    for (const { name } of rows) await sql`drop index ${sql.table(name)}`.execute(db);
    return;
  }
  const { rows } = await sql<{ name: string }>`select indexname as name from pg_indexes
    where schemaname = current_schema() and tablename in (${renamed})`.execute(db);
  for (const { name } of rows)
    await sql`alter index ${sql.table(name)} rename to ${sql.table(PREFIX + name)}`.execute(db);
}

async function copyRows(db: Kysely<Tables>, name: string, columns: readonly string[]): Promise<void> {
  if (columns.length === 0) return;
  const names = sql.join(columns.map((column) => sql.ref(column)));
  await sql`insert into ${sql.table(name)} (${names}) select ${names} from ${sql.table(PREFIX + name)}`.execute(
    db,
  );
}

function intersect(made: readonly string[] = [], previous: readonly string[] = []): string[] {
  return made.filter((column) => previous.includes(column));
}

function groupByTable(columns: readonly string[]): ReadonlyMap<string, string[]> {
  const grouped = Map.groupBy(columns, (column) => column.slice(0, column.indexOf('.')));
  return new Map(
    [...grouped].map(([table, names]) => [table, names.map((name) => name.slice(table.length + 1))]),
  );
}

/** Case keys are now in a separate table, an object row has the first piece, and only contact messages are padded. */
async function rewriteSealedRows(db: Kysely<Tables>, engine: EngineName): Promise<void> {
  for await (const { id, key_ciphertext: padded } of listPreviousRows(db, 'cases'))
    await insertCaseKeyRow(db, buildCaseKeyRow(id, stripPreviousPadding(padded as Uint8Array)));
  for await (const row of listPreviousRows(db, 'objects')) {
    const { rows } = await sql<{ bytes: Uint8Array }>`select bytes from previous_object_pieces
      where object_id = ${row.id} and piece = 0`.execute(db);
    const bytes = rows[0] ? stripPreviousPadding(rows[0].bytes) : null;
    const object = { ...row, number: toRowNumber(row.id), bytes } as unknown as Insertable<Tables['objects']>;
    await db.insertInto('objects').values(object).execute();
    await carryOverPieces(db, row.id);
  }
  if (engine === 'sqlite') return;
  for await (const { id, sealed } of listPreviousRows(db, 'contact_messages')) {
    const padded = padForErasure(stripPreviousPadding(sealed as Uint8Array));
    await db.updateTable('contact_messages').set({ sealed: padded }).where('id', '=', id).execute();
  }
  await sql`update shred_keys set key = substr(key, length(key) - 31) where length(key) > 32`.execute(db);
}

async function carryOverPieces(db: Kysely<Tables>, objectId: string): Promise<void> {
  // An upload under way may lack some pieces.
  for (let after = 0; ; ) {
    const { rows } = await sql<{ piece: number; bytes: Uint8Array }>`select piece, bytes
      from previous_object_pieces where object_id = ${objectId} and piece > ${after} order by piece limit 1`.execute(
      db,
    );
    const [row] = rows;
    if (!row) return;
    await insertObjectPiece(db, { objectId, piece: row.piece, bytes: stripPreviousPadding(row.bytes) });
    after = row.piece;
  }
}

type PreviousRow = { readonly id: string } & Readonly<Record<string, unknown>>;

async function* listPreviousRows(db: Kysely<Tables>, table: string): AsyncGenerator<PreviousRow> {
  for (let after = ''; ; ) {
    const { rows } = await sql<PreviousRow>`select * from ${sql.table(PREFIX + table)}
      where id > ${after} order by id limit ${BATCH}`.execute(db);
    yield* rows;
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
  }
}

/** A page that begins with a one or, in older rows of PostgreSQL, a kibibyte of zeros. */
function stripPreviousPadding(stored: Uint8Array): Uint8Array {
  return stored.subarray(stored[0] === 1 ? 4_096 : 1_024);
}
