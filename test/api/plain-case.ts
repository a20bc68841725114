/** A case that the service sealed, and what its desk writes in it, for the tests of plain reading. */
import assert from 'node:assert/strict';
import { deliverSealedFinding, toDeliveryUploader } from '#cases/delivery.ts';
import { storeUpload } from '#cases/intake/uploads.ts';
import { requireCase } from '#cases/states.ts';
import { MAX_FINDING_FILE_BYTES } from '#seal/case/finding.ts';
import { sealEnvelope } from '#seal/core/envelope.ts';
import { deriveWordLookup, generateWords } from '#seal/core/words.ts';
import { sealFile } from '#seal/files/sealed-file.ts';
import { openStoredCaseKey } from '#test/cases/stored-case.ts';
import type { HttpsResponse } from '#test/https-client.ts';
import { type ApiAgent, type ApiTestbed, samplePlainInquiry } from './api-testbed.ts';

export interface SubmittedPlainCase {
  readonly id: string;
  readonly words: string;
}

export async function openPlainCase(agent: ApiAgent, tier?: string): Promise<SubmittedPlainCase> {
  const { orderId } = await agent.buy(tier);
  const words = generateWords();
  const answer = await agent.submit({ order_id: orderId, plain: { inquiry: samplePlainInquiry, words } });
  assert.equal(answer.status, 201, answer.text);
  return { id: String(answer.json['id']), words };
}

/** Delivers a finding with one file. */
export async function deliverToPlainCase(
  { services, store }: ApiTestbed,
  { id, words }: SubmittedPlainCase,
  { markdown = '# Found', content = 'pages', undoMs = 0 } = {},
): Promise<void> {
  const record = await requireCase(store.records, id, services.clock.now());
  const key = await openStoredCaseKey({ store }, record, deriveWordLookup(words).identity);
  const uploader = toDeliveryUploader(id);
  const name = 'Résumé (1).txt';
  const file = await storeUpload(
    services,
    uploader,
    await sealFile(
      key,
      { kind: 'finding-file.v1', seq: 0 },
      {
        name,
        mime: 'text/plain',
        content: ReadableStream.from([Buffer.from(content)]),
        maxBytes: MAX_FINDING_FILE_BYTES,
      },
    ),
  );
  const facts = { name, mime: 'text/plain', size: content.length };
  const finding = await sealEnvelope(key, { kind: 'finding.v1', seq: 0 }, { markdown, files: [facts] });
  await deliverSealedFinding(services, id, { finding, files: [file], uploader, undoMs });
}

export async function readPlainCase(
  agent: ApiAgent,
  { id, words }: SubmittedPlainCase,
  after?: string,
): Promise<HttpsResponse> {
  return await agent.request('POST', `/cases/${id}/plain`, {
    words,
    ...(after === undefined ? {} : { after }),
  });
}

export async function sendPlainMessage(
  agent: ApiAgent,
  { id, words }: SubmittedPlainCase,
  text: string,
  key?: string,
): Promise<HttpsResponse> {
  const headers = key === undefined ? {} : { 'idempotency-key': key };
  return await agent.request('POST', `/cases/${id}/plain/messages`, { words, text }, headers);
}
