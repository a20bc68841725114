/** One request of every type that people and programs send, each ready to be sent again and again. */
import { generateId } from '#platform/text/ids.ts';
import { samplePlainInquiry } from '#test/api/api-testbed.ts';
import { CURRENT_TERMS } from '#test/cases/current-terms.ts';
import { sameOriginHeaders } from '#test/cases/plain-form.ts';
import type { HttpsClient } from '#test/https-client.ts';
import { buildTokenRequest } from '#test/oauth/oauth-test-app.ts';
import type { BenchLoad } from './load.ts';
import { type BenchOffice, createInquiryLoads, insertPaidOrders, openBenchCase } from './office.ts';

const JSON_CONTENT = { 'content-type': 'application/json' };
const PIECE_BYTES = 256 * 1024;

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
  const words: BenchLoad = {
    path: '/case/sealed',
    method: 'POST',
    headers: { ...sameOriginHeaders, ...JSON_CONTENT, accept: 'application/json' },
    body: JSON.stringify({ lookup_token: lookupToken }),
  };
  const checkout: BenchLoad = {
    path: '/api/stripe/checkout',
    method: 'POST',
    headers: JSON_CONTENT,
    body: '{"tier":"Trace"}',
  };
  return [
    { name: 'look-up by words', load: words },
    { name: 'list of cases', load: { path: '/api/cases', headers } },
    { name: 'read of a case', load: { path: `/api/cases/${id}`, headers } },
    { name: 'read of messages', load: { path: `/api/cases/${id}/messages`, headers } },
    { name: 'list of orders', load: { path: '/api/orders', headers } },
    { name: 'token', load: buildTokenRequest(office.client) },
    { name: 'checkout', load: checkout },
    { name: 'sealed inquiry', load: inquiry },
  ];
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
  const inquiry: BenchLoad = {
    path: '/api/inquiries',
    method: 'POST',
    headers: { ...headers, ...JSON_CONTENT },
    vary: () => ({ body: JSON.stringify({ order_id: unused.pop(), ...terms }) }),
  };
  const upload: BenchLoad = {
    path: '',
    vary: () => ({ path: `/api/orders/${uploading}/uploads/${generateId()}/0` }),
    method: 'PUT',
    headers: { ...headers, 'content-type': 'application/octet-stream' },
    body: 'x'.repeat(PIECE_BYTES),
  };
  return [
    { name: 'health', load: { path: '/api/health' } },
    { name: 'first page', load: { path: '/' } },
    { name: 'page of a case', load: { path: '/case' } },
    { name: 'plain inquiry', load: inquiry },
    { name: 'piece of an upload', load: upload },
  ];
}
