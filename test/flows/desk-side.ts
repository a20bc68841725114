/** The desk's side of a flow, with the same functions that its command line uses. */
import assert from 'node:assert/strict';
import { deliverSealedFinding, toDeliveryUploader } from '#cases/delivery.ts';
import { storeUpload } from '#cases/intake/uploads.ts';
import { openSealedCase } from '#cases/messages/decrypted-case.ts';
import { addCaseMessage, type SealedMessage } from '#cases/messages/messages.ts';
import { MAX_FINDING_FILE_BYTES } from '#seal/case/finding.ts';
import { validateCaseMessage } from '#seal/case/message.ts';
import { sealCaseMessage } from '#seal/case/sealed-message.ts';
import { sealEnvelope } from '#seal/core/envelope.ts';
import { sealFile } from '#seal/files/sealed-file.ts';
import type { Case } from '#store/cases/cases.ts';
import { openWithWords } from '#test/cases/conversation.ts';
import { readSealedCase } from '#test/cases/sealed-case.ts';
import { findCaseByWords, readPrivateKey, requireContent } from '#test/cases/stored-case.ts';
import type { TestShop } from '#test/test-shop.ts';

export interface DeskFindingFile {
  readonly name: string;
  readonly mime: string;
  readonly content: Uint8Array;
}

/** The texts of the messages, opened with the key of the desk. */
export async function readMessagesAtDesk(shop: TestShop, words: string): Promise<string[]> {
  const record = await findCaseByWords(shop, words);
  assert.ok(record);
  const identity = await readPrivateKey(shop.dataDir, 'desk');
  const { messages } = await openSealedCase(await readSealedCase(shop.services, record), identity);
  return messages.map(({ said }) => requireContent(said).text);
}

export async function askFromDesk(
  shop: TestShop,
  words: string,
  text: string,
  does: Pick<SealedMessage, 'callAct'> = {},
): Promise<void> {
  const { id, key, messages } = await openWithWords(shop, words);
  const checked = validateCaseMessage({ text });
  assert.ok('message' in checked);
  const sealed = await sealCaseMessage(key, messages, { by: 'desk', message: checked.message });
  await addCaseMessage(shop.services, id, { by: 'desk', ...sealed, act: 'ask', ...does });
}

export async function deliverFindingFromDesk(
  shop: TestShop,
  words: string,
  markdown: string,
  found: readonly DeskFindingFile[],
): Promise<Case> {
  const { id, key } = await openWithWords(shop, words);
  const uploader = toDeliveryUploader(id);
  const files = [];
  for (const [seq, { name, mime, content }] of found.entries()) {
    const source = { name, mime, content: ReadableStream.from([content]), maxBytes: MAX_FINDING_FILE_BYTES };
    const sealed = await sealFile(key, { kind: 'finding-file.v1', seq }, source);
    files.push(await storeUpload(shop.services, uploader, sealed));
  }
  const facts = found.map(({ name, mime, content }) => ({ name, mime, size: content.length }));
  const finding = await sealEnvelope(key, { kind: 'finding.v1', seq: 0 }, { markdown, files: facts });
  return await deliverSealedFinding(shop.services, id, { finding, files, uploader });
}
