/** One request of every type that people and programs send, each ready to be sent again and again. */

import type { BenchLoad } from '#bench/load/measure.ts';
import { generateId } from '#platform/ids.ts';
import { samplePlainInquiry } from '#test/api/api-testbed.ts';
import { CURRENT_TERMS } from '#test/cases/current-terms.ts';
import { sameOriginHeaders } from '#test/cases/plain-form.ts';
import type { HttpsClient } from '#test/https-client.ts';
import { createInquiryLoads } from './inquiry-load.ts';
import { type BenchOffice, insertPaidOrders } from './office.ts';
import { openBenchCase } from './opened-case.ts';
import { buildTokenRequest } from './token-request.ts';

const JSON_CONTENT = { 'content-type': 'application/json' };
const PIECE_BYTES = 256 * 1024;

export const CHECKOUT_REQUEST = {
  path: '/api/stripe/checkout',
  method: 'POST',
  headers: JSON_CONTENT,
  body: '{"tier":"Trace"}',
} as const satisfies BenchLoad;

export interface RequestType {
  readonly name: string;
  readonly load: BenchLoad;
}

/** Those whose cost may grow with what is stored. `orders` is how many inquiries are sent between two calls of `prepare`. */
export async function createRequestTypes(
  office: BenchOffice,
  get: HttpsClient,
  orders: number,
): Promise<RequestType[]> {
  const { id, lookupToken, headers } = await openBenchCase(office, get);
  const { ours: inquiry } = await createInquiryLoads(office, get, orders);
  return [
    { name: 'look-up by words', load: buildWordsRequest(lookupToken) },
    { name: 'list of cases', load: { path: '/api/cases', headers } },
    { name: 'read of a case', load: { path: `/api/cases/${id}`, headers } },
    { name: 'read of messages', load: { path: `/api/cases/${id}/messages`, headers } },
    { name: 'list of orders', load: { path: '/api/orders', headers } },
    { name: 'token', load: buildTokenRequest(office.client) },
    { name: 'checkout', load: CHECKOUT_REQUEST },
    { name: 'sealed inquiry', load: inquiry },
  ];
}

function buildWordsRequest(lookupToken: string): BenchLoad {
  return {
    path: '/case/sealed',
    method: 'POST',
    headers: { ...sameOriginHeaders, ...JSON_CONTENT, accept: 'application/json' },
    body: JSON.stringify({ lookup_token: lookupToken }),
  };
}

/** Those that keep the event loop busy in other ways: pages, sealing, large bodies. */
export async function createOtherRequestTypes(
  office: BenchOffice,
  headers: Record<string, string>,
  orders: number,
): Promise<RequestType[]> {
  const unused = await insertPaidOrders(office, orders);
  const [uploading = ''] = await insertPaidOrders(office, 1);
  const terms = { terms_version: CURRENT_TERMS, plain: { inquiry: samplePlainInquiry } };
  return [
    { name: 'health', load: { path: '/api/health' } },
    { name: 'first page', load: { path: '/' } },
    { name: 'page of a case', load: { path: '/case' } },
    {
      name: 'plain inquiry',
      load: {
        path: '/api/inquiries',
        method: 'POST',
        headers: { ...headers, ...JSON_CONTENT },
        vary: () => ({ body: JSON.stringify({ order_id: unused.pop(), ...terms }) }),
      },
    },
    {
      name: 'piece of an upload',
      load: {
        path: '',
        vary: () => ({ path: `/api/orders/${uploading}/uploads/${generateId()}/0` }),
        method: 'PUT',
        headers: { ...headers, 'content-type': 'application/octet-stream' },
        body: 'x'.repeat(PIECE_BYTES),
      },
    },
  ];
}
