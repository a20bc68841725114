/** Chooses where cases are sealed again: in the database beside a command, or at an office over the network. */
import type { AskedSetFiles } from './asked-set.ts';
import { createUsageFailure } from './command.ts';
import type { DeskAccess } from './pinning-key.ts';
import type { ResealSource } from './reseal-source.ts';

export async function withResealSource<Result>(
  { office, ...desk }: DeskAccess,
  files: AskedSetFiles,
  work: (source: ResealSource) => Promise<Result>,
): Promise<Result> {
  if (office) {
    const { withOfficeResealing } = await import('./office-resealing.ts');
    return await withOfficeResealing({ ...desk, office }, files, work);
  }
  if ((files.recipients ?? files.recovery) !== undefined)
    throw createUsageFailure(
      '--recipients and --recovery go with --office ADDRESS: beside the database the configuration says whom to seal to',
    );
  const { withStoredResealing } = await import('./store-resealing.ts');
  return await withStoredResealing(desk.identity, work);
}
