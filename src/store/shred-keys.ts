/** Shred keys: one per case, stored apart from it; destroying it makes every copy of the case unreadable. */
import { createSecretKey } from 'node:crypto';
import type { Case } from './cases.ts';
import { padForErasure, stripErasurePadding } from './overflow-bytes.ts';
import { decryptBox, encryptBox } from './secret-box.ts';
import type { Records } from './tables.ts';

/** The columns of a case that lead to its key; both null where the case's id does. */
export type ShredKeyPlace = Pick<Case, 'shred_slot' | 'shred_id'>;

/** What records and shred keys both have, to know that they belong together. */
export interface Pairing {
  /** Random. */
  readonly id: string;
  /** Moved on by every periodic write. */
  readonly counter: number;
}

/** Freed: its case was purged. Missing: no key was ever there, as in an older copy. Damaged: written in part. */
export type ShredKeyState = 'present' | 'freed' | 'missing' | 'damaged';

/** A key as a backup has it; without a key and a day, it is damaged. On PostgreSQL the id is that of the case. */
export interface ShredKeyCopy {
  readonly slot: number | null;
  readonly id: string;
  /** The day on which the key was destroyed. */
  readonly freedOn: number | null;
  readonly key: Uint8Array | null;
}

/** A file of slots beside SQLite, a table in PostgreSQL. */
export interface ShredKeys {
  /** Called first in every transaction: forgets what one that failed has left. */
  readonly begin: () => void;
  /** How many keys this transaction has created. */
  readonly countCreated: () => number;
  /** Discards the keys that it created after that many: their cases were rolled back. */
  readonly discardCreated: (count: number) => void;
  /** Makes a key for a case that the same transaction inserts. */
  readonly create: (
    records: Records,
    caseId: string,
  ) => Promise<{ readonly key: Uint8Array; readonly place: ShredKeyPlace }>;
  /** Destroys the keys of those of the cases that are recorded as being purged, and no others. */
  readonly destroy: (records: Records, caseIds: readonly string[]) => Promise<void>;
  /** Called last in every transaction: what it created and destroyed is on the disk before it commits. */
  readonly sync: (records: Records) => Promise<void>;
  /** Returns null if the key was destroyed. */
  readonly read: (record: ShredKeyPlace & Pick<Case, 'id'>) => Promise<Uint8Array | null>;
  /** What became of the keys of these cases, in their order. */
  readonly inspect: (
    records: Records,
    cases: readonly (ShredKeyPlace & Pick<Case, 'id'>)[],
  ) => Promise<ShredKeyState[]>;
  /** Everything that is stored, for a backup; within a transaction, but walked through after it. */
  readonly copy: (records: Records) => Promise<Iterable<ShredKeyCopy>>;
  readonly hasAny: (records: Records) => Promise<boolean>;
  /** Null if the keys were never paired with records, or are not there. */
  readonly readPairing: (records: Records) => Promise<Pairing | null>;
  /** Within a transaction; on the disk when that has committed. */
  readonly writePairing: (records: Records, pairing: Pairing) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Encrypts `secret` under a new shred key for a case that the same transaction inserts. */
export async function encryptWithShredKey(
  keys: ShredKeys,
  records: Records,
  caseId: string,
  secret: Uint8Array,
): Promise<ShredKeyPlace & Pick<Case, 'key_box'>> {
  const { key, place } = await keys.create(records, caseId);
  return { ...place, key_box: padForErasure(encryptBox(createSecretKey(key), secret, caseId)) };
}

/** Returns null if the key was destroyed. */
export async function decryptWithShredKey(
  keys: Pick<ShredKeys, 'read'>,
  record: Pick<Case, 'id' | 'key_box'> & ShredKeyPlace,
): Promise<Uint8Array | null> {
  const key = await keys.read(record);
  return key ? decryptBox(createSecretKey(key), stripErasurePadding(record.key_box), record.id) : null;
}

/** Encrypts another secret under the key that the case has. Returns null if the key was destroyed. */
export async function encryptAgainWithShredKey(
  keys: Pick<ShredKeys, 'read'>,
  record: Pick<Case, 'id'> & ShredKeyPlace,
  secret: Uint8Array,
): Promise<Uint8Array | null> {
  const key = await keys.read(record);
  return key ? padForErasure(encryptBox(createSecretKey(key), secret, record.id)) : null;
}
