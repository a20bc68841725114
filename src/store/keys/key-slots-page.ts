/** The first page of the shred key file: an identifying line, and two copies of installation id and generation. */
import { createHash } from 'node:crypto';
import type { Installation } from './shred-keys.ts';

/** A page of the file system; slots begin on the second one. */
export const PAGE_BYTES = 4096;
/** The file grows by this many slots: writing one of them then changes no metadata of the file system. */
export const CHUNK_SLOTS = 1_024;
const MAGIC = Buffer.from('inquiry-office shred keys 1\n');
/** Each copy is in a separate sector, so that writing one cannot tear the other. */
const COPY_OFFSETS = [1024, 2048] as const;
/** Where each part of a copy begins; the checksum covers everything before it. */
const AT = { id: 0, generation: 16, checksum: 56 } as const;
const COPY_BYTES = 64;

export function createFirstPage(): Buffer {
  const page = Buffer.alloc(PAGE_BYTES);
  page.set(MAGIC);
  return page;
}

export function isFirstPage(page: Buffer): boolean {
  return page.subarray(0, MAGIC.length).equals(MAGIC);
}

/** Returns the newest copy that is whole; null if there is none. */
export function decodeInstallation(page: Buffer): Installation | null {
  const copies = COPY_OFFSETS.map((offset) => decodeCopy(page.subarray(offset, offset + COPY_BYTES)));
  const [first = null, second = null] = copies;
  if (first === null || second === null) return first ?? second;
  return first.generation > second.generation ? first : second;
}

/** To be written and synced one after the other. If a write is torn, an earlier copy remains, or none for a new id. */
export function listInstallationWrites(page: Buffer, installation: Installation) {
  const place = installation.generation % COPY_OFFSETS.length;
  const previous = decodeInstallation(page);
  const write = { bytes: encodeCopy(installation), offset: COPY_OFFSETS[place]! };
  // Copies with another id could have a higher generation.
  const cleared = previous && previous.id !== installation.id ? COPY_OFFSETS : [];
  return [...cleared.map((offset) => ({ bytes: Buffer.alloc(COPY_BYTES), offset })), write];
}

function encodeCopy({ id, generation }: Installation): Buffer {
  const bytes = Buffer.alloc(COPY_BYTES);
  bytes.write(id, AT.id, AT.generation - AT.id, 'base64url');
  bytes.writeBigUInt64BE(BigInt(generation), AT.generation);
  bytes.set(computeChecksum(bytes), AT.checksum);
  return bytes;
}

function decodeCopy(bytes: Buffer): Installation | null {
  if (!computeChecksum(bytes).equals(bytes.subarray(AT.checksum))) return null;
  const id = bytes.toString('base64url', AT.id, AT.generation);
  return { id, generation: Number(bytes.readBigUInt64BE(AT.generation)) };
}

function computeChecksum(bytes: Buffer): Buffer {
  const hash = createHash('sha256').update('pairing\n').update(bytes.subarray(0, AT.checksum));
  return hash.digest().subarray(0, COPY_BYTES - AT.checksum);
}
