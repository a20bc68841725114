/** Builds a repeatable request for every operation that people and programs use. */
import { generateId } from '#platform/text/ids.ts';
import { samplePlainInquiry } from '#test/api/api-testbed.ts';
import { CURRENT_TERMS } from '#test/cases/current-terms.ts';
import { sameOriginHeaders } from '#test/cases/plain-form.ts';
import type { CleanupScope } from '#test/cleanup.ts';
import type { HttpsClient } from '#test/https-client.ts';
import { buildTokenRequest } from '#test/oauth/oauth-test-app.ts';
import {
  SANDBOX_SECRET_KEY,
  SANDBOX_WEBHOOK_SECRETS,
  startSandboxProcess,
  stopSandboxProcess,
} from '#test/sandbox/sandbox-process.ts';
import type { BenchLoad } from './load.ts';
import { type BenchOffice, createInquiryLoad, insertPaidOrders, openBenchCase } from './office.ts';

const JSON_CONTENT = { 'content-type': 'application/json' };
const PIECE_BYTES = 256 * 1024;

/** Returns the settings of a service whose checkout reaches a sandbox, and that sweeps only at its start. */
export async function prepareOperations(t: CleanupScope): Promise<Record<string, string>> {
  const sandbox = await startSandboxProcess();
  t.after(() => stopSandboxProcess(sandbox));
  return {
    STRIPE_SECRET_KEY: SANDBOX_SECRET_KEY,
    STRIPE_WEBHOOK_SECRET: SANDBOX_WEBHOOK_SECRETS.join(','),
    STRIPE_API_URL: sandbox.origin,
    SWEEP_SECONDS: '3600',
  };
}

/** Keyed by the name in the table. `orders` is how many inquiries are sent between two calls of `prepare`. */
export async function createOperationLoads(
  office: BenchOffice,
  get: HttpsClient,
  orders: number,
): Promise<Record<string, BenchLoad>> {
  const { id, lookupToken, headers } = await openBenchCase(office, get);
  const sealedInquiry = await createInquiryLoad(office, get, orders);
  const [uploading = ''] = await insertPaidOrders(office, 1);
  const unused: string[] = [];
  const plain = { terms_version: CURRENT_TERMS, plain: { inquiry: samplePlainInquiry } };
  return {
    'look-up by words': {
      path: '/case/sealed',
      method: 'POST',
      headers: { ...sameOriginHeaders, ...JSON_CONTENT, accept: 'application/json' },
      body: JSON.stringify({ lookup_token: lookupToken }),
    },
    'list of cases': { path: '/api/cases', headers },
    'read of a case': { path: `/api/cases/${id}`, headers },
    'read of messages': { path: `/api/cases/${id}/messages`, headers },
    'list of orders': { path: '/api/orders', headers },
    token: buildTokenRequest(office.client),
    checkout: {
      path: '/api/stripe/checkout',
      method: 'POST',
      headers: JSON_CONTENT,
      body: '{"tier":"Trace"}',
    },
    'sealed inquiry': sealedInquiry,
    health: { path: '/api/health' },
    'first page': { path: '/' },
    'page of a case': { path: '/case' },
    'plain inquiry': {
      path: '/api/inquiries',
      method: 'POST',
      headers: { ...headers, ...JSON_CONTENT },
      vary: () => ({ body: JSON.stringify({ order_id: unused.pop(), ...plain }) }),
      prepare: async () => void unused.push(...(await insertPaidOrders(office, orders - unused.length))),
    },
    'piece of an upload': {
      path: '',
      vary: () => ({ path: `/api/orders/${uploading}/uploads/${generateId()}/0` }),
      method: 'PUT',
      headers: { ...headers, 'content-type': 'application/octet-stream' },
      body: 'x'.repeat(PIECE_BYTES),
    },
  };
}
