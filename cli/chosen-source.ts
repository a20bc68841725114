/** Chooses where a command finds cases: in the database beside it, or at an office over the network. */
import type { CaseSource } from './case-source.ts';
import { withStore } from './cli-services.ts';
import type { DeskAccess } from './pinning-key.ts';

/** Without access, beside the database and without a key. */
export async function withCaseSource<Result>(
  access: DeskAccess | null,
  work: (source: CaseSource) => Promise<Result>,
): Promise<Result> {
  if (access?.office) {
    // Beside a database nobody waits for what only the network needs.
    const { withOfficeSource } = await import('./office-source.ts');
    return await withOfficeSource({ ...access, office: access.office }, work);
  }
  const { createStoreSource } = await import('./store-source.ts');
  return await withStore(async (services) => await work(await createStoreSource(services, access)));
}
