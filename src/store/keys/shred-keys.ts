/** Shred keys: one per case, stored apart from it; destroying it makes every copy of the case unreadable. */
import { createSecretKey } from 'node:crypto';
import { ServiceError } from '#platform/errors.ts';
import { buildCaseKeyRow, findCaseKey, insertCaseKeyRow } from '../cases/case-keys.ts';
import type { Case } from '../cases/cases.ts';
import type { Records } from '../schema/tables.ts';
import { decryptValue, encryptValue } from './keyring.ts';

/** The columns of a case that lead to its key; both are null if the case's id does. */
export type ShredKeyPlace = Pick<Case, 'key_slot' | 'shred_id'>;

/** Stored with both records and shred keys, to show that they belong together. */
export interface Installation {
  /** Random. */
  readonly id: string;
  /** Raised by one with every periodic write. */
  readonly generation: number;
}

/** Freed: its case was purged. Missing: no key was ever there, as in an older copy. Damaged: written in part. */
export type ShredKeyState = 'present' | 'freed' | 'missing' | 'damaged';

/** A key in a backup; if it has neither a key nor a day, it is damaged. On PostgreSQL the id is that of the case. */
export interface ShredKeyCopy {
  readonly slot: number | null;
  readonly id: string;
  /** The day on which the key was destroyed. */
  readonly freedOn: number | null;
  readonly key: Uint8Array | null;
}

/** A file of slots with SQLite, a table with PostgreSQL. */
export interface ShredKeys {
  /** Called first in every transaction: discards what a failed one has left. */
  readonly begin: () => void;
  /** How many keys this transaction has created. */
  readonly countCreated: () => number;
  /** Discards the keys created after that many: their cases were rolled back. */
  readonly discardCreated: (count: number) => void;
  /** Makes a key for a case that the same transaction inserts. */
  readonly create: (
    records: Records,
    caseId: string,
  ) => Promise<{ readonly key: Uint8Array; readonly place: ShredKeyPlace }>;
  /** Destroys the keys of those cases that are marked as being purged, and no others. */
  readonly destroy: (records: Records, caseIds: readonly string[]) => Promise<void>;
  /** Called last in every transaction: its changes to the keys are on the disk before it commits. */
  readonly sync: (records: Records) => Promise<void>;
  /** Returns null if the key was destroyed. */
  readonly read: (record: ShredKeyPlace & Pick<Case, 'id'>) => Promise<Uint8Array | null>;
  /** The state of the keys of these cases, in their order. */
  readonly inspect: (
    records: Records,
    cases: readonly (ShredKeyPlace & Pick<Case, 'id'>)[],
  ) => Promise<ShredKeyState[]>;
  /** Copies everything for a backup; called within a transaction, but read after it. */
  readonly copy: (records: Records) => Promise<Iterable<ShredKeyCopy>>;
  readonly hasAny: (records: Records) => Promise<boolean>;
  /** Null if the keys never got the id of records, or are missing. */
  readonly readInstallation: (records: Records) => Promise<Installation | null>;
  /** Called within a transaction; the write is on the disk when that has committed. */
  readonly writeInstallation: (records: Records, installation: Installation) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Stores the sealed key of a case that the same transaction inserts, encrypted under a new shred key. */
export async function storeCaseKey(
  keys: Pick<ShredKeys, 'create'>,
  records: Records,
  caseId: string,
  sealedKey: Uint8Array,
): Promise<ShredKeyPlace> {
  const { key, place } = await keys.create(records, caseId);
  await insertCaseKeyRow(records, buildCaseKeyRow(caseId, encryptSealedKey(key, sealedKey, caseId)));
  return place;
}

export function encryptSealedKey(shredKey: Uint8Array, sealedKey: Uint8Array, caseId: string): Uint8Array {
  return encryptValue(createSecretKey(shredKey), sealedKey, caseId);
}

/** Returns null if the shred key was destroyed. */
export async function readCaseKey(
  { records, shredKeys }: { readonly records: Records; readonly shredKeys: Pick<ShredKeys, 'read'> },
  record: Pick<Case, 'id'> & ShredKeyPlace,
): Promise<Uint8Array | null> {
  const ciphertext = await findCaseKey(records, record.id);
  return openCaseKey(record.id, ciphertext ?? null, await shredKeys.read(record));
}

export function openCaseKey(
  caseId: string,
  ciphertext: Uint8Array | null,
  shredKey: Uint8Array | null,
): Uint8Array | null {
  if (shredKey === null) return null;
  // A purge deletes both keys; a case that lacks only this one is damaged.
  if (ciphertext === null) throw new ServiceError('case_key_unreadable');
  return decryptValue(createSecretKey(shredKey), ciphertext, caseId);
}
