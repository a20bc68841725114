/** Buyers and programs that purchase while things fail, a journal of their answers, and a check that reads all back. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { sealEnvelope } from '#seal/core/envelope.ts';
import { encodeBase64url, toInlineSealedBody } from '#test/api/api-testbed.ts';
import { CURRENT_TERMS } from '#test/cases/current-terms.ts';
import { openPlainForm, postFormFields } from '#test/cases/plain-form.ts';
import { letterFile, sealInquiryForm, sendSealedForm } from '#test/cases/sealed-form.ts';
import type { HttpsClient, HttpsResponse } from '#test/https-client.ts';
import { PATIENCE_MS, waitUntil } from '#test/patience.ts';
import { readCheckoutSessionId } from '#test/test-shop.ts';
import type { OfficeFleet } from './office-fleet.ts';

const BUYERS = 4;
const MESSAGES = 2;
const RETRY_MS = 250;

/** What was acknowledged about one purchase. */
type Purchase =
  | { readonly by: 'person'; readonly words: string }
  | { readonly by: 'program'; readonly caseId: string; readonly orderId: string; readonly sealed: string[] };

export interface LoadJournal {
  readonly purchases: readonly Purchase[];
  /** Answers, including refusals; connections that were cut; refusals with a time to retry. */
  readonly counts: { requests: number; cut: number; refused: number };
  /** Events that must never happen. */
  readonly faults: readonly string[];
}

export interface PurchaseLoad {
  readonly journal: LoadJournal;
  /** Waits until this many more purchases are complete. */
  readonly waitForMore: (count: number) => Promise<void>;
  /** Completes every purchase that has begun, as its buyer would. */
  readonly stop: () => Promise<LoadJournal>;
}

export function startPurchaseLoad(fleet: OfficeFleet): PurchaseLoad {
  const stopping = new AbortController();
  const journal = {
    purchases: [] as Purchase[],
    counts: { requests: 0, cut: 0, refused: 0 },
    faults: [] as string[],
  };
  const patient = { ...fleet, get: createPatientClient(fleet.get, journal) };
  const buyers = Array.from({ length: BUYERS }, async (_none, index) => {
    while (!stopping.signal.aborted) {
      const buy = index % 2 === 0 ? buyAsPerson : buyAsProgram;
      const purchase = await buy(patient);
      journal.purchases.push(purchase);
      // An acknowledged purchase can be read, whichever instance answers and whatever fails now.
      const fault = await findLoss(patient, purchase);
      if (fault) journal.faults.push(fault);
    }
  });
  const ended = Promise.all(buyers);
  const failures: unknown[] = [];
  ended.catch((error: unknown) => failures.push(error));
  return {
    journal,
    waitForMore: async (count) => {
      const wanted = journal.purchases.length + count;
      await waitUntil('more is bought', () => {
        if (failures.length > 0) throw failures[0];
        return journal.purchases.length >= wanted;
      });
    },
    stop: async () => {
      stopping.abort();
      await ended;
      return journal;
    },
  };
}

/** Retries for as long as the service is away; every failure must be one that tells the caller to retry. */
function createPatientClient(get: HttpsClient, journal: PurchaseLoad['journal']): HttpsClient {
  const { counts } = journal;
  return async (path, ask = {}) => {
    for (const deadline = performance.now() + PATIENCE_MS; ; await sleep(RETRY_MS)) {
      counts.requests += 1;
      const answer = await get(path, { ...ask, once: true }).catch(() => null);
      if (answer && answer.status < 500) return answer;
      if (!answer) counts.cut += 1;
      else if (answer.status === 503 && answer.headers['retry-after']) counts.refused += 1;
      else
        (journal.faults as string[]).push(
          `${ask.method} ${path.split('?')[0]}: ${answer.status} ${answer.text}`,
        );
      assert.ok(performance.now() < deadline, `${path.split('?')[0]} was never answered: ${answer?.text}`);
    }
  };
}

const json = { 'content-type': 'application/json' };

async function postJson(
  { get }: Pick<OfficeFleet, 'get'>,
  path: string,
  body: object,
  headers: Record<string, string>,
): Promise<HttpsResponse> {
  return await get(path, { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) });
}

/** Opens the landing page before or after the webhook, and seals as a browser does. */
async function buyAsPerson(fleet: OfficeFleet): Promise<Purchase> {
  const key = { 'idempotency-key': randomUUID() };
  const bought = await postJson(fleet, '/api/stripe/checkout', { tier: 'Trace' }, key);
  const session = readCheckoutSessionId(bought);
  await fleet.sandbox.pay(session);
  const form = await openPlainForm(fleet, session);
  const sealed = await sealInquiryForm(fleet, form, [letterFile]);
  const opened = await sendSealedForm(fleet, form, sealed);
  assert.equal(opened.status, 200, opened.text);
  return { by: 'person', words: sealed.words };
}

/** Never opens the landing page: the service learns of the payment from a webhook or from the submission. */
async function buyAsProgram(fleet: OfficeFleet): Promise<Purchase> {
  const authorization = await fleet.authorize(fleet.get);
  const withKey = () => ({ authorization, 'idempotency-key': randomUUID() });
  const bought = await postJson(fleet, '/api/stripe/checkout', { tier: 'Dossier' }, withKey());
  const session = readCheckoutSessionId(bought);
  const orderId = String(bought.headers.location).split('/').at(-1) ?? '';
  await fleet.sandbox.pay(session);
  const form = await sealInquiryForm(fleet, { paymentRef: orderId });
  const inquiry = { session_id: session, terms_version: CURRENT_TERMS, sealed: toInlineSealedBody(form) };
  const opened = await postJson(fleet, '/api/inquiries', inquiry, withKey());
  assert.equal(opened.status, 201, opened.text);
  const caseId = String(opened.json['id']);
  const messages: string[] = [];
  for (let seq = 0; seq < MESSAGES; seq += 1) {
    const text = { text: `Message ${seq}`, call_windows: [] };
    const sealed = encodeBase64url(await sealEnvelope(form.key, { kind: 'buyer-message.v1', seq }, text));
    const sent = await postJson(fleet, `/api/cases/${caseId}/messages`, { seq, sealed }, withKey());
    assert.equal(sent.status, 201, sent.text);
    messages.push(sealed);
  }
  return { by: 'program', caseId, orderId, sealed: messages };
}

/** Returns null if everything that was acknowledged can be read, once. */
async function findLoss(fleet: OfficeFleet, purchase: Purchase): Promise<string | null> {
  const { get } = fleet;
  if (purchase.by === 'person') {
    const { status, text } = await postFormFields({ get }, '/case', { words: purchase.words });
    return status === 200 && text.includes('CANARY-QUESTION') ? null : `a person’s case is lost: ${status}`;
  }
  const { caseId, orderId, sealed } = purchase;
  const authorization = await fleet.authorize(get);
  const ask = async (path: string) => await get(`/api${path}`, { headers: { authorization } });
  const order = await ask(`/orders/${orderId}`);
  if (order.json['status'] !== 'redeemed') return `an order that opened a case is ${order.text}`;
  const { status, json: list } = await ask(`/cases/${caseId}/messages`);
  const stored = (list['messages'] as { sealed: string }[] | undefined)?.map((message) => message.sealed);
  if (JSON.stringify(stored) === JSON.stringify(sealed)) return null;
  return `a program wrote ${sealed.length} messages, and reads ${stored?.length} of them: ${status}`;
}

/** Reads back all that was acknowledged, and counts what is stored on both sides: nothing lost, nothing doubled. */
export async function assertNothingLostOrDoubled(fleet: OfficeFleet, journal: LoadJournal): Promise<string> {
  const { purchases, counts, faults } = journal;
  const failed = fleet.readOutputs().match(/^.*"(?:request_failed|task_failed)".*$/gm) ?? [];
  assert.deepEqual(faults, [], [...faults, ...failed.slice(-20)].join('\n'));
  await waitUntil('every webhook is taken', async () => {
    const { pending } = await fleet.sandbox.callControl<{ pending: number }>('POST', 'webhooks/flush');
    return pending === 0;
  });
  for (const purchase of purchases) assert.equal(await findLoss(fleet, purchase), null);
  const programs = purchases.filter(({ by }) => by === 'program').length;
  assert.deepEqual(await countStored(fleet), {
    orders: purchases.length,
    redeemed: purchases.length,
    cases: purchases.length,
    messages: programs * MESSAGES,
    sessions: purchases.length,
    charges: purchases.length,
  });
  assert.doesNotMatch(fleet.readOutputs(), /payment_alarm|"code":"internal_error"/);
  return `${counts.requests} requests, ${counts.cut} cut, ${counts.refused} refused; ${purchases.length} purchases acknowledged and verified, ${programs * MESSAGES} messages`;
}

async function countStored({ databaseUrl, dataDir }: OfficeFleet) {
  const client = new Client(databaseUrl);
  await client.connect();
  const { rows } = await client.query<Record<string, string>>(`select
    (select count(*) from orders) as orders,
    (select count(*) from orders where payment = 'paid' and redeemed = 1) as redeemed,
    (select count(*) from cases) as cases,
    (select count(*) from objects where kind like 'buyer-message%') as messages`);
  await client.end();
  const provider = new DatabaseSync(join(dataDir, 'sandbox', 'state.db'), { readOnly: true });
  const count = (kind: string) =>
    Number(provider.prepare('select count(*) as n from objects where kind = ?').get(kind)?.['n']);
  const counted = { sessions: count('checkout.session'), charges: count('charge') };
  provider.close();
  return {
    ...Object.fromEntries(Object.entries(rows[0] ?? {}).map(([name, n]) => [name, Number(n)])),
    ...counted,
  };
}
