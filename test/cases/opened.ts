/** Opens a stored case as the desk, the recovery key or the buyer would. */
import { readFile } from 'node:fs/promises';
import { type CaseKey, openCaseKey } from '#seal/case-key.ts';
import { openEnvelope } from '#seal/envelope.ts';
import type { Kind } from '#seal/header.ts';
import type { Inquiry } from '#seal/inquiry.ts';
import { openFile } from '#seal/sealed-file.ts';
import { wordKeys } from '#seal/words.ts';
import { type Case, findCaseByLookup } from '#store/cases.ts';
import { findObject, readPiece } from '#store/objects.ts';
import type { Shop } from '#test/shop.ts';

export async function caseOf({ store }: Pick<Shop, 'store'>, words: string): Promise<Case | undefined> {
  return await findCaseByLookup(store.records, (await wordKeys(words)).lookupHash);
}

export async function privateKey(dataDir: string, role: 'desk' | 'recovery'): Promise<string> {
  const text = await readFile(`${dataDir}/keys/${role}.key`, 'utf8');
  return text.split('\n').find((line) => line.startsWith('AGE-SECRET-KEY-PQ-1')) ?? '';
}

export async function keyOf(record: Case, identity: string): Promise<CaseKey> {
  return await openCaseKey(record.case_key ?? new Uint8Array(), identity, record.lookup_hash ?? '');
}

export async function inquiryOf(shop: Pick<Shop, 'store'>, record: Case, key: CaseKey): Promise<Inquiry> {
  const sealed = await objectOf(shop, record, 'inquiry.v1', 0);
  return (await openEnvelope(key, { kind: 'inquiry.v1', seq: 0 }, sealed)) as Inquiry;
}

export async function fileOf(
  shop: Pick<Shop, 'store'>,
  record: Case,
  key: CaseKey,
  seq: number,
): Promise<{ name: string; mime: string; content: Uint8Array }> {
  const sealed = await objectOf(shop, record, 'inquiry-file.v1', seq);
  const { name, mime, content } = await openFile(
    key,
    { kind: 'inquiry-file.v1', seq },
    ReadableStream.from([sealed]),
  );
  return { name, mime, content: Buffer.concat(await Array.fromAsync(content)) };
}

export async function objectOf(
  { store }: Pick<Shop, 'store'>,
  { id: caseId }: Case,
  kind: Kind,
  seq: number,
): Promise<Uint8Array> {
  const object = await findObject(store.records, { caseId, kind, seq });
  if (!object) throw new Error(`no ${kind} ${seq}`);
  const pieces: Uint8Array[] = [];
  for (let piece = 0; ; piece += 1) {
    const bytes = await readPiece(store.records, object.id, piece);
    if (!bytes) return Buffer.concat(pieces);
    pieces.push(bytes);
  }
}
