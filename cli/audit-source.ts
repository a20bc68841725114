/** The entries of the audit log: in the database beside a command, or at an office over the network. */
import { listAuditEntries } from '#store/audit-log.ts';
import type { AuditSource } from './audit-entry.ts';
import { withStore } from './cli-services.ts';
import { readHolderNames } from './holder-name.ts';
import type { OfficeAccess } from './pinning-key.ts';

export async function withAuditSource<Result>(
  access: OfficeAccess | null,
  work: (source: AuditSource) => Promise<Result>,
): Promise<Result> {
  if (access) {
    const { withOfficeLog } = await import('./office-audit-log.ts');
    return await withOfficeLog(access, ({ names, listEntries }) => work({ names, listEntries }));
  }
  return await withStore(({ store }) =>
    work({
      names: readHolderNames(),
      listEntries: async ({ caseId: subjectId, before, limit }) => ({
        entries: await listAuditEntries(store.records, { subjectId, before, limit }),
      }),
    }),
  );
}
