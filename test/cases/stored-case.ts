/** Opens a stored case as the desk, the recovery key or the buyer would. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { OpenedPart } from '#seal/case/opened-part.ts';
import { type CaseKey, openCaseKey } from '#seal/core/case-key.ts';
import { openEnvelope } from '#seal/core/envelope.ts';
import type { SealedKind } from '#seal/core/header.ts';
import { deriveWordKeys } from '#seal/core/words.ts';
import { openSealedFile } from '#seal/files/sealed-file.ts';
import type { Inquiry } from '#seal/form/inquiry.ts';
import { type Case, findCaseByLookup } from '#store/cases/cases.ts';
import { findObjectPiece, listCaseObjects } from '#store/cases/objects.ts';
import { readCaseKey } from '#store/keys/shred-keys.ts';
import type { TestShop } from '#test/test-shop.ts';

export async function findCaseByWords(
  { store }: Pick<TestShop, 'store'>,
  words: string,
): Promise<Case | undefined> {
  return await findCaseByLookup(store.records, (await deriveWordKeys(words)).lookupHash, Date.now());
}

export async function requireCaseByWords(shop: Pick<TestShop, 'store'>, words: string): Promise<Case> {
  const record = await findCaseByWords(shop, words);
  assert.ok(record);
  return record;
}

/** The case that these words open, with its key, its inquiry and its files as the desk opens them. */
export async function openStoredCase(shop: Pick<TestShop, 'store' | 'dataDir'>, words: string) {
  const record = await requireCaseByWords(shop, words);
  const key = await openStoredCaseKey(shop, record, await readPrivateKey(shop.dataDir, 'desk'));
  const inquiry = await openStoredInquiry(shop, record, key);
  return { record, key, inquiry, openFile: (seq: number) => openStoredFile(shop, record, key, seq) };
}

export async function readPrivateKey(dataDir: string, role: 'desk' | 'recovery'): Promise<string> {
  const text = await readFile(`${dataDir}/keys/${role}.key`, 'utf8');
  return text.split('\n').find((line) => line.startsWith('AGE-SECRET-KEY-PQ-1')) ?? '';
}

export async function openStoredCaseKey(
  { store }: Pick<TestShop, 'store'>,
  record: Case,
  identity: string,
): Promise<CaseKey> {
  const sealed = await readCaseKey(store, record);
  return await openCaseKey(sealed ?? new Uint8Array(), identity, record.lookup_hash);
}

/** Returns the decrypted content; fails the test if it cannot be decrypted. */
export function requireContent<Content>(part: OpenedPart<Content> | null | undefined): Content {
  assert.ok(part && 'content' in part, 'it is readable');
  return part.content;
}

export async function openStoredInquiry(
  shop: Pick<TestShop, 'store'>,
  record: Case,
  key: CaseKey,
): Promise<Inquiry> {
  const sealed = await readStoredObject(shop, record, 'inquiry.v1', 0);
  return (await openEnvelope(key, { kind: 'inquiry.v1', seq: 0 }, sealed)) as Inquiry;
}

export async function openStoredFile(
  shop: Pick<TestShop, 'store'>,
  record: Case,
  key: CaseKey,
  seq: number,
): Promise<{ name: string; mime: string; content: Uint8Array }> {
  const sealed = await readStoredObject(shop, record, 'inquiry-file.v1', seq);
  const { name, mime, content } = await openSealedFile(
    key,
    { kind: 'inquiry-file.v1', seq },
    ReadableStream.from([sealed]),
  );
  return { name, mime, content: Buffer.concat(await Array.fromAsync(content)) };
}

export async function readStoredObject(
  { store }: Pick<TestShop, 'store'>,
  { id: caseId }: Case,
  kind: SealedKind,
  seq: number,
): Promise<Uint8Array> {
  const object = (await listCaseObjects(store.records, caseId)).find(
    (each) => each.kind === kind && each.seq === seq,
  );
  if (!object) throw new Error(`no ${kind} ${seq}`);
  const pieces: Uint8Array[] = [];
  for (let piece = 0; ; piece += 1) {
    const bytes = await findObjectPiece(store.records, object.id, piece);
    if (!bytes) return Buffer.concat(pieces);
    pieces.push(bytes);
  }
}
