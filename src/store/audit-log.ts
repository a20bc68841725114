/** The audit log: who at the desk did what to which case and when, each entry hashed into a chain. */
import { randomBytes } from 'node:crypto';
import type { Selectable } from 'kysely';
import { toIsoTime } from '#platform/iso-time.ts';
import { type AuditHead, advanceAuditHead, FIRST_AUDIT_HEAD, hashAuditEntry } from '#seal/audit-chain.ts';
import { DESK_ACTS } from '#wire/desk-cases.ts';
import type { Records, Tables } from './tables.ts';

const SALT_BYTES = 32;

/** Acts that change a case, and those that only look or concern no case. */
const AUDIT_ACTS = [...DESK_ACTS, 'read', 'export', 'reseal'] as const;

interface Act {
  /** The holder; null for the command line without a key. */
  readonly by: string | null;
  readonly act: (typeof AUDIT_ACTS)[number];
}

/** Never a case and an order together: nothing may lead from one to the other. */
export type AuditedAct = Act &
  (
    | { readonly caseId?: string; readonly orderId?: never }
    | { readonly orderId: string; readonly caseId?: never }
  );

export type AuditEntry = Selectable<Tables['audit_entries']>;

/** In the transaction of the act. Of two at the same time one waits, or runs again: a number is given once. */
export async function appendAuditEntry(
  records: Records,
  { by, act, caseId, orderId }: AuditedAct,
  now: number,
): Promise<void> {
  const former = await findAuditHead(records);
  const salt = randomBytes(SALT_BYTES).toString('base64url');
  const subject = caseId ? { case: caseId } : orderId ? { order: orderId } : {};
  const entry = JSON.stringify({ at: toIsoTime(now), by, act, ...subject });
  const entryHash = hashAuditEntry(salt, entry);
  const head = advanceAuditHead(former, entryHash);
  // First: PostgreSQL lets the second of two wait here, and then run again.
  const { numInsertedOrUpdatedRows } = await records
    .insertInto('audit_head')
    .values({ id: 1, ...head })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet(head).where('audit_head.number', '=', former.number),
    )
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows !== 1n) throw new Error('the head of the audit log has moved');
  await records
    .insertInto('audit_entries')
    .values({ ...head, entry_hash: entryHash, salt, entry, subject_id: caseId ?? orderId ?? null })
    .execute();
}

export async function findAuditHead(records: Records): Promise<AuditHead> {
  const head = await records.selectFrom('audit_head').select(['number', 'hash']).executeTakeFirst();
  return head ?? FIRST_AUDIT_HEAD;
}

/** Deletes what the entries of a case or an order say, and what could confirm a guess; the chain still holds. */
export async function clearAuditEntries(records: Records, subjectId: string): Promise<void> {
  await records
    .updateTable('audit_entries')
    .set({ subject_id: null, salt: null, entry: null })
    .where('subject_id', '=', subjectId)
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
