/** The desk's side of a flow, through the same functions as its command line. */
import assert from 'node:assert/strict';
import { openCaseFile, type WrittenMessage } from '#cases/decrypted-case.ts';
import { deliver, deliveryHolder } from '#cases/delivery.ts';
import { addMessage, type SealedMessage } from '#cases/messages.ts';
import { readCaseFile } from '#cases/sealed-case.ts';
import { keepUpload } from '#cases/uploads.ts';
import type { CaseKey } from '#seal/case-key.ts';
import { sealEnvelope } from '#seal/envelope.ts';
import { MAX_FINDING_FILE_BYTES } from '#seal/finding.ts';
import { sealFile } from '#seal/sealed-file.ts';
import type { Case } from '#store/cases.ts';
import { caseOf, privateKey } from '#test/cases/opened.ts';
import type { Shop } from '#test/shop.ts';

export interface FoundFile {
  readonly name: string;
  readonly mime: string;
  readonly content: Uint8Array;
}

export async function writtenIn(shop: Shop, words: string): Promise<readonly WrittenMessage[]> {
  return (await opened(shop, words)).messages;
}

export async function ask(
  shop: Shop,
  words: string,
  text: string,
  does: Pick<SealedMessage, 'callAct'> = {},
): Promise<void> {
  const { record, key, messages } = await opened(shop, words);
  const seq = messages.filter(({ by }) => by === 'desk').length;
  const sealed = await sealEnvelope(key, { kind: 'desk-message.v1', seq }, { text, call_windows: [] });
  await addMessage(shop.services, record.id, { by: 'desk', seq, sealed, act: 'ask', ...does });
}

export async function deliverFinding(
  shop: Shop,
  words: string,
  markdown: string,
  found: readonly FoundFile[],
): Promise<Case> {
  const { record, key } = await opened(shop, words);
  const holder = deliveryHolder(record.id);
  const files = [];
  for (const [seq, { name, mime, content }] of found.entries()) {
    const source = { name, mime, content: ReadableStream.from([content]), maxBytes: MAX_FINDING_FILE_BYTES };
    const sealed = await sealFile(key, { kind: 'finding-file.v1', seq }, source);
    files.push(await keepUpload(shop.services, holder, sealed));
  }
  const facts = found.map(({ name, mime, content }) => ({ name, mime, size: content.length }));
  const finding = await sealEnvelope(key, { kind: 'finding.v1', seq: 0 }, { markdown, files: facts });
  return await deliver(shop.services, record.id, { finding, files, holder });
}

async function opened(
  shop: Shop,
  words: string,
): Promise<{ record: Case; key: CaseKey; messages: readonly WrittenMessage[] }> {
  const record = await caseOf(shop, words);
  assert.ok(record);
  const identity = await privateKey(shop.dataDir, 'desk');
  return await openCaseFile(await readCaseFile(shop.services, record), identity);
}
