/** The pairing of records and shred keys: the same id and counter on both sides, so that only those of one moment are used together. */

import { PROGRAM_NAME } from '#platform/config/program-name.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { generateId } from '#platform/text/ids.ts';
import { listCasesWithoutKey } from '../cases/key-inspection.ts';
import type { TransactionRunner } from '../engine/group-commit.ts';
import type { Records } from '../schema/tables.ts';
import type { Pairing, ShredKeys } from './shred-keys.ts';

/** Null where a side has none: it was made before there was a pairing, or is not there. */
export interface PairedSides {
  readonly records: Pairing | null;
  readonly keys: Pairing | null;
}

/** Each work is a transaction of its own: what it wrote is on the disk before the next one begins. */
interface PairedStore {
  readonly commit: TransactionRunner;
  readonly shredKeys: ShredKeys;
}

/** Called under the write lock of the records, so that no other process is between the two writes of a move. */
export async function readPairedSides(records: Records, shredKeys: ShredKeys): Promise<PairedSides> {
  return { records: await readRecordsPairing(records), keys: await shredKeys.readPairing(records) };
}

/** Says what is wrong; null for equal ones, for records that are one ahead, and for sides that are not paired yet. */
export function explainMismatch({ records, keys }: PairedSides): string | null {
  if (records === null)
    return keys === null ? null : 'the shred keys belong to other records, or to newer ones';
  // Killed while they were paired.
  if (keys === null) return records.counter === 0 ? null : 'the shred keys are missing, or are older ones';
  if (records.id !== keys.id) return 'the shred keys belong to other records';
  if (records.counter < keys.counter) return 'the records are an older copy than the shred keys';
  if (records.counter > keys.counter + 1) return 'the shred keys are an older copy than the records';
  return null;
}

/** Refuses sides that do not belong together, pairs those that never were, and puts the keys level with the records. */
export async function settlePairing({ commit, shredKeys }: PairedStore): Promise<void> {
  const isLevel = await commit(async (records) => {
    const sides = await readPairedSides(records, shredKeys);
    requireMatch(sides);
    if (await hasNoKeys(records, shredKeys)) throw createMismatch('the shred keys are missing');
    if (sides.keys !== null) return sides.keys.counter === sides.records?.counter;
    await requireNoContradiction(records, shredKeys);
    if (sides.records === null) await writeRecordsPairing(records, { id: generateId(), counter: 0 });
    return false;
  });
  if (!isLevel) await commit((records) => copyToKeys(records, shredKeys));
}

/** Refuses sides that do not belong together. */
export async function requirePairing({ commit, shredKeys }: PairedStore): Promise<void> {
  await commit(async (records) => requireMatch(await readPairedSides(records, shredKeys)));
}

/**
 * Moves the pairing on by one, records first, and does the work in the same transaction; it gets the new pairing, which
 * no other move has. Several processes may move at once: the records are never more than one ahead, because a move that
 * finds them ahead finishes that of the other process before it makes its own.
 */
export async function movePairing<Result>(
  { commit, shredKeys }: PairedStore,
  work: (records: Records, pairing: Pairing) => Promise<Result>,
): Promise<Result> {
  const result = await commit(async (records) => {
    const { records: former, keys } = requireMatch(await readPairedSides(records, shredKeys));
    if (former === null || keys === null) throw createMismatch('the pairing is gone');
    if (keys.counter < former.counter) await shredKeys.writePairing(records, former);
    const pairing = { ...former, counter: former.counter + 1 };
    await writeRecordsPairing(records, pairing);
    return await work(records, pairing);
  });
  await commit((records) => copyToKeys(records, shredKeys));
  return result;
}

/** Pairs records and keys that were checked and belong together, whatever they were paired with before. */
export async function replacePairing({ commit, shredKeys }: PairedStore): Promise<void> {
  await commit((records) => writeRecordsPairing(records, { id: generateId(), counter: 0 }));
  await commit((records) => copyToKeys(records, shredKeys));
}

export async function readRecordsPairing(records: Records): Promise<Pairing | null> {
  const row = await records.selectFrom('records_pairing').selectAll().executeTakeFirst();
  return row ? { id: row.pairing_id, counter: row.counter } : null;
}

async function writeRecordsPairing(records: Records, { id, counter }: Pairing): Promise<void> {
  const values = { pairing_id: id, counter };
  await records
    .insertInto('records_pairing')
    .values({ id: 1, ...values })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
    .execute();
}

async function copyToKeys(records: Records, shredKeys: ShredKeys): Promise<void> {
  const { records: pairing, keys } = await readPairedSides(records, shredKeys);
  if (pairing === null || (keys?.id === pairing.id && keys.counter >= pairing.counter)) return;
  await shredKeys.writePairing(records, pairing);
}

function requireMatch(sides: PairedSides): PairedSides {
  const mismatch = explainMismatch(sides);
  if (mismatch) throw createMismatch(mismatch);
  return sides;
}

/** A dump may have the pairing of the keys, but not the keys. */
async function hasNoKeys(records: Records, shredKeys: ShredKeys): Promise<boolean> {
  const query = records.selectFrom('cases').select('id').where('purging', '=', 0).limit(1);
  return (await query.executeTakeFirst()) !== undefined && !(await shredKeys.hasAny(records));
}

/**
 * What was never paired is taken to belong together unless a key was destroyed after the records were copied, no case
 * has its key, or no key has its case. Version 0.1.0 could lose single keys; doctor names their cases.
 */
async function requireNoContradiction(records: Records, shredKeys: ShredKeys): Promise<void> {
  let missing = 0;
  for await (const { state } of listCasesWithoutKey(records, shredKeys)) {
    if (state === 'freed') throw createMismatch('there are cases whose shred key is not there');
    if (state === 'missing') missing += 1;
  }
  if (missing > 0 && missing === (await countCasesToOpen(records)))
    throw createMismatch('no case has its shred key');
  if ((await hasRow(records, 'cases')) || (await hasRow(records, 'tombstones'))) return;
  if (await shredKeys.hasAny(records)) throw createMismatch('there are shred keys, but no case');
}

async function countCasesToOpen(records: Records): Promise<number> {
  const query = records.selectFrom('cases').select(({ fn }) => fn.countAll<number | string>().as('count'));
  return Number((await query.where('purging', '=', 0).executeTakeFirstOrThrow()).count);
}

async function hasRow(records: Records, table: 'cases' | 'tombstones'): Promise<boolean> {
  return (await records.selectFrom(table).select('id').limit(1).executeTakeFirst()) !== undefined;
}

/** Also for a side that is not there at all. */
export function createMismatch(reason: string): ProgramError {
  return new ProgramError(
    `records and shred keys do not belong together: ${reason}; put those of one moment in place (${PROGRAM_NAME} restore), and see ${PROGRAM_NAME} doctor`,
    EXIT_CODES.config,
  );
}
