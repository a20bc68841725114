/** Orders bought with a client's token are listed for that client alone. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import type { ClientCredentials } from '#clients/clients.ts';
import { readCheckoutSessionId, startTestShop } from '#test/test-shop.ts';
import { clientCredentialsForm, toOAuthTestApp } from './oauth-test-app.ts';

const shop = await startTestShop({ after });
const testApp = toOAuthTestApp(shop);

async function requestBearerHeader(client: ClientCredentials): Promise<{ authorization: string }> {
  const { json } = await testApp.requestToken(client, clientCredentialsForm);
  return { authorization: `Bearer ${json['access_token']}` };
}

interface OrderPage {
  readonly orders: readonly { id: string; tier: string; status: string; created_at: string }[];
  readonly next?: string;
}

async function listOrders(headers: Record<string, string>, query = ''): Promise<OrderPage> {
  const { status, json, text } = await shop.get(`/api/orders${query}`, { headers });
  assert.equal(status, 200, text);
  return json as unknown as OrderPage;
}

test('an order belongs to the client whose token bought it, and no other client sees it', async () => {
  const authorization = await requestBearerHeader(await testApp.createClient());
  const otherAuthorization = await requestBearerHeader(await testApp.createClient());
  const answer = await shop.postCheckout('Dossier', authorization);
  assert.deepEqual(Object.keys(answer.json), ['url']);
  await shop.postCheckout('Trace');
  const { orders, next } = await listOrders(authorization);
  assert.equal(next, undefined);
  assert.deepEqual(
    orders.map(({ tier, status }) => [tier, status]),
    [['Dossier', 'pending']],
  );
  assert.equal(orders[0]?.id, (await shop.findOrder(readCheckoutSessionId(answer)))?.id);
  assert.deepEqual(await listOrders(otherAuthorization), { orders: [] });
});

test('orders are listed in pages, each once and always in the same order', async () => {
  const authorization = await requestBearerHeader(await testApp.createClient());
  for (let count = 0; count < 5; count += 1) await shop.postCheckout('Trace', authorization);
  const seen: string[] = [];
  let query = '?limit=2';
  for (;;) {
    const { orders, next } = await listOrders(authorization, query);
    seen.push(...orders.map(({ id }) => id));
    if (next === undefined) break;
    query = `?limit=2&after=${next}`;
  }
  assert.equal(new Set(seen).size, 5);
  const all = (await listOrders(authorization)).orders;
  assert.deepEqual(
    seen,
    all.map(({ id }) => id),
  );
});

test('an invalid page size, an unknown parameter and an invented cursor are refused', async () => {
  const authorization = await requestBearerHeader(await testApp.createClient());
  for (const query of ['limit=0', 'limit=101', 'limit=two', 'after=somewhere', 'before=x']) {
    const answer = await shop.get(`/api/orders?${query}`, { headers: authorization });
    assert.deepEqual([answer.status, answer.json['code']], [422, 'validation_failed'], query);
  }
});

test('an Idempotency-Key belongs to its client: the same key of another client, or without one, makes another order', async () => {
  const [first, second] = [
    await requestBearerHeader(await testApp.createClient()),
    await requestBearerHeader(await testApp.createClient()),
  ];
  const key = { 'idempotency-key': 'the-same-key-of-all-callers' };
  const sessions = [];
  for (const client of [first, first, second, {}])
    sessions.push(readCheckoutSessionId(await shop.postCheckout('Trace', { ...client, ...key })));
  assert.equal(sessions[0], sessions[1]);
  assert.equal(new Set(sessions).size, 3);
  assert.equal((await listOrders(first)).orders.length, 1);
});

test('with a token any key will do, and still leads to its order once that is paid', async () => {
  const headers = { ...(await requestBearerHeader(await testApp.createClient())), 'idempotency-key': '1' };
  const session = readCheckoutSessionId(await shop.postCheckout('Trace', headers));
  await shop.sandbox.pay(session);
  const order = await shop.findOrder(session);
  assert.equal(order?.payment, 'paid');
  const again = await shop.postCheckout('Trace', headers);
  assert.deepEqual([again.status, again.json['code']], [409, 'idempotency_key_used']);
  assert.equal(again.headers.location, `${shop.services.addresses.api}/orders/${order?.id}`);
});
