/** A case that was really opened, with messages of both sides, to be read by its client and with its words. */
import { addCaseMessage } from '#cases/messages.ts';
import { systemClock as clock } from '#platform/clock.ts';
import type { HttpsClient } from '#test/https-client.ts';
import { type BenchOffice, insertPaidOrders } from './office.ts';
import { sealBenchInquiry } from './sealed-inquiry.ts';
import { requestBearer } from './token-request.ts';

const MESSAGES = { buyer: 3, desk: 2 } as const;

export interface OpenedCase {
  readonly id: string;
  readonly lookupToken: string;
  /** What its client sends with every request. */
  readonly headers: { readonly authorization: string };
}

export async function openBenchCase(office: BenchOffice, get: HttpsClient): Promise<OpenedCase> {
  const { envelope, keys, createBody } = await sealBenchInquiry(get);
  const [orderId = ''] = await insertPaidOrders(office, 1);
  const headers = await requestBearer(get, office.client);
  const { json, text } = await get('/api/inquiries', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: createBody(orderId, keys.lookupHash),
  });
  const { id } = json;
  if (typeof id !== 'string') throw new Error(`no case was opened: ${text}`);
  const services = { clock, store: office.store };
  for (const by of ['buyer', 'desk'] as const)
    for (let seq = 0; seq < MESSAGES[by]; seq += 1)
      await addCaseMessage(services, id, { by, seq, sealed: envelope });
  return { id, lookupToken: keys.lookupToken, headers };
}
