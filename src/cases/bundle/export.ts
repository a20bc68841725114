/** Exports a sealed case as a bundle, with the key that its result must be authenticated with. */
import type { SealedCase } from '#cases/sealed-case.ts';
import type { KeyPin } from '#seal/key-pin.ts';
import type { Services } from '#services.ts';
import { type CaseBundle, toBundle, toExportedCase } from './bundle.ts';
import { loadOrCreateResultKey, sealResultKey } from './result-key.ts';

export interface BundleExport {
  readonly bundle: CaseBundle;
  readonly resultKey: string;
}

/** `pins` are those that the exporting side has of this case, for the desk that opens the bundle. */
export async function exportBundle(
  services: Pick<Services, 'keyring' | 'store' | 'sealingKeys'>,
  file: SealedCase,
  pins: readonly KeyPin[],
): Promise<BundleExport> {
  const exported = toExportedCase(file);
  const resultKey = await loadOrCreateResultKey(services, exported);
  const sealedResultKey = await sealResultKey(resultKey, exported, await services.sealingKeys);
  return { bundle: toBundle(file, sealedResultKey, pins), resultKey };
}
