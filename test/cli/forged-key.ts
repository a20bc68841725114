/** An attacker who can write the records and shred keys, but holds no key and no words. */
import type { AgeRecipient } from '#seal/core/age.ts';
import { type CaseKey, generateCaseKey, sealCaseKey } from '#seal/core/case-key.ts';
import { deriveWordKeys, generateWords } from '#seal/core/words.ts';
import { storeCaseKey } from '#store/keys/shred-keys.ts';
import type { TestShop } from '#test/test-shop.ts';
import type { SentCase } from './desk-cli.ts';

export interface ForgedKey {
  readonly key: CaseKey;
  readonly sealed: Uint8Array;
}

/** A case identity of the attacker's own, sealed to the public keys of desk and recovery. */
export async function createForgedKey(
  { services }: Pick<TestShop, 'services'>,
  { keys }: SentCase,
): Promise<ForgedKey> {
  const recipient: AgeRecipient = (await deriveWordKeys(generateWords())).recipient;
  const key = await generateCaseKey({ lookupHash: keys.lookupHash, recipient });
  return { key, sealed: await sealCaseKey(key, await services.sealingKeys) };
}

/** Stores it in place of the genuine key; returns a function that restores the genuine one. */
export async function swapStoredCaseKey(
  { store }: TestShop,
  sent: SentCase,
  { sealed }: ForgedKey,
): Promise<() => Promise<void>> {
  const storeKey = (caseKey: Uint8Array) =>
    store.transaction(async (records) => {
      await records.deleteFrom('case_keys').where('case_id', '=', sent.id).execute();
      const place = await storeCaseKey(store.shredKeys, records, sent.id, caseKey);
      await records.updateTable('cases').set(place).where('id', '=', sent.id).execute();
    });
  await storeKey(sealed);
  return async () => await storeKey(sent.caseKey);
}
