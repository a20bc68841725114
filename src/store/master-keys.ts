/** The master keys that the records need, as tags: each instance adds the one it seals with, and needs all others. */
import type { Transaction } from 'kysely';
import { EXIT_CODES, StartError } from '#platform/exit-codes.ts';
import { PROGRAM_NAME } from '#platform/program-name.ts';
import type { Services } from '#services.ts';
import type { Keyring, KeyringKey } from './keyring.ts';
import type { Records, Tables } from './tables.ts';

type MasterKeyServices = Pick<Services, 'clock' | 'keyring' | 'store'>;

/** Never quotes a key. */
const REFUSALS = {
  foreign:
    'MASTER_KEY: not the key that this database was written with; while it is changed, the former one stands beside the new one (docs/operating.md)',
  incomplete: `MASTER_KEY: the records also need another key; name both, with a comma between them, until ${PROGRAM_NAME} keys master retire has ended the former one`,
} as const;

/** For a process that starts. Without this check, a wrong key would show only later, when single records cannot be read. */
export async function requireMasterKeys({ store, keyring, clock }: MasterKeyServices): Promise<void> {
  await store.transaction(async (records) => {
    await requireNeededKeys(records, keyring);
    await recordSealingKey(records, computeKeyTag(keyring), clock.now());
  });
}

/**
 * For a process that runs, with every sweep: so the time is known until which a key has sealed, and a key that was
 * ended too early is needed again. Noted even if another key is missing, because the process goes on sealing.
 */
export async function recordMasterKey({ store, keyring, clock }: MasterKeyServices): Promise<void> {
  await store.transaction((records) => recordSealingKey(records, computeKeyTag(keyring), clock.now()));
  await requireNeededKeys(store.records, keyring);
}

async function requireNeededKeys(records: Records, keyring: Keyring): Promise<void> {
  const { needed, missing } = await compareMasterKeys(records, keyring);
  if (missing === 0) return;
  throw new StartError(missing < needed ? REFUSALS.incomplete : REFUSALS.foreign, EXIT_CODES.config);
}

/** How many keys the records need, and how many of them the keyring lacks. */
export async function compareMasterKeys(
  records: Records,
  keyring: Keyring,
): Promise<{ readonly needed: number; readonly missing: number }> {
  const own = keyring.keys.map(computeKeyTag);
  const needed = await records.selectFrom('master_keys').select('tag').execute();
  return { needed: needed.length, missing: needed.filter(({ tag }) => !own.includes(tag)).length };
}

async function recordSealingKey(records: Transaction<Tables>, tag: string, now: number): Promise<void> {
  // A database of an earlier version does not know the time; until now is always true.
  await records.updateTable('master_keys').set({ sealed_at: now }).where('sealed_at', 'is', null).execute();
  await records
    .insertInto('master_keys')
    .values({ tag, sealed_at: now })
    .onConflict((conflict) => conflict.column('tag').doUpdateSet({ sealed_at: now }))
    .execute();
}

function computeKeyTag(key: KeyringKey): string {
  return key.tag('keyring check', 'master key');
}

export interface FormerMasterKey {
  readonly tag: string;
  /** When a process that seals with it ran last. */
  readonly sealedAt: number;
}

/** The second key of the keyring, or null if the records do not need it. */
export async function findFormerMasterKey({
  store,
  keyring,
}: Pick<Services, 'keyring' | 'store'>): Promise<FormerMasterKey | null> {
  const [, former] = keyring.keys;
  if (!former) return null;
  const row = await store.records
    .selectFrom('master_keys')
    .select(['tag', 'sealed_at'])
    .where('tag', '=', computeKeyTag(former))
    .executeTakeFirst();
  return row ? { tag: row.tag, sealedAt: row.sealed_at ?? 0 } : null;
}

/** Returns false if a process has sealed with the key since its row was read. */
export async function deleteMasterKey(
  { store }: Pick<Services, 'store'>,
  { tag, sealedAt }: FormerMasterKey,
): Promise<boolean> {
  const { numDeletedRows } = await store.transaction(
    async (records) =>
      await records
        .deleteFrom('master_keys')
        .where('tag', '=', tag)
        .where('sealed_at', '=', sealedAt)
        .executeTakeFirst(),
  );
  return numDeletedRows > 0n;
}
