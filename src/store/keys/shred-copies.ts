/** With SQLite: copies shred keys out of the file of slots for a backup, and back into a new one. */
import { writeWholeFile } from '#platform/atomic-file.ts';
import { encodeSlot, type KeySlot, SHRED_KEY_BYTES, SLOT_BYTES } from './key-slot.ts';
import { CHUNK_SLOTS, createFirstPage } from './key-slots-page.ts';
import type { ShredKeyCopy } from './shred-keys.ts';

export function* copySlots(slots: Iterable<{ number: number; slot: KeySlot }>): Generator<ShredKeyCopy> {
  for (const { number, slot } of slots) {
    if (slot.state === 'unused') continue;
    const key = slot.state === 'taken' ? slot.key : null;
    yield { slot: number, id: slot.id, freedOn: slot.state === 'freed' ? slot.freedOn : null, key };
  }
}

/** Every key gets the slot that it had, where its case looks for it. */
export async function writeSlotCopies(path: string, copies: readonly ShredKeyCopy[]): Promise<void> {
  const highest = copies.reduce((max, { slot }) => Math.max(max, slot ?? 0), 0);
  const chunks = Math.ceil((highest + 1) / CHUNK_SLOTS);
  const slots = Buffer.alloc(chunks * CHUNK_SLOTS * SLOT_BYTES);
  for (const copy of copies) slots.set(encodeCopy(copy), (copy.slot ?? 0) * SLOT_BYTES);
  await writeWholeFile(path, Buffer.concat([createFirstPage(), slots]));
}

function encodeCopy({ slot, id, freedOn, key }: ShredKeyCopy): Buffer {
  const number = slot ?? 0;
  if (freedOn !== null) return encodeSlot(number, { id, freedOn });
  const bytes = encodeSlot(number, { id, key: key ?? Buffer.alloc(SHRED_KEY_BYTES) });
  // A damaged key stays damaged: a case without a key must not look like a purged one.
  if (key === null) bytes.writeUInt8(bytes.readUInt8(SLOT_BYTES - 1) ^ 1, SLOT_BYTES - 1);
  return bytes;
}
