/** Finds a case by what its words give, and reads what is kept of it. */
import { ServiceError } from '#platform/errors.ts';
import { openCaseKey } from '#seal/case-key.ts';
import { openEnvelope } from '#seal/envelope.ts';
import type { Kind } from '#seal/header.ts';
import type { Inquiry } from '#seal/inquiry.ts';
import { lookupHashOf, wordKeys } from '#seal/words.ts';
import { type Case, findCaseByLookup } from '#store/cases.ts';
import { findObject, readPiece } from '#store/objects.ts';
import type { Registry } from './registry.ts';

/** A case as it lies in the store: whoever holds one of its keys can open it. */
export interface SealedCase {
  readonly record: Case;
  readonly caseKey: Uint8Array;
  readonly inquiry: Uint8Array;
}

export interface OpenedCase {
  readonly record: Case;
  readonly inquiry: Inquiry;
}

/** One look in one index, whatever is asked for: an unknown case costs the same as a wrong word. */
export async function findSealedCase(registry: Registry, lookupToken: string): Promise<SealedCase> {
  return await sealedCase(registry, lookupHashOf(lookupToken));
}

/** For who comes without a script: the words are used here, in memory, and nowhere else. */
export async function openCaseWithWords(registry: Registry, words: string): Promise<OpenedCase> {
  const { identity, lookupHash } = await wordKeys(words);
  const { record, caseKey, inquiry } = await sealedCase(registry, lookupHash);
  const key = await openCaseKey(caseKey, identity, lookupHash);
  const opened = await openEnvelope(key, { kind: 'inquiry.v1', seq: 0 }, inquiry);
  return { record, inquiry: opened as Inquiry };
}

async function sealedCase({ store }: Registry, lookupHash: string): Promise<SealedCase> {
  const record = await findCaseByLookup(store.records, lookupHash);
  if (!record?.case_key) throw new ServiceError('case_unknown');
  const inquiry = await readObject(store, record.id, 'inquiry.v1', 0);
  if (!inquiry) throw new ServiceError('case_unknown');
  return { record, caseKey: record.case_key, inquiry };
}

async function readObject(
  { records }: Registry['store'],
  caseId: string,
  kind: Kind,
  seq: number,
): Promise<Uint8Array | null> {
  const object = await findObject(records, { caseId, kind, seq });
  if (!object) return null;
  const pieces: Uint8Array[] = [];
  for (let piece = 0, size = 0; size < object.size; piece += 1) {
    const bytes = await readPiece(records, object.id, piece);
    if (!bytes) throw new Error('an object without one of its pieces');
    pieces.push(bytes);
    size += bytes.length;
  }
  return Buffer.concat(pieces);
}
