/** The service with agents that buy, submit and follow cases through the API alone. */
import assert from 'node:assert/strict';
import type { ClientCredentials, NewClient } from '#clients/clients.ts';
import { sealEnvelope } from '#seal/core/envelope.ts';
import { CURRENT_TERMS } from '#test/cases/current-terms.ts';
import type { FormFile } from '#test/cases/plain-form.ts';
import {
  type SealedForm,
  sealInquiryForm,
  splitIntoPieces,
  toUploadReference,
} from '#test/cases/sealed-form.ts';
import type { CleanupScope } from '#test/cleanup.ts';
import type { HttpsResponse } from '#test/https-client.ts';
import { type OAuthTestApp, toOAuthTestApp } from '#test/oauth/oauth-test-app.ts';
import { waitUntil } from '#test/patience.ts';
import type { TestAppOptions } from '#test/test-app.ts';
import { readCheckoutSessionId, shareTestShop, startTestShop, type TestShop } from '#test/test-shop.ts';

export interface ApiAgent {
  readonly client: ClientCredentials;
  readonly authorization: string;
  readonly request: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Headers,
  ) => Promise<HttpsResponse>;
  /** Buys and pays an order that belongs to this client. */
  readonly buy: (tier?: string) => Promise<PaidCheckout>;
  readonly submit: (body: object, headers?: Headers) => Promise<HttpsResponse>;
}

type Headers = Record<string, string>;

export interface PaidCheckout {
  readonly orderId: string;
  readonly sessionId: string;
}

export interface ApiTestbed extends TestShop {
  readonly oauth: OAuthTestApp;
  readonly createAgent: (changes?: Partial<NewClient>) => Promise<ApiAgent>;
  /** The same client with another token. */
  readonly createAgentWithToken: (client: ClientCredentials, authorization: string) => ApiAgent;
}

let sharedTestbed: Promise<ApiTestbed> | undefined;

/** One testbed for all files of a process that change neither its settings nor its clock. */
export async function shareApiTestbed(): Promise<ApiTestbed> {
  sharedTestbed ??= shareTestShop().then(toApiTestbed);
  return await sharedTestbed;
}

export async function openApiTestbed(owner: CleanupScope, changes: TestAppOptions = {}): Promise<ApiTestbed> {
  return toApiTestbed(await startTestShop(owner, changes));
}

function toApiTestbed(shop: TestShop): ApiTestbed {
  const oauth = toOAuthTestApp(shop);
  const createAgentWithToken: ApiTestbed['createAgentWithToken'] = (client, authorization) => {
    const sendRequest: ApiAgent['request'] = (method, path, body, headers = {}) =>
      shop.get(`/api${path}`, { method, ...buildRequestContent(body, { authorization, ...headers }) });
    return {
      client,
      authorization,
      request: sendRequest,
      buy: (tier = 'Trace') => buyAndPay(shop, tier, { authorization }),
      submit: (body, headers) =>
        sendRequest('POST', '/inquiries', { terms_version: CURRENT_TERMS, ...body }, headers),
    };
  };
  return {
    ...shop,
    oauth,
    createAgentWithToken,
    createAgent: async (wanted) => {
      const client = await oauth.createClient(wanted);
      return createAgentWithToken(client, await oauth.obtainBearer(client));
    },
  };
}

function buildRequestContent(body: unknown, headers: Headers) {
  if (body === undefined) return { headers };
  if (body instanceof Uint8Array)
    return { headers: { 'content-type': 'application/octet-stream', ...headers }, body };
  return { headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

/** Buys and pays an order; with a token in the headers, the order belongs to that client. */
export async function buyAndPay(shop: TestShop, tier: string, headers: Headers = {}): Promise<PaidCheckout> {
  const sessionId = readCheckoutSessionId(await shop.postCheckout(tier, headers));
  await shop.sandbox.pay(sessionId);
  return await waitUntil('it is paid', async () => {
    const order = await shop.findOrder(sessionId);
    return order?.payment === 'paid' && { orderId: order.id, sessionId };
  });
}

export const samplePlainInquiry = {
  alias: 'Robin',
  question: 'Is this recruiter who she says she is? CANARY-PLAIN',
  subject: 'A recruiter',
  jurisdiction: 'FR',
  safety_risk: 'none',
  subject_is_protected: 'no',
  lawful_purpose: true,
} as const;

/** Seals an inquiry as an agent does before it sends anything. */
export async function sealInquiryForOrder(
  shop: TestShop,
  { orderId }: Pick<PaidCheckout, 'orderId'>,
  files: readonly FormFile[] = [],
): Promise<SealedForm> {
  return await sealInquiryForm(shop, { paymentRef: orderId }, files);
}

/** A submission with the sealed inquiry in the body itself. */
export function toInlineSealedBody({ keys, caseKey, inquiry, files }: SealedForm) {
  return {
    lookup_hash: keys.lookupHash,
    case_key: encodeBase64url(caseKey),
    envelope: encodeBase64url(inquiry.bytes),
    ...(files.length > 0 ? { files: files.map(toUploadReference) } : {}),
  };
}

/** Seals a message of the buyer in the form that the API accepts. */
export async function sealBuyerMessage(
  { form }: Pick<AgentCase, 'form'>,
  text = 'x',
  seq = 0,
): Promise<string> {
  const place = { kind: 'buyer-message.v1', seq } as const;
  return encodeBase64url(await sealEnvelope(form.key, place, { text, call_windows: [] }));
}

export async function uploadSealedFiles(
  agent: ApiAgent,
  { orderId }: PaidCheckout,
  { inquiry, files }: SealedForm,
): Promise<void> {
  for (const upload of [inquiry, ...files])
    for (const [piece, bytes] of splitIntoPieces(upload).entries()) {
      const path = `/orders/${orderId}/uploads/${upload.upload}/${piece}`;
      const answer = await agent.request('PUT', path, bytes);
      assert.equal(answer.status, 204, answer.text);
    }
}

export interface AgentCase extends PaidCheckout {
  readonly form: SealedForm;
  readonly id: string;
}

/** Opens a case with an inquiry that the agent has sealed. */
export async function openAgentCase(shop: TestShop, agent: ApiAgent, tier = 'Trace'): Promise<AgentCase> {
  const bought = await agent.buy(tier);
  const form = await sealInquiryForOrder(shop, bought);
  const answer = await agent.submit({ order_id: bought.orderId, sealed: toInlineSealedBody(form) });
  assert.equal(answer.status, 201, answer.text);
  return { ...bought, form, id: String(answer.json['id']) };
}

export function encodeBase64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}

export function assertProblem(answer: HttpsResponse, status: number, code: string): void {
  assert.deepEqual([answer.status, answer.json['code']], [status, code], answer.text);
  assert.equal(answer.headers['content-type'], 'application/problem+json');
}
