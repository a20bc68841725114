/** A sealed case, from the store or from a bundle: whoever holds one of its keys can open it. */
import { ServiceError } from '#platform/errors.ts';
import { createByteStream } from '#seal/byte-stream.ts';
import type { SealedKind } from '#seal/header.ts';
import type { Services } from '#services.ts';
import { type Case, findCaseIncludingPurging } from '#store/cases.ts';
import { findObjectPiece, listCaseObjects, type StoredObject } from '#store/objects.ts';
import { decryptWithShredKey } from '#store/shred-keys.ts';
import type { Store } from '#store/store.ts';
import type { Records } from '#store/tables.ts';
import { findPurgeDay } from '#store/tombstones.ts';
import { listBuyerObjects, toBuyerView } from './buyer-view.ts';

export interface SealedCase {
  readonly record: Case;
  /** Sealed to the desk, the recovery key and the words. */
  readonly caseKey: Uint8Array;
  /** Oldest first. */
  readonly objects: readonly StoredObject[];
  readonly stream: (object: StoredObject) => ReadableStream<Uint8Array>;
}

/** An unknown case and a mistyped word take the same lookups. */
export async function requireCaseByLookup(
  { clock, store }: Pick<Services, 'clock' | 'store'>,
  lookupHash: string,
): Promise<Case> {
  const record = await findUnpurgedCase(store.records, lookupHash, clock.now());
  if (!record) throw new ServiceError('case_unknown');
  return record;
}

/** Returns undefined if there never was such a case; a purged case is reported as purged. */
export async function findUnpurgedCase(
  records: Records,
  lookupHash: string,
  now: number,
): Promise<Case | undefined> {
  const record = await findCaseIncludingPurging(records, lookupHash);
  if (record && record.purging === 0 && (record.purge_at ?? Infinity) > now) return record;
  if (record) throw new ServiceError('case_purged', { detail: 'This case is being purged at this moment.' });
  const purgedOn = await findPurgeDay(records, lookupHash);
  if (purgedOn === null) return undefined;
  throw new ServiceError('case_purged', {
    detail: `This case was purged on ${purgedOn}; nothing of it is left.`,
  });
}

export async function readSealedCase({ store }: Pick<Services, 'store'>, record: Case): Promise<SealedCase> {
  const caseKey = await decryptWithShredKey(store.shredKeys, record);
  if (!caseKey) throw new ServiceError('case_unknown');
  return {
    record,
    caseKey,
    objects: await listCaseObjects(store.records, record.id),
    stream: (object) => createByteStream(streamPieces(store, object)),
  };
}

/** The same as the buyer may see it at this time. */
export async function readCaseForBuyer(
  services: Pick<Services, 'store'>,
  record: Case,
  now: number,
): Promise<SealedCase> {
  const sealedCase = await readSealedCase(services, record);
  return {
    ...sealedCase,
    record: toBuyerView(record, now),
    objects: listBuyerObjects(record, sealedCase.objects, now),
  };
}

export function findCaseObject(
  { objects }: SealedCase,
  kind: SealedKind,
  seq: number,
): StoredObject | undefined {
  return objects.find((object) => object.kind === kind && object.seq === seq);
}

/** Only for envelopes, which are short; files are streamed. */
export async function readObjectBytes({ stream }: SealedCase, object: StoredObject): Promise<Uint8Array> {
  return Buffer.concat(await Array.fromAsync(stream(object)));
}

async function* streamPieces({ records }: Store, { id, size }: StoredObject): AsyncGenerator<Uint8Array> {
  for (let piece = 0, read = 0; read < size; piece += 1) {
    const bytes = await findObjectPiece(records, id, piece);
    // The case was purged during this read.
    if (!bytes) throw new ServiceError('case_unknown');
    read += bytes.length;
    yield bytes;
  }
}
