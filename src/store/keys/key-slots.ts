/** The shred keys with SQLite: a file of slots that are overwritten in place, so that no journal copies a key. */
import { randomBytes, randomInt } from 'node:crypto';
import { fstatSync, readSync, writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { writeWholeFile } from '#platform/atomic-file.ts';
import type { Clock } from '#platform/clock.ts';
import { DAY_MS } from '#platform/durations.ts';
import { formatFileFault } from '#platform/error-code.ts';
import { ServiceError } from '#platform/errors.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { generateId } from '#platform/text/ids.ts';
import { listRows } from '../engine/selected-rows.ts';
import type { Records } from '../schema/tables.ts';
import {
  decodeSlot,
  encodeSlot,
  isSlotReusable,
  type KeySlot,
  SHRED_KEY_BYTES,
  SLOT_BYTES,
} from './key-slot.ts';
import {
  CHUNK_SLOTS,
  createFirstPage,
  decodeInstallation,
  isFirstPage,
  listInstallationWrites,
  PAGE_BYTES,
} from './key-slots-page.ts';
import type { Installation, ShredKeyCopy, ShredKeyPlace, ShredKeyState, ShredKeys } from './shred-keys.ts';

const PAGE_SLOTS = PAGE_BYTES / SLOT_BYTES;
const CHUNK = Buffer.alloc(CHUNK_SLOTS * SLOT_BYTES);
/** Reading them takes about a millisecond. */
const LOOKED_PAGES = 64;
/** Until then, the id and the day of a freed slot show that a case in an older copy of the records was purged. */
const REUSE_DAYS = 90;

interface UsedSlot {
  readonly number: number;
  readonly slot: Exclude<KeySlot, { state: 'unused' }>;
}

export async function openKeySlots(path: string, clock: Clock, flags: 'r' | 'r+' = 'r+'): Promise<KeySlots> {
  try {
    const file = await open(path, flags);
    const page = Buffer.alloc(PAGE_BYTES);
    readSync(file.fd, page, 0, page.length, 0);
    if (isFirstPage(page)) return new KeySlots(file, clock);
    await file.close();
  } catch (error) {
    throw new ProgramError(`cannot open ${path}: ${formatFileFault(error)}`, EXIT_CODES.inputOutput, error);
  }
  throw new ProgramError(
    `${path}: not a file of shred keys of this version, or damaged; restore the last backup (docs/operating.md)`,
    EXIT_CODES.config,
  );
}

/**
 * Service and command line share the file. A process that changes it holds the write lock of the records: all but
 * `read` and `close` are for a transaction. Writes wait for the end of the transaction, so that all cases of one commit
 * share a sync, and a case that was rolled back leaves nothing.
 */
export class KeySlots implements ShredKeys {
  readonly #file: FileHandle;
  readonly #clock: Clock;
  readonly #reserved = new Map<number, Buffer>();
  readonly #freed = new Map<number, Buffer>();
  /** Slots of one page that were found unused under the current lock. */
  #candidates: number[] = [];
  /** Where to look for unused slots next; random at startup, so that freed slots are found in every part. */
  #page = randomInt(2 ** 31);

  constructor(file: FileHandle, clock: Clock) {
    this.#file = file;
    this.#clock = clock;
  }

  begin(): void {
    this.#reserved.clear();
    this.#freed.clear();
    // Another process may have used them.
    this.#candidates = [];
  }

  countCreated(): number {
    return this.#reserved.size;
  }

  discardCreated(count: number): void {
    for (const number of [...this.#reserved.keys()].slice(count)) this.#reserved.delete(number);
  }

  async create(): Promise<{ key: Uint8Array; place: ShredKeyPlace }> {
    const key = randomBytes(SHRED_KEY_BYTES);
    const id = generateId();
    return { key, place: { key_slot: await this.#reserve(id, key), shred_id: id } };
  }

  async destroy(records: Records, caseIds: readonly string[]): Promise<void> {
    if (caseIds.length === 0) return;
    const purging = await listRows(records, 'cases', { id: ['in', caseIds], purging: 1 });
    for (const { key_slot: number, shred_id: id } of purging) {
      if (number === null) continue;
      const slot = this.#readSlot(number);
      // Another id belongs to another case: these records are an older copy. A damaged slot still has its id, and a
      // freed one is written again, because the earlier write may not have reached the disk.
      if (slot.state === 'unused' || slot.id !== id) continue;
      const freedOn = slot.state === 'freed' ? slot.freedOn : this.#today;
      this.#freed.set(number, encodeSlot(number, { id, freedOn }));
    }
  }

  async sync(): Promise<void> {
    const writes = [...this.#freed, ...this.#reserved];
    if (writes.length === 0) return;
    await this.#write(writes.map(([number, bytes]) => ({ bytes, offset: toOffset(number) })));
  }

  async read({ key_slot: number, shred_id: id }: ShredKeyPlace): Promise<Uint8Array | null> {
    if (number === null) return null;
    const slot = this.#readSlot(number);
    if (slot.state === 'damaged' || slot.state === 'unused') throw new ServiceError('case_key_unreadable');
    // A slot with another id was freed and, after a long time, reused.
    return slot.state === 'taken' && slot.id === id ? slot.key : null;
  }

  async inspect(_: Records, cases: readonly ShredKeyPlace[]): Promise<ShredKeyState[]> {
    return cases.map(({ key_slot: number, shred_id: id }) => {
      const slot: KeySlot = number === null ? { state: 'unused' } : this.#readSlot(number);
      if (slot.state === 'unused') return 'missing';
      if (slot.state === 'damaged') return 'damaged';
      return slot.state === 'taken' && slot.id === id ? 'present' : 'freed';
    });
  }

  async copy(): Promise<Iterable<ShredKeyCopy>> {
    return copySlots(this.#readBytes(PAGE_BYTES, this.#countPages() * PAGE_BYTES));
  }

  async hasAny(): Promise<boolean> {
    return this.list().some(({ slot }) => slot.state !== 'freed');
  }

  async readInstallation(): Promise<Installation | null> {
    return decodeInstallation(this.#readBytes(0, PAGE_BYTES));
  }

  async writeInstallation(_: Records, installation: Installation): Promise<void> {
    for (const write of listInstallationWrites(this.#readBytes(0, PAGE_BYTES), installation))
      await this.#write([write]);
  }

  /** Lists all slots that were ever used. */
  *list(): Generator<UsedSlot> {
    for (let page = 0; page < this.#countPages(); page += 1)
      yield* listUsedSlots(this.#readPage(page), page * PAGE_SLOTS);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  get #today(): number {
    return Math.floor(this.#clock.now() / DAY_MS);
  }

  async #reserve(id: string, key: Uint8Array): Promise<number> {
    if (this.#candidates.length === 0) this.#candidates = await this.#findCandidates();
    // In random order, so that the place of a purged case reveals little about its age.
    const [number = 0] = this.#candidates.splice(randomInt(this.#candidates.length), 1);
    this.#reserved.set(number, encodeSlot(number, { id, key }));
    return number;
  }

  /** Searches a part of the file and its end, because writers wait; later searches cover the rest in turn. */
  async #findCandidates(): Promise<number[]> {
    const pages = this.#countPages();
    const looked = Math.min(pages, LOOKED_PAGES);
    const around = Array.from({ length: looked }, (_, index) => (this.#page + index) % pages);
    const last = Array.from({ length: looked }, (_, index) => pages - looked + index);
    for (const page of around) {
      const candidates = this.#listReusable(page);
      if (candidates.length === 0) continue;
      this.#page = page;
      return candidates;
    }
    this.#page += looked;
    for (const page of last) {
      const candidates = this.#listReusable(page);
      if (candidates.length > 0) return candidates;
    }
    await this.#write([{ bytes: CHUNK, offset: toOffset(pages * PAGE_SLOTS) }]);
    return this.#listReusable(pages);
  }

  #listReusable(page: number): number[] {
    const day = this.#today - REUSE_DAYS;
    return splitSlots(this.#readPage(page), page * PAGE_SLOTS)
      .filter(({ number, bytes }) => !this.#reserved.has(number) && isSlotReusable(number, bytes, day))
      .map(({ number }) => number);
  }

  /** An incomplete last page counts, because it may contain keys. */
  #countPages(): number {
    const { size } = fstatSync(this.#file.fd);
    return Math.ceil((size - PAGE_BYTES) / PAGE_BYTES);
  }

  #readPage(page: number): Buffer {
    return this.#readBytes(toOffset(page * PAGE_SLOTS), PAGE_BYTES);
  }

  #readSlot(number: number): KeySlot {
    return decodeSlot(number, this.#readBytes(toOffset(number), SLOT_BYTES));
  }

  /** Bytes beyond the end of the file read as unused. */
  #readBytes(offset: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    try {
      readSync(this.#file.fd, bytes, 0, length, offset);
      return bytes;
    } catch (error) {
      throw new ServiceError('storage_unavailable', { cause: error });
    }
  }

  async #write(writes: readonly { bytes: Buffer; offset: number }[]): Promise<void> {
    try {
      for (const { bytes, offset } of writes)
        if (writeSync(this.#file.fd, bytes, 0, bytes.length, offset) < bytes.length)
          throw new Error('written in part');
      await this.#file.datasync();
    } catch (error) {
      throw new ServiceError('storage_unavailable', { cause: error });
    }
  }
}

function* listUsedSlots(bytes: Buffer, first = 0): Generator<UsedSlot> {
  for (const { number, bytes: own } of splitSlots(bytes, first)) {
    const slot = decodeSlot(number, own);
    if (slot.state !== 'unused') yield { number, slot };
  }
}

function splitSlots(bytes: Buffer, first: number): { number: number; bytes: Buffer }[] {
  return Array.from({ length: bytes.length / SLOT_BYTES }, (_, index) => ({
    number: first + index,
    bytes: bytes.subarray(index * SLOT_BYTES, (index + 1) * SLOT_BYTES),
  }));
}

function toOffset(number: number): number {
  return PAGE_BYTES + number * SLOT_BYTES;
}

function* copySlots(bytes: Buffer): Generator<ShredKeyCopy> {
  for (const { number, slot } of listUsedSlots(bytes)) {
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
