/** Records and shred keys share an installation id and a generation, so that a pair from different times is refused. */
import { PROGRAM_NAME } from '#platform/config/program-name.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { generateId } from '#platform/text/ids.ts';
import { listCasesWithoutKey } from '../cases/key-inspection.ts';
import type { TransactionRunner } from '../engine/group-commit.ts';
import { countMatching, findRow, upsertRow } from '../engine/selected-rows.ts';
import type { Records } from '../schema/tables.ts';
import type { Installation, ShredKeys } from './shred-keys.ts';

export type InstallationSides = Awaited<ReturnType<typeof readInstallationSides>>;

/** Each commit is a separate transaction: its writes are on the disk before the next one begins. */
interface InstallationStore {
  readonly commit: TransactionRunner;
  readonly shredKeys: ShredKeys;
}

/**
 * Called under the write lock of the records, so that no other process is between the two writes of a move. A side
 * without an installation id is null: it is older than these ids, or missing.
 */
export async function readInstallationSides(records: Records, shredKeys: ShredKeys) {
  return {
    records: await readInstallation(records, 'records_installation'),
    keys: await shredKeys.readInstallation(records),
  };
}

/** Explains a mismatch; null for sides that match, for records that are one ahead, and for sides without an id yet. */
export function explainMismatch({ records, keys }: InstallationSides): string | null {
  if (records === null)
    return keys === null ? null : 'the shred keys belong to other records, or to newer ones';
  // The process was killed before the keys got the id of the records.
  if (keys === null) return records.generation === 0 ? null : 'the shred keys are missing, or are older ones';
  if (records.id !== keys.id) return 'the shred keys belong to other records';
  if (records.generation < keys.generation) return 'the records are an older copy than the shred keys';
  if (records.generation > keys.generation + 1) return 'the shred keys are an older copy than the records';
  return null;
}

/** Refuses sides that do not belong together, gives an id to those without, and brings the keys up to date. */
export async function settleInstallation({ commit, shredKeys }: InstallationStore): Promise<void> {
  const isLevel = await commit(async (records) => {
    const sides = await readInstallationSides(records, shredKeys);
    requireMatch(sides);
    if (await hasNoKeys(records, shredKeys)) throw createMismatch('the shred keys are missing');
    if (sides.keys !== null) return sides.keys.generation === sides.records?.generation;
    await requireNoContradiction(records, shredKeys);
    if (sides.records === null)
      await writeInstallation(records, 'records_installation', { id: generateId(), generation: 0 });
    return false;
  });
  if (!isLevel) await commit((records) => copyToKeys(records, shredKeys));
}

/**
 * Advances the generation by one, records first, and does the work in the same transaction; the work gets the new
 * generation, which is unique to it. Several processes may do so at once: the records are never more than one ahead,
 * because a process that finds them ahead first finishes what the other one began.
 */
export async function advanceGeneration<Result>(
  { commit, shredKeys }: InstallationStore,
  work: (records: Records, installation: Installation) => Promise<Result>,
): Promise<Result> {
  const result = await commit(async (records) => {
    const { records: previous, keys } = requireMatch(await readInstallationSides(records, shredKeys));
    if (previous === null || keys === null) throw createMismatch('the installation id is gone');
    if (keys.generation < previous.generation) await shredKeys.writeInstallation(records, previous);
    const installation = { ...previous, generation: previous.generation + 1 };
    await writeInstallation(records, 'records_installation', installation);
    return await work(records, installation);
  });
  await commit((records) => copyToKeys(records, shredKeys));
  return result;
}

/** Gives a new id to records and keys that were checked and belong together, whatever ids they had before. */
export async function replaceInstallation({ commit, shredKeys }: InstallationStore): Promise<void> {
  await commit((records) =>
    writeInstallation(records, 'records_installation', { id: generateId(), generation: 0 }),
  );
  await commit((records) => copyToKeys(records, shredKeys));
}

type InstallationTable = 'records_installation' | 'shred_installation';

export async function readInstallation(db: Records, table: InstallationTable): Promise<Installation | null> {
  const row = await findRow(db, table, { id: 1 });
  return row ? { id: row.installation_id, generation: row.generation } : null;
}

export async function writeInstallation(
  db: Records,
  table: InstallationTable,
  { id, generation }: Installation,
): Promise<void> {
  const values = { installation_id: id, generation };
  await upsertRow(db, table, 'id', { id: 1, ...values }, values);
}

async function copyToKeys(records: Records, shredKeys: ShredKeys): Promise<void> {
  const { records: installation, keys } = await readInstallationSides(records, shredKeys);
  if (installation === null || (keys?.id === installation.id && keys.generation >= installation.generation))
    return;
  await shredKeys.writeInstallation(records, installation);
}

function requireMatch(sides: InstallationSides): InstallationSides {
  const mismatch = explainMismatch(sides);
  if (mismatch) throw createMismatch(mismatch);
  return sides;
}

/** A dump may have the installation id of the keys, but not the keys. */
async function hasNoKeys(records: Records, shredKeys: ShredKeys): Promise<boolean> {
  const hasCase = (await findRow(records, 'cases', { purging: 0 })) !== undefined;
  return hasCase && !(await shredKeys.hasAny(records));
}

/**
 * Sides without an id are assumed to belong together unless a key was destroyed after the records were copied, no case
 * has its key, or no key has its case. Version 0.1.0 could lose single keys; doctor names their cases.
 */
async function requireNoContradiction(records: Records, shredKeys: ShredKeys): Promise<void> {
  let missing = 0;
  for await (const { state } of listCasesWithoutKey(records, shredKeys)) {
    if (state === 'freed') throw createMismatch('some cases have no shred key');
    if (state === 'missing') missing += 1;
  }
  if (missing > 0 && missing === (await countMatching(records, 'cases', { purging: 0 })))
    throw createMismatch('no case has its shred key');
  if ((await hasRow(records, 'cases')) || (await hasRow(records, 'tombstones'))) return;
  if (await shredKeys.hasAny(records)) throw createMismatch('there are shred keys, but no case');
}

async function hasRow(records: Records, table: 'cases' | 'tombstones'): Promise<boolean> {
  return (await records.selectFrom(table).select('id').limit(1).executeTakeFirst()) !== undefined;
}

/** Also for a side that is missing. */
export function createMismatch(reason: string): ProgramError {
  return new ProgramError(
    `records and shred keys do not belong together: ${reason}; restore records and keys from the same time (${PROGRAM_NAME} restore), then run ${PROGRAM_NAME} doctor`,
    EXIT_CODES.config,
  );
}

/** The ids before each restore, with the generation of its keys, so that older backups are known to belong here. */
export async function listPreviousInstallations(records: Records): Promise<Installation[]> {
  return await records.selectFrom('previous_installations').selectAll().orderBy('id').execute();
}

export async function insertPreviousInstallations(
  records: Records,
  installations: readonly Installation[],
): Promise<void> {
  for (const { id, generation } of installations)
    await upsertRow(records, 'previous_installations', 'id', { id, generation }, { generation });
}
