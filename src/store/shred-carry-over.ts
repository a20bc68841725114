/** Carries the shred keys of version 0.1.0, which kept them in a database of their own, over into slots. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { syncFolder } from '#platform/atomic-file.ts';
import { EXIT_CODES, StartError } from '#platform/exit-codes.ts';
import type { TransactionRunner } from './group-commit.ts';
import { stripErasurePadding } from './overflow-bytes.ts';
import { SHRED_KEY_BYTES } from './shred-slot.ts';
import type { ShredSlots } from './shred-slots.ts';
import type { Records } from './tables.ts';

const BLOCK = Buffer.alloc(65_536);

interface CarryOver {
  readonly dataDir: string;
  readonly records: Records;
  readonly slots: ShredSlots;
  readonly commit: TransactionRunner;
}

/**
 * Every key is carried over, even if its case is not in the records, which may be an older copy. Such a case finds its
 * slot when it is back, because the slot's id is derived from the case's. The former file goes only when each key was
 * read back from the new one. Killed at any point, the next start continues. All steps hold the write lock of the
 * records, so that several processes may start at once.
 */
export async function carryOverShredKeys({ dataDir, records, slots, commit }: CarryOver): Promise<void> {
  const former = join(dataDir, 'shred.db');
  // Its new name says that all its keys were carried over.
  const spent = join(dataDir, 'shred.db.spent');
  const isNeeded = existsSync(former) || existsSync(spent) || (await listSlotless(records)).length > 0;
  if (!isNeeded) return;
  await commit((locked) => adoptKeys(slots, locked, readFormerKeys(former)));
  await commit(async () => {
    if (existsSync(former)) {
      await requireCarriedOver(slots, readFormerKeys(former));
      await overwriteFile(`${former}-journal`);
      await rename(former, spent);
      await syncFolder(dataDir);
    }
    await overwriteFile(spent);
  });
}

/** By case id. A missing file or table has none. */
export function readFormerKeys(path: string): ReadonlyMap<string, Uint8Array> {
  if (!existsSync(path)) return new Map();
  try {
    // Not read-only, because a journal of a process that was killed must be applied first.
    const database = new DatabaseSync(path);
    try {
      const tables = database.prepare("select 1 from sqlite_master where name = 'shred_keys'").all();
      const rows = tables.length === 0 ? [] : database.prepare('select case_id, key from shred_keys').all();
      return new Map(rows.map(({ case_id: id, key }) => [String(id), toKey(key as Uint8Array)]));
    } finally {
      database.close();
    }
  } catch (error) {
    throw new StartError(
      `${path}: the shred keys of version 0.1.0 cannot be read; nothing was changed`,
      EXIT_CODES.inputOutput,
      error,
    );
  }
}

function toKey(stored: Uint8Array): Uint8Array {
  const key = stripErasurePadding(stored);
  if (key.length !== SHRED_KEY_BYTES) throw new Error('not a shred key');
  return key;
}

async function adoptKeys(
  slots: ShredSlots,
  records: Records,
  keys: ReadonlyMap<string, Uint8Array>,
): Promise<void> {
  const numbers = listSlotNumbers(slots);
  for (const [caseId, key] of keys) {
    const id = deriveSlotId(caseId);
    // A freed slot counts as well: a purged case must not get its key back.
    if (!numbers.has(id)) numbers.set(id, await slots.adopt(id, key));
  }
  for (const caseId of await listSlotless(records)) {
    const id = deriveSlotId(caseId);
    const number = numbers.get(id);
    if (number === undefined) continue;
    const place = { shred_slot: number, shred_id: id };
    await records.updateTable('cases').set(place).where('id', '=', caseId).execute();
  }
}

async function requireCarriedOver(slots: ShredSlots, keys: ReadonlyMap<string, Uint8Array>): Promise<void> {
  const numbers = listSlotNumbers(slots);
  for (const [caseId, key] of keys) {
    const id = deriveSlotId(caseId);
    const number = numbers.get(id);
    const copy = number === undefined ? undefined : await slots.read({ shred_slot: number, shred_id: id });
    if (copy === undefined || (copy !== null && !Buffer.from(copy).equals(key)))
      throw new StartError('a shred key was not carried over; shred.db was kept', EXIT_CODES.inputOutput);
  }
}

function listSlotNumbers(slots: ShredSlots): Map<string, number> {
  const numbers = new Map<string, number>();
  for (const { number, slot } of slots.list())
    if (slot.state === 'taken' || slot.state === 'freed') numbers.set(slot.id, number);
  return numbers;
}

function deriveSlotId(caseId: string): string {
  return createHash('sha256').update(`shred slot of ${caseId}`).digest().toString('base64url', 0, 16);
}

/** Cases of version 0.1.0, until their key is found. */
async function listSlotless(records: Records): Promise<string[]> {
  const rows = await records.selectFrom('cases').select('id').where('shred_slot', 'is', null).execute();
  return rows.map(({ id }) => id);
}

/** Overwrites the file before it is removed, because removing it only makes its blocks free. */
async function overwriteFile(path: string): Promise<void> {
  if (!existsSync(path)) return;
  const file = await open(path, 'r+');
  try {
    const { size } = await file.stat();
    for (let at = 0; at < size; at += BLOCK.length)
      await file.write(BLOCK, 0, Math.min(BLOCK.length, size - at), at);
    await file.datasync();
  } finally {
    await file.close();
  }
  await rm(path);
  await syncFolder(dirname(path));
}
