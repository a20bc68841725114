/** Seals cases in the local database again, to the keys of the configuration. */
import { buildRecipientSet } from '#cases/sealing/recipient-set.ts';
import {
  overwritePreviousKeys,
  replaceAdoptedSet,
  storeResealedCase,
  storeResealedRefund,
  streamCasesToReseal,
  streamRefundsToReseal,
} from '#cases/sealing/reseal.ts';
import { readSealingKeys } from '#cases/sealing/sealing-keys.ts';
import { loadConfig } from '#platform/config/config.ts';
import { hashSealedKey } from '#seal/case/resealed-case.ts';
import { type AgeIdentity, deriveRecipient } from '#seal/core/age.ts';
import { computeInvestigatorId } from '#seal/core/investigator-id.ts';
import { countCasesToReseal } from '#store/cases/case-keys.ts';
import { findRecipientSet } from '#store/keys/recipient-set.ts';
import { withStore } from '../cli-services.ts';
import { getIo } from '../terminal/io.ts';
import type { ResealSource } from './reseal-report.ts';

export async function withStoredResealing<Result>(
  identity: AgeIdentity,
  work: (source: ResealSource) => Promise<Result>,
): Promise<Result> {
  const by = computeInvestigatorId(await deriveRecipient(identity));
  return await withStore(async (services) => {
    const { store } = services;
    const config = loadConfig(getIo().env);
    const holders = await readSealingKeys(config);
    const set = buildRecipientSet(holders, config.seal);
    const previous = await findRecipientSet(store.records);
    return await work({
      holders,
      set,
      previous,
      countLeft: () => countCasesToReseal(store.records, set.tag),
      adopt: () => replaceAdoptedSet(services, previous?.tag, set, by),
      streamCases: () => streamCasesToReseal(services, set.tag),
      storeCase: async ({ id, caseKey }, resealed) => {
        const former = hashSealedKey(caseKey ?? new Uint8Array());
        const change = { id, previous: former, set: set.tag, by, ...resealed };
        const isStored = await storeResealedCase(services, change);
        return isStored && resealed.isWhole ? 1 : 0;
      },
      streamRefunds: () => streamRefundsToReseal(services),
      storeRefund: (refund) => storeResealedRefund(services, set.tag, refund),
      finish: async () => {
        await overwritePreviousKeys(services);
        return { stored: 0, unsealed: await countCasesToReseal(store.records, set.tag) };
      },
    });
  });
}
