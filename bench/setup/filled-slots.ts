/** Writes the file of shred keys of a filled office: a key for every case, in the slot that the case names. */
import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { CHUNK_SLOTS, PAGE_BYTES } from '#store/shred-page.ts';
import { encodeSlot, SHRED_KEY_BYTES, SLOT_BYTES } from '#store/shred-slot.ts';
import { toShredKeysPath } from '#store/sqlite.ts';

const ID_DIGITS = 21;
/** The id of slot `n`; its digits and the letter are canonical base64url. */
export const SLOT_ID_SQL = `substr('${'0'.repeat(ID_DIGITS)}' || n, -${ID_DIGITS}) || 'A'`;

/** The first page, which pairs the file with the records, stays as it is. */
export async function fillShredSlots(dataDir: string, count: number): Promise<void> {
  const file = await open(toShredKeysPath(dataDir), 'r+');
  try {
    for (let first = 0; first < count; first += CHUNK_SLOTS) {
      const chunk = Buffer.alloc(CHUNK_SLOTS * SLOT_BYTES);
      for (let number = first; number < Math.min(first + CHUNK_SLOTS, count); number += 1) {
        const id = `${String(number).padStart(ID_DIGITS, '0')}A`;
        const slot = encodeSlot(number, { id, key: randomBytes(SHRED_KEY_BYTES) });
        chunk.set(slot, (number - first) * SLOT_BYTES);
      }
      await file.write(chunk, 0, chunk.length, PAGE_BYTES + first * SLOT_BYTES);
    }
  } finally {
    await file.close();
  }
}
