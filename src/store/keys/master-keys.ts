/** Which master key the records were written with, as a tag; two tags while a change of the key is unfinished. */
import type { Selectable, Transaction } from 'kysely';
import { PROGRAM_NAME } from '#platform/config/program-name.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import type { Services } from '#services.ts';
import { deleteRows, upsertRow } from '../engine/selected-rows.ts';
import type { Records, Tables } from '../schema/tables.ts';
import type { Keyring } from './keyring.ts';

/** Never quotes a key. */
export const MASTER_KEY_REFUSALS = {
  other: `MASTER_KEY: not the key that this database was written with; put back your copy of that key or, if it is lost, run ${PROGRAM_NAME} keys master change --lost (docs/operating.md)`,
  unfinished: `the change of the master key is unfinished; run ${PROGRAM_NAME} keys master change again, with the same keys`,
} as const;

type MasterKeyFault = keyof typeof MASTER_KEY_REFUSALS;

export type MasterKeyNote = Selectable<Tables['master_keys']>;

export function computeMasterKeyTag(keyring: Pick<Keyring, 'tag'>): string {
  return keyring.tag('keyring check', 'master key');
}

export async function listMasterKeys(records: Records): Promise<MasterKeyNote[]> {
  return await records.selectFrom('master_keys').selectAll().orderBy('tag').execute();
}

/** Null if the records have only this key, or none yet. */
export async function findMasterKeyFault(records: Records, keyring: Keyring): Promise<MasterKeyFault | null> {
  return explainKeys(await listMasterKeys(records), keyring);
}

function explainKeys([key, ...others]: readonly MasterKeyNote[], keyring: Keyring): MasterKeyFault | null {
  if (others.length > 0) return 'unfinished';
  return key === undefined || key.tag === computeMasterKeyTag(keyring) ? null : 'other';
}

/** For commands. Without this check, a wrong key would show only later, when single records cannot be read. */
export async function requireMasterKey({
  store,
  keyring,
}: Pick<Services, 'keyring' | 'store'>): Promise<void> {
  requireNoFault(await listMasterKeys(store.records), keyring);
}

/** Called when a service starts. */
export async function adoptMasterKey({
  store,
  keyring,
  clock,
}: Pick<Services, 'clock' | 'keyring' | 'store'>): Promise<void> {
  await store.transaction(async (records) => {
    requireNoFault(await listMasterKeys(records), keyring);
    await noteMasterKey(records, keyring, clock.now());
  });
}

/**
 * Called by a running service with every sweep, because a change of the key begins only if no service runs. Records
 * the key even if the records have another one, because the service continues to seal with it: a service that was
 * unreachable during a change makes the change unfinished.
 */
export async function recordMasterKey(
  { store, keyring, clock }: Pick<Services, 'clock' | 'keyring' | 'store'>,
  sweepMs: number,
): Promise<void> {
  const now = clock.now();
  const keys = await listMasterKeys(store.records);
  const tag = computeMasterKeyTag(keyring);
  const own = keys.find((key) => key.tag === tag);
  // Another instance may just have noted it.
  if (Math.abs(now - (own?.sealed_at ?? 0)) >= sweepMs / 2)
    await store.transaction((records) => noteMasterKey(records, keyring, now));
  requireNoFault(own ? keys : [...keys, { tag, sealed_at: now }], keyring);
}

function requireNoFault(keys: readonly MasterKeyNote[], keyring: Keyring): void {
  const fault = explainKeys(keys, keyring);
  if (fault !== null) throw new ProgramError(MASTER_KEY_REFUSALS[fault], EXIT_CODES.config);
}

export async function noteMasterKey(
  records: Transaction<Tables>,
  keyring: Keyring,
  sealedAt: number | null,
): Promise<void> {
  const row = { tag: computeMasterKeyTag(keyring), sealed_at: sealedAt };
  await upsertRow(records, 'master_keys', 'tag', row, { sealed_at: sealedAt });
}

/** Ends a change. Returns false if a service has run since the notes were read: its writes were not moved. */
export async function deleteMasterKeys(
  records: Transaction<Tables>,
  previous: readonly MasterKeyNote[],
): Promise<boolean> {
  const current = new Map((await listMasterKeys(records)).map(({ tag, sealed_at }) => [tag, sealed_at]));
  if (previous.some(({ tag, sealed_at }) => current.get(tag) !== sealed_at)) return false;
  for (const { tag } of previous) await deleteRows(records, 'master_keys', { tag });
  return true;
}
