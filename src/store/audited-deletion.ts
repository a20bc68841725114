/** Deletes rows that the audit log may mention, together with what it says about them. */
import { clearAuditEntries } from './audit-log.ts';
import type { Records } from './schema/tables.ts';

export type AuditedTable = 'orders' | 'registrations' | 'contact_messages';

/** Returns the number of deleted rows. */
export async function deleteAuditedRows(
  records: Records,
  table: AuditedTable,
  selected: { readonly execute: () => Promise<readonly { readonly id: string }[]> },
): Promise<number> {
  // Read once: a query without an order may choose others the second time.
  const ids = (await selected.execute()).map(({ id }) => id);
  if (ids.length === 0) return 0;
  await clearAuditEntries(records, ids);
  const { numDeletedRows } = await records.deleteFrom(table).where('id', 'in', ids).executeTakeFirst();
  return Number(numDeletedRows);
}
