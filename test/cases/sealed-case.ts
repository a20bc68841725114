/** A case as it is stored, with what only the desk sees. */
import { readContentsForBuyer, requireCaseKey, type SealedCase } from '#cases/sealing/sealed-case.ts';
import type { Services } from '#services.ts';
import type { Case } from '#store/cases/cases.ts';
import { listCaseObjects } from '#store/cases/objects.ts';

export async function readSealedCase(services: Pick<Services, 'store'>, record: Case): Promise<SealedCase> {
  const caseKey = await requireCaseKey(services, record);
  const { stream } = await readContentsForBuyer(services, record, record.submitted_at);
  return { record, caseKey, stream, objects: await listCaseObjects(services.store.records, record.id) };
}
