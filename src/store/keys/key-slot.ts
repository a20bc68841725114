/** One slot of the file of shred keys: 64 bytes with a checksum, so that a torn write is noticed. */
import { hash } from 'node:crypto';

export const SLOT_BYTES = 64;
export const SHRED_KEY_BYTES = 32;

/** Where each part begins; the checksum covers everything before it and the number of the slot. */
const AT = { id: 0, state: 16, day: 20, key: 24, checksum: 56 } as const;
const STATES = { taken: 1, freed: 2 } as const;
const UNUSED = Buffer.alloc(SLOT_BYTES);

/** What is written: a key, or the day since 1970 on which the key was destroyed. */
export type SlotContent = { readonly id: string } & (
  | { readonly key: Uint8Array }
  | { readonly freedOn: number }
);

export type KeySlot =
  | { readonly state: 'unused' }
  | { readonly state: 'taken'; readonly id: string; readonly key: Buffer }
  | { readonly state: 'freed'; readonly id: string; readonly freedOn: number }
  /** Written in part, or changed by a fault of the disk. */
  | { readonly state: 'damaged'; readonly id: string };

/** A freed slot has zeros in place of the key and of everything that was computed from it. */
export function encodeSlot(number: number, content: SlotContent): Buffer {
  const bytes = Buffer.alloc(SLOT_BYTES);
  bytes.write(content.id, AT.id, AT.state - AT.id, 'base64url');
  if ('key' in content) {
    bytes.writeUInt32BE(STATES.taken, AT.state);
    bytes.set(content.key, AT.key);
  } else {
    bytes.writeUInt32BE(STATES.freed, AT.state);
    bytes.writeUInt32BE(content.freedOn, AT.day);
  }
  bytes.set(computeChecksum(number, bytes), AT.checksum);
  return bytes;
}

export function decodeSlot(number: number, bytes: Buffer): KeySlot {
  if (bytes.equals(UNUSED)) return { state: 'unused' };
  const id = bytes.toString('base64url', AT.id, AT.state);
  const state = bytes.readUInt32BE(AT.state);
  if (!computeChecksum(number, bytes).equals(bytes.subarray(AT.checksum))) return { state: 'damaged', id };
  if (state === STATES.freed) return { state: 'freed', id, freedOn: bytes.readUInt32BE(AT.day) };
  if (state !== STATES.taken) return { state: 'damaged', id };
  return { state: 'taken', id, key: Buffer.from(bytes.subarray(AT.key, AT.checksum)) };
}

/** True for a slot that was never used, or was freed on that day or before. */
export function isSlotReusable(number: number, bytes: Buffer, day: number): boolean {
  const state = bytes.readUInt32BE(AT.state);
  // Checksums of the many taken slots need not be computed.
  if (state !== STATES.freed) return state === 0 && bytes.equals(UNUSED);
  const slot = decodeSlot(number, bytes);
  return slot.state === 'freed' && slot.freedOn <= day;
}

function computeChecksum(number: number, bytes: Buffer): Buffer {
  const covered = Buffer.concat([Buffer.from(`${number}\n`), bytes.subarray(0, AT.checksum)]);
  return hash('sha256', covered, 'buffer').subarray(0, SLOT_BYTES - AT.checksum);
}
