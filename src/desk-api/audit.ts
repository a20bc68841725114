/** The audit log over HTTP, as it is hashed, so that a desk can verify that it continues from the remembered head. */
import type { Static } from 'typebox';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app-type.ts';
import {
  type AuditEntry,
  chainAuditEntries,
  findAuditHead,
  listAuditChain,
  listAuditEntries,
} from '#store/audit-log.ts';
import type { Records } from '#store/schema/tables.ts';
import { type DeskAudit, DeskAuditQuerySchema } from '#wire/desk-audit.ts';
import type { DeskServices } from './guard.ts';

const ENTRIES = 200;

export function addDeskAuditRoutes(scope: App, { store }: DeskServices): void {
  scope.get(
    '/audit',
    { config: { access: 'desk' }, schema: { querystring: DeskAuditQuerySchema } },
    async ({ query }): Promise<DeskAudit> => {
      await chainAuditEntries(store);
      const entries = await listEntries(store.records, query);
      return {
        entries: entries.map(({ number, entry_hash, salt, entry }) => ({ number, entry_hash, salt, entry })),
        // Reads the head after the entries, so that it is at least as new.
        head: await findAuditHead(store.records),
      };
    },
  );
}

async function listEntries(
  records: Records,
  { case: subjectId, before, after }: Static<typeof DeskAuditQuerySchema>,
): Promise<AuditEntry[]> {
  if (after === undefined) {
    const number = before === undefined ? undefined : Number(before);
    return await listAuditEntries(records, { subjectId, before: number, limit: ENTRIES });
  }
  if (subjectId !== undefined || before !== undefined)
    throw new ServiceError('validation_failed', {
      errors: [
        { parameter: 'after', detail: 'cannot be combined with other parameters: it reads the whole chain' },
      ],
    });
  return await listAuditChain(records, { after: Number(after), limit: ENTRIES });
}
