/** The audit log: who at the desk did what to what and when, each entry hashed into a chain. */
import { randomBytes } from 'node:crypto';
import type { Selectable } from 'kysely';
import { cutToDay } from '#platform/text/day.ts';
import { toIsoTime } from '#platform/text/iso-time.ts';
import {
  type AuditHead,
  advanceAuditHead,
  FIRST_AUDIT_HEAD,
  hashAuditEntry,
} from '#seal/core/audit-chain.ts';
import type { AuditAct } from '#wire/desk-audit.ts';
import type { Records, Tables } from './schema/tables.ts';

const SALT_BYTES = 32;

/** One thing and never two: nothing may lead from an order to a case. */
interface AuditSubject {
  readonly kind: 'case' | 'order' | 'agent' | 'contact';
  readonly id: string;
}

export interface AuditedAct {
  /** The investigator; null for the command line without a key. */
  readonly by: string | null;
  readonly act: AuditAct;
  readonly subject?: AuditSubject;
}

export type AuditEntry = Selectable<Tables['audit_entries']>;

/** In the transaction of the act. Of two at the same time one waits, or runs again: a number is given once. */
export async function appendAuditEntry(
  records: Records,
  { by, act, subject }: AuditedAct,
  now: number,
): Promise<void> {
  const previous = await findAuditHead(records);
  const salt = randomBytes(SALT_BYTES).toString('base64url');
  // For an order only the day, like its own times: the case that it is used for comes soon after its release.
  const at = toIsoTime(subject?.kind === 'order' ? cutToDay(now) : now);
  const entry = JSON.stringify({ at, by, act, ...(subject && { [subject.kind]: subject.id }) });
  const entryHash = hashAuditEntry(salt, entry);
  const head = advanceAuditHead(previous, entryHash);
  // First: PostgreSQL lets the second of two wait here, and then run again.
  const { numInsertedOrUpdatedRows } = await records
    .insertInto('audit_head')
    .values({ id: 1, ...head })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet(head).where('audit_head.number', '=', previous.number),
    )
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows !== 1n) throw new Error('the head of the audit log has moved');
  await records
    .insertInto('audit_entries')
    .values({ ...head, entry_hash: entryHash, salt, entry, subject_id: subject?.id ?? null })
    .execute();
}

export async function findAuditHead(records: Records): Promise<AuditHead> {
  const head = await records.selectFrom('audit_head').select(['number', 'hash']).executeTakeFirst();
  return head ?? FIRST_AUDIT_HEAD;
}

/** Deletes what the entries of these say, and what could confirm a guess; the chain still holds. */
export async function clearAuditEntries(records: Records, subjectIds: readonly string[]): Promise<void> {
  if (subjectIds.length === 0) return;
  await records
    .updateTable('audit_entries')
    .set({ subject_id: null, salt: null, entry: null })
    .where('subject_id', 'in', subjectIds)
    .execute();
}

interface AuditPage {
  /** All entries without it. */
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
  return await records
    .selectFrom('audit_entries')
    .selectAll()
    .where('number', '>', after)
    .orderBy('number')
    .limit(limit)
    .execute();
}
