/** The service with agents that buy, submit and follow cases through the API alone. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Credentials, NewClient } from '#clients/clients.ts';
import type { Changes } from '#test/built-app.ts';
import type { SentFile } from '#test/cases/plain-form.ts';
import { piecesOf, type SealedForm, sealedForm, uploadOf } from '#test/cases/sealed-form.ts';
import type { Owner } from '#test/folder.ts';
import type { Answer } from '#test/https-client.ts';
import { machineForm, type OAuthOffice, officeOf } from '#test/oauth/office.ts';
import { openShop, type Shop, sessionIdOf } from '#test/shop.ts';

export interface Agent {
  readonly who: Credentials;
  readonly authorization: string;
  readonly ask: (method: string, path: string, body?: unknown, headers?: Headers) => Promise<Answer>;
  /** A checkout of its own, paid. */
  readonly buy: (tier?: string) => Promise<Bought>;
  readonly submit: (body: object, headers?: Headers) => Promise<Answer>;
}

type Headers = Record<string, string>;

export interface Bought {
  readonly orderId: string;
  readonly sessionId: string;
}

export interface Agency extends Shop {
  readonly office: OAuthOffice;
  readonly agent: (changes?: Partial<NewClient>) => Promise<Agent>;
  /** The same client with another token. */
  readonly agentWith: (who: Credentials, authorization: string) => Agent;
}

export async function openAgency(owner: Owner, changes: Changes = {}): Promise<Agency> {
  const shop = await openShop(owner, changes);
  const office = officeOf(shop);
  const agentWith: Agency['agentWith'] = (who, authorization) => {
    const ask: Agent['ask'] = (method, path, body, headers = {}) =>
      shop.get(`/api${path}`, { method, ...contentOf(body, { authorization, ...headers }) });
    return {
      who,
      authorization,
      ask,
      buy: (tier = 'Trace') => buy(shop, tier, { authorization }),
      submit: (body, headers) => ask('POST', '/inquiries', { terms_version: '2026-11', ...body }, headers),
    };
  };
  return {
    ...shop,
    office,
    agentWith,
    agent: async (wanted) => {
      const who = await office.client(wanted);
      const { json } = await office.token(who, machineForm);
      return agentWith(who, `Bearer ${json['access_token']}`);
    },
  };
}

function contentOf(body: unknown, headers: Headers) {
  if (body === undefined) return { headers };
  if (body instanceof Uint8Array)
    return { headers: { 'content-type': 'application/octet-stream', ...headers }, body };
  return { headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

/** As anyone buys it; with a token it is that client's. */
export async function buy(shop: Shop, tier: string, headers: Headers = {}): Promise<Bought> {
  const sessionId = sessionIdOf(await shop.checkout(tier, headers));
  await shop.sandbox.pay(sessionId);
  const deadline = Date.now() + 10_000;
  for (;;) {
    const order = await shop.order(sessionId);
    if (order?.payment === 'paid') return { orderId: order.id, sessionId };
    assert.ok(Date.now() < deadline, 'never paid');
    await sleep(10);
  }
}

export const told = {
  alias: 'Robin',
  question: 'Is this recruiter who she says she is? CANARY-PLAIN',
  subject: 'A recruiter',
  jurisdiction: 'FR',
  safety_risk: 'none',
  subject_is_protected: 'no',
  lawful_purpose: true,
} as const;

/** What an agent makes of its inquiry before it sends anything. */
export async function sealFor(
  shop: Shop,
  { orderId }: Pick<Bought, 'orderId'>,
  files: readonly SentFile[] = [],
): Promise<SealedForm> {
  return await sealedForm(shop, { paymentRef: orderId }, files);
}

/** With the envelope in the body itself. */
export function inlined({ keys, caseKey, inquiry, files }: SealedForm) {
  return {
    lookup_hash: keys.lookupHash,
    case_key: base64url(caseKey),
    envelope: base64url(inquiry.bytes),
    ...(files.length > 0 ? { files: files.map(uploadOf) } : {}),
  };
}

export async function uploadFiles(
  agent: Agent,
  { orderId }: Bought,
  { inquiry, files }: SealedForm,
): Promise<void> {
  for (const thing of [inquiry, ...files])
    for (const [piece, bytes] of piecesOf(thing).entries()) {
      const answer = await agent.ask('PUT', `/orders/${orderId}/uploads/${thing.upload}/${piece}`, bytes);
      assert.equal(answer.status, 204, answer.text);
    }
}

export interface OwnCase extends Bought {
  readonly form: SealedForm;
  readonly id: string;
}

/** A case of the agent's own, sealed by it. */
export async function openOwnCase(shop: Shop, agent: Agent, tier = 'Trace'): Promise<OwnCase> {
  const bought = await agent.buy(tier);
  const form = await sealFor(shop, bought);
  const answer = await agent.submit({ order_id: bought.orderId, sealed: inlined(form) });
  assert.equal(answer.status, 201, answer.text);
  return { ...bought, form, id: String(answer.json['id']) };
}

export function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}

export function isProblem(answer: Answer, status: number, code: string): void {
  assert.deepEqual([answer.status, answer.json['code']], [status, code], answer.text);
  assert.equal(answer.headers['content-type'], 'application/problem+json');
}
