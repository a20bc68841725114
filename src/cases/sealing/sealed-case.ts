/** Finds and reads sealed cases, as a whole or as the buyer may see them. */
import { ServiceError } from '#platform/errors.ts';
import { createByteStream } from '#seal/core/byte-stream.ts';
import type { SealedKind } from '#seal/core/header.ts';
import type { Services } from '#services.ts';
import { type Case, type CaseViewer, findCaseIncludingPurging } from '#store/cases/cases.ts';
import { findObjectPiece, listCaseObjects, readObjects, type StoredObject } from '#store/cases/objects.ts';
import { findPurgeDay } from '#store/cases/tombstones.ts';
import { findWholeCase, type WholeCase } from '#store/cases/whole-case.ts';
import { readCaseKey } from '#store/keys/shred-keys.ts';
import type { Records } from '#store/schema/tables.ts';
import type { Store } from '#store/store.ts';
import { listBuyerObjects, toBuyerView } from '../messages/buyer-view.ts';

/** What is in a case, for callers that do not need its key. */
export interface CaseContents {
  readonly record: Case;
  /** Oldest first. */
  readonly objects: readonly StoredObject[];
  readonly stream: (object: StoredObject) => ReadableStream<Uint8Array>;
}

export interface SealedCase extends CaseContents {
  /** Sealed to the desk, the recovery key and the words. */
  readonly caseKey: Uint8Array;
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

/** Returns undefined if there never was such a case; throws `case_purged` if it was purged. */
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
    purgedOn,
  });
}

export async function requireCaseKey({ store }: Pick<Services, 'store'>, record: Case): Promise<Uint8Array> {
  const caseKey = await readCaseKey(store, record);
  if (!caseKey) throw new ServiceError('case_unknown');
  return caseKey;
}

/** A viewer's case as its buyer may see it; someone else's gives the same error as one that does not exist. */
export async function readOwnCase(
  store: Pick<Store, 'records' | 'shredKeys'>,
  id: string,
  viewer: CaseViewer,
  now: number,
): Promise<Omit<SealedCase, 'stream'>> {
  const { record, caseKey, objects } = await requireWholeCase(store, id, viewer, now);
  return {
    record: toBuyerView(record, now),
    caseKey,
    objects: listBuyerObjects(record, objects, now),
  };
}

/** The viewer is null for the desk. */
export async function requireWholeCase(
  store: Pick<Store, 'records' | 'shredKeys'>,
  id: string,
  viewer: CaseViewer | null,
  now: number,
): Promise<WholeCase & { readonly caseKey: Uint8Array }> {
  const whole = await findWholeCase(store, id, viewer, now);
  if (!whole?.caseKey) throw new ServiceError('case_unknown');
  return { ...whole, caseKey: whole.caseKey };
}

/** The sealed case as the buyer may see it at this time. */
export async function readCaseForBuyer(
  services: Pick<Services, 'store'>,
  record: Case,
  now: number,
): Promise<SealedCase> {
  const caseKey = await requireCaseKey(services, record);
  return { ...(await readContentsForBuyer(services, record, now)), caseKey };
}

/** The same without the key of the case, which costs more to open than all the rest. */
export async function readContentsForBuyer(
  { store }: Pick<Services, 'store'>,
  record: Case,
  now: number,
): Promise<CaseContents> {
  const objects = await listCaseObjects(store.records, record.id);
  return {
    record: toBuyerView(record, now),
    objects: listBuyerObjects(record, objects, now),
    stream: (object) => createByteStream(streamPieces(store, object)),
  };
}

/** Reads envelopes, which are short, in the order of `objects`. */
export async function readEnvelopes(
  { store }: Pick<Services, 'store'>,
  objects: readonly StoredObject[],
): Promise<Uint8Array[]> {
  const ids = objects.map(({ id }) => id);
  const bytesById = await readObjects(store.records, ids);
  return ids.map((id) => {
    const bytes = bytesById.get(id);
    // The case was purged during this read.
    if (!bytes) throw new ServiceError('case_unknown');
    return bytes;
  });
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
