/** Bodies of sealed inquiries: sealed once, with an order and a lookup hash of their own for each request. */
import { randomBytes } from 'node:crypto';
import { generateCaseKey, sealCaseKey } from '#seal/case-key.ts';
import { sealEnvelope } from '#seal/envelope.ts';
import { deriveWordKeys, generateWords, type WordKeys } from '#seal/words.ts';
import { CURRENT_TERMS } from '#test/cases/current-terms.ts';
import { recruiterInquiry } from '#test/cases/sealed-form.ts';
import type { HttpsClient } from '#test/https-client.ts';

export interface BenchInquiry {
  readonly keys: WordKeys;
  /** Stands for any envelope of the case: nobody can tell one from another without the key. */
  readonly envelope: Uint8Array;
  /** `POST /api/inquiries` for a paid order, with words that nobody has, or with those of `keys`. */
  readonly createBody: (orderId: string, lookupHash?: string) => string;
}

export async function sealBenchInquiry(get: HttpsClient): Promise<BenchInquiry> {
  const { json } = await get('/api/sealing-keys');
  const { desk, recovery, set } = json as { desk: string[]; recovery: string; set: string };
  const keys = await deriveWordKeys(generateWords());
  const key = await generateCaseKey(keys);
  const envelope = await sealEnvelope(key, { kind: 'inquiry.v1', seq: 0 }, recruiterInquiry);
  const sealed = {
    sealing_set: set,
    case_key: toText(await sealCaseKey(key, { desk, recovery })),
    envelope: toText(envelope),
  };
  const createBody = (orderId: string, lookupHash = toText(randomBytes(32))) =>
    JSON.stringify({
      order_id: orderId,
      terms_version: CURRENT_TERMS,
      sealed: { lookup_hash: lookupHash, ...sealed },
    });
  return { keys, envelope, createBody };
}

function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}
