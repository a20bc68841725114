/** Stores the content of a release's dump as buyers, a client and the desk would; `released-database.ts` opens it. */
import assert from 'node:assert/strict';
import { deliverSealedFinding, toDeliveryUploader } from '#cases/delivery.ts';
import { generateId } from '#platform/text/ids.ts';
import { sealEnvelope } from '#seal/core/envelope.ts';
import { chainAuditEntries } from '#store/audit-log.ts';
import { type ApiTestbed, openAgentCase } from '#test/api/api-testbed.ts';
import { openWithWords, writeToCase } from '#test/cases/conversation.ts';
import { openPaidForm, postFormFields } from '#test/cases/plain-form.ts';
import {
  letterFile,
  postOpening,
  putUploadPiece,
  sealInquiryForm,
  toOpeningBody,
  uploadSealedPieces,
} from '#test/cases/sealed-form.ts';
import { readPrivateKey } from '#test/cases/stored-case.ts';
import { readRecipientSettings } from '#test/data-folder.ts';

/** Returns the keys, ids and words that open the records. */
export async function storeReleasedRecords(shop: ApiTestbed): Promise<Record<string, string>> {
  const { words, id } = await storeDeliveredCase(shop);
  const contact = { topic: 'press', message: 'May we talk? CANARY-CONTACT' };
  assert.equal((await postFormFields(shop, '/contact', contact)).status, 200);
  const agent = await shop.createAgent();
  const webhook = await agent.request('PUT', '/callback', { url: 'https://agent.example/' });
  assert.equal(webhook.status, 201, webhook.text);
  const agentCase = await openAgentCase(shop, agent);
  const { orderId } = await agent.buy();
  const upload = `/orders/${orderId}/uploads/${generateId()}`;
  // The other pieces never arrive.
  for (const piece of [0, 3])
    assert.equal((await agent.request('PUT', `${upload}/${piece}`, Buffer.from('a piece'))).status, 204);
  return {
    words,
    case: id,
    'desk key': await readPrivateKey(shop.dataDir, 'desk'),
    'agent case': agentCase.id,
    order: orderId,
    client: agent.client.clientId,
    authorization: agent.authorization,
    at: new Date().toISOString(),
    ...(await readRecipientSettings(shop.dataDir)),
  };
}

/** Stores a case of the website with a file in two pieces, a message of the buyer and a finding. */
async function storeDeliveredCase(shop: ApiTestbed): Promise<{ words: string; id: string }> {
  const form = await openPaidForm(shop);
  const sealed = await sealInquiryForm(shop, form, [letterFile]);
  await uploadSealedPieces(shop, form, [sealed.inquiry]);
  const { upload, bytes } = sealed.files[0]!;
  const half = bytes.length >> 1;
  for (const [piece, part] of [bytes.subarray(0, half), bytes.subarray(half)].entries())
    assert.equal((await putUploadPiece(shop, form, { upload, piece }, part)).status, 204);
  const answer = await postOpening(shop, form, toOpeningBody(sealed));
  assert.equal(answer.status, 200, answer.text);
  const { words, key } = sealed;
  await writeToCase(shop, words, 'buyer', 'One more thing. CANARY-MESSAGE');
  const { id } = await openWithWords(shop, words);
  const body = { markdown: 'It is her. CANARY-FINDING', files: [] };
  const finding = await sealEnvelope(key, { kind: 'finding.v1', seq: 0 }, body);
  const uploader = toDeliveryUploader(id);
  await deliverSealedFinding(shop.services, id, { finding, files: [], uploader, seq: 0, undoMs: 0 });
  await chainAuditEntries(shop.store);
  return { words, id };
}
