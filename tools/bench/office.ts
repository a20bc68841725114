/** The data folder of a bench, with a client, and the repeatable requests that benches send for programs and people. */
import { randomBytes } from 'node:crypto';
import { addCaseMessage } from '#cases/messages/messages.ts';
import { loadSealingKeys } from '#cases/sealing/sealing-keys.ts';
import { systemClock as clock } from '#platform/clock.ts';
import { readConfig } from '#platform/config/config.ts';
import { SCOPES } from '#platform/scopes.ts';
import { generateId } from '#platform/text/ids.ts';
import { loadKeyring } from '#store/keys/keyring.ts';
import { computeOrderOwnerTag } from '#store/owner.ts';
import { samplePlainInquiry, toInlineSealedBody } from '#test/api/api-testbed.ts';
import { CURRENT_TERMS } from '#test/cases/current-terms.ts';
import { sameOriginHeaders } from '#test/cases/plain-form.ts';
import { sealInquiryForm } from '#test/cases/sealed-form.ts';
import type { CleanupScope } from '#test/cleanup.ts';
import { createDataFolder, readRecipientSettings } from '#test/data-folder.ts';
import type { HttpsClient } from '#test/https-client.ts';
import { createClient } from '#test/oauth/created-client.ts';
import { buildTokenRequest, requestBearer } from '#test/oauth/oauth-test-app.ts';
import {
  SANDBOX_SECRET_KEY,
  SANDBOX_WEBHOOK_SECRETS,
  startSandboxProcess,
} from '#test/sandbox/sandbox-process.ts';
import { openTestStore } from '#test/store/engines.ts';
import { createSampleOrder } from '#test/store/sample-order.ts';
import type { BenchLoad } from './load.ts';

const ORDERS_AT_ONCE = 500;
const JSON_CONTENT = { 'content-type': 'application/json' };
const PIECE_BYTES = 256 * 1024;
const MESSAGES = { buyer: 3, desk: 2 } as const;

export type BenchOffice = Awaited<ReturnType<typeof createBenchOffice>>;

/** `database` has the settings of PostgreSQL; without them it is SQLite. */
export async function createBenchOffice(t: CleanupScope, database: Record<string, string> = {}) {
  const dataDir = await createDataFolder(t);
  // With which the service is started.
  const env: Record<string, string> = {
    ...database,
    ...(await readRecipientSettings(dataDir)),
    DATA_DIR: dataDir,
  };
  const keyring = await loadKeyring(readConfig(env));
  const store = await openTestStore(t, { env });
  const wanted = { name: 'bench', scopes: SCOPES, grants: ['client_credentials'], redirectUris: [] } as const;
  const client = await createClient({ store, clock }, { ...wanted, credentials: 'bearer' });
  return { dataDir, store, keyring, client, env };
}

/** Returns the ids of the orders. */
async function insertPaidOrders({ store, keyring, client }: BenchOffice, count: number): Promise<string[]> {
  const owner = computeOrderOwnerTag(keyring, { clientId: client.clientId, userId: null });
  const now = clock.now();
  const ids = Array.from({ length: count }, generateId);
  for (let at = 0; at < count; at += ORDERS_AT_ONCE) {
    const orders = ids
      .slice(at, at + ORDERS_AT_ONCE)
      .map((id) => createSampleOrder({ id, owner, payment: 'paid', created_at: now, expires_at: now }));
    await store.transaction((records) => records.insertInto('orders').values(orders).execute());
  }
  return ids;
}

/** Seals once. Each body names its own order, and the hash of random words or of the form's words. */
async function sealInquiry({ env }: BenchOffice) {
  const services = { sealingKeys: loadSealingKeys(readConfig(env)) };
  const form = await sealInquiryForm({ services }, { paymentRef: '' });
  const sealed = { ...toInlineSealedBody(form), sealing_set: form.recipientSet };
  const createBody = (orderId: string, lookupHash = randomBytes(32).toString('base64url')) =>
    JSON.stringify({
      order_id: orderId,
      terms_version: CURRENT_TERMS,
      sealed: { ...sealed, lookup_hash: lookupHash },
    });
  return { form, createBody };
}

/** Each request redeems a paid order; `ordersForRound` of them are stored before each round. */
export async function createInquiryLoad(
  office: BenchOffice,
  get: HttpsClient,
  ordersForRound: number,
): Promise<BenchLoad> {
  const { createBody } = await sealInquiry(office);
  const orders: string[] = [];
  return {
    path: '/api/inquiries',
    method: 'POST',
    headers: { ...JSON_CONTENT, ...(await requestBearer(get, office.client)) },
    vary: () => ({ body: createBody(orders.pop() ?? generateId()) }),
    prepare: async () => {
      orders.push(...(await insertPaidOrders(office, ordersForRound - orders.length)));
    },
  };
}

interface OpenedCase {
  readonly id: string;
  readonly lookupToken: string;
  /** What its client sends with every request. */
  readonly headers: { readonly authorization: string };
}

/** Opens a real case with messages of both sides; both its client and its words can read it. */
export async function openBenchCase(office: BenchOffice, get: HttpsClient): Promise<OpenedCase> {
  const { form, createBody } = await sealInquiry(office);
  const [orderId = ''] = await insertPaidOrders(office, 1);
  const headers = await requestBearer(get, office.client);
  const { json, text } = await get('/api/inquiries', {
    method: 'POST',
    headers: { ...JSON_CONTENT, ...headers },
    body: createBody(orderId, form.keys.lookupHash),
  });
  const { id } = json;
  if (typeof id !== 'string') throw new Error(`no case was opened: ${text}`);
  for (const by of ['buyer', 'desk'] as const)
    for (let seq = 0; seq < MESSAGES[by]; seq += 1)
      // Reuses the inquiry's envelope as the message: without the key they cannot be distinguished.
      await addCaseMessage({ clock, store: office.store }, id, { by, seq, sealed: form.inquiry.bytes });
  return { id, lookupToken: form.keys.lookupToken, headers };
}

/** Returns the settings of a service whose checkout reaches a sandbox, and that sweeps only at its start. */
export async function prepareOperations(t: CleanupScope): Promise<Record<string, string>> {
  const sandbox = await startSandboxProcess(t);
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
