/** Verifies the chain of the audit log, and that it continues from a remembered head. */
import type { Transaction } from 'kysely';
import {
  type AuditHead,
  advanceAuditHead,
  FIRST_AUDIT_HEAD,
  hashAuditEntry,
} from '#seal/core/audit-chain.ts';
import { type AuditEntry, chainAuditEntries, findAuditHead, listAuditChain } from '#store/audit-log.ts';
import type { Records, Tables } from '#store/schema/tables.ts';

const BATCH = 500;

/**
 * - `gap`: entries between two others are missing.
 * - `entry`: an entry was changed.
 * - `chain`: an entry does not match its hash, or the hash was changed.
 * - `head`: entries at the end are missing, or there are more than the head says.
 * - `shorter`: there are fewer entries than the reader has seen.
 * - `rewritten`: the entries that the reader has seen were replaced.
 */
type AuditFault = 'gap' | 'entry' | 'chain' | 'head' | 'shorter' | 'rewritten';

export interface AuditCheck {
  readonly head: AuditHead;
  /** The number of entries whose text has been deleted. */
  readonly cleared: number;
  /** The first fault, with the number of its entry; null if the chain is intact. */
  readonly fault: { readonly kind: AuditFault; readonly number: number } | null;
}

/** Chains appended entries, also within a transaction. */
export async function chainAppended(records: Records): Promise<void> {
  await chainAuditEntries({
    records,
    transaction: (work) =>
      records.isTransaction
        ? work(records as Transaction<Tables>)
        : records.transaction().setIsolationLevel('serializable').execute(work),
  });
}

/** Chains entries that were appended since, as for a reader, then verifies the log. */
export async function checkAuditChain(records: Records, seen: AuditHead | null): Promise<AuditCheck> {
  await chainAppended(records);
  const head = await findAuditHead(records);
  let last = FIRST_AUDIT_HEAD;
  let cleared = 0;
  const end = (kind: AuditFault, number: number): AuditCheck => ({ head, cleared, fault: { kind, number } });
  if (seen && seen.number > head.number) return end('shorter', seen.number);
  while (last.number < head.number) {
    const entries = await listAuditChain(records, { after: last.number, limit: BATCH });
    for (const entry of entries) {
      // Added since the head was read.
      if (last.number === head.number) break;
      const kind = findEntryFault(entry, last);
      if (kind) return end(kind, entry.number);
      last = { number: entry.number, hash: entry.hash };
      if (seen?.number === last.number && seen.hash !== last.hash) return end('rewritten', last.number);
      if (entry.entry === null) cleared += 1;
    }
    if (entries.length === 0) return end('head', head.number);
  }
  if (last.hash !== head.hash) return end('head', head.number);
  if (seen?.number === 0 && seen.hash !== FIRST_AUDIT_HEAD.hash) return end('rewritten', 0);
  if ((await listAuditChain(records, { after: head.number, limit: 1 })).length > 0)
    if ((await findAuditHead(records)).number === head.number) return end('head', head.number);
  return { head, cleared, fault: null };
}

function findEntryFault(
  { number, hash, entry_hash: entryHash, salt, entry, subject_id: subjectId }: AuditEntry,
  last: AuditHead,
): AuditFault | null {
  if (number !== last.number + 1) return 'gap';
  if ((salt === null) !== (entry === null)) return 'entry';
  if (salt !== null && entry !== null) {
    if (hashAuditEntry(salt, entry) !== entryHash || !hasSubject(entry, subjectId)) return 'entry';
  } else if (subjectId !== null) return 'entry';
  return isHash(entryHash) && advanceAuditHead(last, entryHash).hash === hash ? null : 'chain';
}

/** Compares the entry with the column by which the deletion of a case, an order or another thing finds its entries. */
function hasSubject(entry: string, subjectId: string | null): boolean {
  try {
    const {
      at: _at,
      by: _by,
      act: _act,
      ...subject
    } = JSON.parse(entry) as Readonly<Record<string, unknown>>;
    const [id = null, ...others] = Object.values(subject);
    return id === subjectId && others.length === 0;
  } catch {
    return false;
  }
}

function isHash(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}
