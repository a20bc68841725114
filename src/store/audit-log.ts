/** The audit log: who at the desk did what to what and when, each entry hashed into a chain. */
import { randomBytes } from 'node:crypto';
import { type Insertable, type Selectable, sql } from 'kysely';
import { cutToDay } from '#platform/text/day.ts';
import { toIsoTime } from '#platform/text/iso-time.ts';
import { repeatInTurns } from '#platform/turns.ts';
import {
  type AuditHead,
  advanceAuditHead,
  FIRST_AUDIT_HEAD,
  hashAuditEntry,
} from '#seal/core/audit-chain.ts';
import type { AuditAct } from '#wire/desk-audit.ts';
import { buildKeptFilter } from './cases/cases.ts';
import { BATCH_ROWS } from './engine/batches.ts';
import type { TransactionRunner } from './engine/group-commit.ts';
import { isPostgres } from './engine/prepared.ts';
import { chooseRows, findRow, updateRows } from './engine/selected-rows.ts';
import type { Records, Tables } from './schema/tables.ts';

const SALT_BYTES = 32;

export interface AuditedAct {
  /** The investigator; null for the command line without a key. */
  readonly by: string | null;
  readonly act: AuditAct;
  /** One record, never two, so that no entry links an order to a case. */
  readonly subject?: { readonly kind: 'case' | 'order' | 'agent' | 'contact'; readonly id: string };
}

export type AuditEntry = Selectable<Tables['audit_entries']> & {
  readonly number: number;
  readonly hash: string;
};

/** Call it in the transaction of the act. The entry is numbered later, so that acts do not wait for each other. */
export async function appendAuditEntry(records: Records, act: AuditedAct, now: number): Promise<void> {
  await buildAuditEntries(records, [act], now).execute();
}

export function buildAuditEntries(db: Records, acts: readonly AuditedAct[], now: number) {
  return db.insertInto('audit_entries').values(acts.map((act) => buildEntry(act, now)));
}

function buildEntry({ by, act, subject }: AuditedAct, now: number): Insertable<Tables['audit_entries']> {
  const salt = randomBytes(SALT_BYTES).toString('base64url');
  // Only the day for an order, like its own times: its case follows soon after its release, so a time could link them.
  const at = toIsoTime(subject?.kind === 'order' ? cutToDay(now) : now);
  const entry = JSON.stringify({ at, by, act, ...(subject && { [subject.kind]: subject.id }) });
  return { entry_hash: hashAuditEntry(salt, entry), salt, entry, subject_id: subject?.id ?? null };
}

/**
 * Logs that a case was read; returns false if the case is being purged, because then no entry may remain. On
 * PostgreSQL, this statement and the one that marks a purge wait for each other.
 */
export async function appendReading(
  records: Records,
  { by, caseId }: { readonly by: string | null; readonly caseId: string },
  now: number,
): Promise<boolean> {
  const entry = buildEntry({ by, act: 'read', subject: { kind: 'case', id: caseId } }, now);
  const columns = Object.keys(entry) as (keyof typeof entry)[];
  const values = columns.map((column) => sql<string>`cast(${entry[column]} as text)`.as(column));
  const kept = records
    .selectFrom('cases')
    .select(values)
    .where('id', '=', caseId)
    .where(buildKeptFilter(now));
  const appended = await records
    .insertInto('audit_entries')
    .columns(columns)
    .expression(isPostgres(records) ? kept.forShare() : kept)
    .returning('entry_hash')
    .executeTakeFirst();
  return appended !== undefined;
}

/** Runs before the log is read, and in a sweep, so that every head that was shown vouches for all acts before it. */
export async function chainAuditEntries(store: {
  readonly records: Records;
  readonly transaction: TransactionRunner;
}): Promise<void> {
  const hasMore = async () => (await listUnchained(store.records, 1)).length > 0;
  await repeatInTurns(async () => (await hasMore()) && (await store.transaction(chainSome)) === BATCH_ROWS);
}

/** Returns how many entries it chained. */
async function chainSome(records: Records): Promise<number> {
  const previous = await findAuditHead(records);
  const heads: (AuditHead & { readonly entry_hash: string })[] = [];
  for (const entryHash of await listUnchained(records, BATCH_ROWS))
    heads.push({ ...advanceAuditHead(heads.at(-1) ?? previous, entryHash), entry_hash: entryHash });
  const { number, hash } = heads.at(-1) ?? previous;
  // Done first: on PostgreSQL, a concurrent transaction waits here and is then retried.
  const { numInsertedOrUpdatedRows } = await records
    .insertInto('audit_head')
    .values({ id: 1, number, hash })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({ number, hash }).where('audit_head.number', '=', previous.number),
    )
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows !== 1n) throw new Error('the head of the audit log has moved');
  for (const { entry_hash: entryHash, ...head } of heads)
    await updateRows(records, 'audit_entries', { entry_hash: entryHash }, head);
  return heads.length;
}

/** Ordered by time, with which the text of an entry begins. */
async function listUnchained(records: Records, limit: number): Promise<string[]> {
  const query = chooseRows(records, 'audit_entries', { number: null }, { by: 'entry', limit });
  return (await query.select('entry_hash').execute()).map(({ entry_hash: hash }) => hash);
}

/** Returns the text of the last entry, whether or not it is in the chain yet. */
export async function findLastAuditEntry(records: Records, subjectId: string): Promise<string | null> {
  const query = records.selectFrom('audit_entries').select('entry').where('subject_id', '=', subjectId);
  return (await query.orderBy('entry', 'desc').limit(1).executeTakeFirst())?.entry ?? null;
}

export async function findAuditHead(records: Records): Promise<AuditHead> {
  const { number, hash } = (await findRow(records, 'audit_head', { id: 1 })) ?? FIRST_AUDIT_HEAD;
  return { number, hash };
}

/** Deletes the texts of these subjects' entries, and the salts, which could confirm a guess; the chain still holds. */
export async function clearAuditEntries(records: Records, subjectIds: readonly string[]): Promise<void> {
  if (subjectIds.length > 0) await buildAuditClearing(records, subjectIds).execute();
}

export function buildAuditClearing(db: Records, subjectIds: readonly string[]) {
  return db
    .updateTable('audit_entries')
    .set({ subject_id: null, salt: null, entry: null })
    .where('subject_id', 'in', subjectIds);
}

export type AuditedTable = 'orders' | 'registrations' | 'contact_messages';

/** Deletes rows that the log may mention, and the texts of the entries about them. Returns the number of rows. */
export async function deleteAuditedRows(
  records: Records,
  table: AuditedTable,
  selected: { readonly execute: () => Promise<readonly { readonly id: string }[]> },
): Promise<number> {
  // Read once: a query without an order may choose other rows the second time.
  const ids = (await selected.execute()).map(({ id }) => id);
  if (ids.length === 0) return 0;
  await clearAuditEntries(records, ids);
  const { numDeletedRows } = await records.deleteFrom(table).where('id', 'in', ids).executeTakeFirst();
  return Number(numDeletedRows);
}

interface AuditPage {
  /** If it is missing, all entries are listed. */
  readonly subjectId?: string | undefined;
  readonly before?: number | undefined;
  readonly limit: number;
}

/** Newest first. */
export async function listAuditEntries(
  records: Records,
  { subjectId, before, limit }: AuditPage,
): Promise<AuditEntry[]> {
  return await records
    .selectFrom('audit_entries')
    .selectAll()
    .where('number', 'is not', null)
    .$narrowType<AuditEntry>()
    .$if(subjectId !== undefined, (query) => query.where('subject_id', '=', subjectId ?? ''))
    .$if(before !== undefined, (query) => query.where('number', '<', before ?? 0))
    .orderBy('number', 'desc')
    .limit(limit)
    .execute();
}

/** Oldest first, from the one after `after`. */
export async function listAuditChain(
  records: Records,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<AuditEntry[]> {
  const entries = chooseRows(records, 'audit_entries', { number: ['>', after] }, { by: 'number', limit });
  return await entries.selectAll().$narrowType<AuditEntry>().execute();
}
