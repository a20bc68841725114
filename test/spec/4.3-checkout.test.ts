/** Specification 4.3 and 2.2: a checkout session of a tier, and the return from it. */
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import test, { after, beforeEach, suite } from 'node:test';
import { sql } from 'kysely';
import { waitUntil } from '#test/patience.ts';
import { readCheckoutSessionId, startTestShop } from '#test/test-shop.ts';

const { postCheckout, get, readLog, createSession, findOrder, origin, sandbox, store } = await startTestShop({
  after,
});
const CREATE = 'POST /v1/checkout/sessions';

beforeEach(() => sandbox.setFaults());

const prices = { Trace: 9_900, Dossier: 19_900, 'Deep Sweep': 29_900 };

suite('a checkout', () => {
  for (const [tier, amount] of Object.entries(prices))
    test(`of ${tier} asks the provider for ${amount} cents and answers with the address alone`, async () => {
      const answer = await postCheckout(tier);
      assert.equal(answer.status, 200);
      assert.deepEqual(Object.keys(answer.json), ['url']);
      assert.ok(URL.canParse(String(answer.json['url'])));

      const { params, idempotency_key } = (await sandbox.readCalls()).session_creates[0]!;
      const row = (await findOrder(readCheckoutSessionId(answer)))!;
      assert.equal(idempotency_key, `order-${row.id}`);
      assert.deepEqual(params, {
        mode: 'payment',
        line_items: [
          {
            quantity: '1',
            price_data: {
              currency: 'usd',
              unit_amount: String(amount),
              product_data: {
                name:
                  { Trace: 'Online research, basic', Dossier: 'Online research, extended' }[tier] ??
                  'Online research, full',
                description: 'Delivered online within 48 hours.',
              },
            },
          },
        ],
        allowed_payment_method_types: ['card'],
        adaptive_pricing: { enabled: 'false' },
        customer_creation: 'if_required',
        client_reference_id: row.id,
        metadata: { order_id: row.id },
        payment_intent_data: {
          metadata: { order_id: row.id },
          statement_descriptor_suffix: 'ONLINE RESEARCH',
        },
        success_url: `${origin}/inquiry?tier=${tier.replace(' ', '%20')}&session_id={CHECKOUT_SESSION_ID}`,
        cancel_url: `${origin}/payment-cancelled`,
        expires_at: String(Math.floor(row.created_at / 1_000) + 3_600),
      });
    });

  test('takes the site’s address from the configuration, not from the request', async () => {
    await postCheckout('Trace', { host: 'elsewhere.example', 'x-forwarded-host': 'elsewhere.example' });
    const [{ params } = { params: {} }] = (await sandbox.readCalls()).session_creates;
    assert.ok(!JSON.stringify(params).includes('elsewhere'));
  });

  test('pays and returns to the inquiry page, with the space of Deep Sweep encoded', async () => {
    const sessionId = await createSession('Deep Sweep');
    const { redirect } = await sandbox.pay(sessionId);
    assert.equal(redirect, `${origin}/inquiry?tier=Deep%20Sweep&session_id=${sessionId}`);
    assert.equal((await findOrder(sessionId))?.payment, 'paid');
  });

  test('leads to addresses that answer', async () => {
    assert.equal((await get('/payment-cancelled')).status, 200);
  });
});

suite('a body that is wrong', () => {
  const cases: [name: string, status: number, body: string, type?: string][] = [
    ['of an unknown tier', 422, '{"tier":"Gold"}'],
    ['with a price of its own', 422, '{"tier":"Trace","price":1}'],
    ['with a number for a tier', 422, '{"tier":1}'],
    ['with a list of tiers', 422, '{"tier":["Trace"]}'],
    ['without a tier', 422, '{}'],
    ['that is empty', 400, ''],
    ['that names the tier twice', 400, '{"tier":"Trace","tier":"Trace"}'],
    ['that is a form', 415, 'tier=Trace', 'application/x-www-form-urlencoded'],
  ];
  for (const [name, status, body, type = 'application/json'] of cases)
    test(`${name} is ${status}, and neither the provider nor the store hears of it`, async () => {
      const before = await countOrders();
      const headers = { 'content-type': type };
      const answer = await get('/api/stripe/checkout', { method: 'POST', headers, body });
      assert.deepEqual([answer.status, answer.headers['content-type']], [status, 'application/problem+json']);
      assert.deepEqual((await sandbox.readCalls()).counts, {});
      assert.equal(await countOrders(), before);
    });
});

suite('an Idempotency-Key', () => {
  test('gives the same address for the same body, one order, one session', async () => {
    const key = { 'idempotency-key': 'same-checkout-of-test-0001' };
    const before = await countOrders();
    const [first, again] = [await postCheckout('Dossier', key), await postCheckout('Dossier', key)];
    assert.equal(first.text, again.text);
    assert.equal(await countOrders(), before + 1);
  });

  test('with another body is 422', async () => {
    const key = { 'idempotency-key': 'same-checkout-of-test-0003' };
    await postCheckout('Dossier', key);
    const answer = await postCheckout('Trace', key);
    assert.deepEqual([answer.status, answer.json['code']], [422, 'idempotency_key_reused']);
  });

  test('that is no key is 400', async () => {
    for (const key of ['with blank', 'x'.repeat(256), ''])
      assert.equal((await postCheckout('Trace', { 'idempotency-key': key })).status, 400, key);
  });

  test('that others could guess is 400 without a token, and says how to make one', async () => {
    const before = await countOrders();
    for (const key of ['1', 'my-purchase', 'x'.repeat(21), `${'x'.repeat(22)}!`, `"${randomUUID()}"`]) {
      const answer = await postCheckout('Trace', { 'idempotency-key': key });
      assert.deepEqual([answer.status, answer.json['code']], [400, 'idempotency_key_weak'], key);
      assert.match(String(answer.json['detail']), /UUID/);
    }
    assert.equal(await countOrders(), before);
    for (const key of [randomUUID(), randomUUID().toUpperCase(), randomBytes(16).toString('base64url')])
      assert.equal((await postCheckout('Trace', { 'idempotency-key': key })).status, 200, key);
  });

  const leavings: [name: string, leave: (session: string) => Promise<unknown>][] = [
    ['paid', (session) => sandbox.pay(session)],
    ['paid, but we have not heard of it', (session) => payUnheard(session)],
    ['being processed', (session) => sandbox.pay(session, 'pay_later')],
  ];
  for (const [name, leave] of leavings)
    test(`never gives out a session that is ${name}`, async () => {
      const key = { 'idempotency-key': randomUUID() };
      const session = readCheckoutSessionId(await postCheckout('Trace', key));
      await leave(session);
      const before = await countOrders();
      const answer = await postCheckout('Trace', key);
      assert.deepEqual([answer.status, answer.json['code']], [409, 'idempotency_key_used']);
      assert.ok(!answer.text.includes(session));
      assert.match(String(answer.json['detail']), /new key/);
      assert.equal(await countOrders(), before);
    });

  test('whose page ran out or was closed unpaid gets a new order, not a dead page', async () => {
    const key = { 'idempotency-key': 'same-checkout-of-test-0005' };
    const first = await postCheckout('Trace', key);
    await sql`update orders set expires_at = ${Date.now() - 1}, created_at = 0 where session_tag = ${
      (await findOrder(readCheckoutSessionId(first)))?.session_tag
    }`.execute(store.records);
    const second = await postCheckout('Trace', key);
    assert.equal(second.status, 200);
    assert.notEqual(second.text, first.text);
    assert.equal((await postCheckout('Trace', key)).text, second.text);
    await sandbox.callApi('POST', `checkout/sessions/${readCheckoutSessionId(second)}/expire`);
    const third = await postCheckout('Trace', key);
    assert.equal(third.status, 200);
    assert.notEqual(third.text, second.text);
  });

  test('for which the provider now gives another session is refused, and that session closed', async () => {
    const key = { 'idempotency-key': 'same-checkout-of-test-0006' };
    const { id } = (await findOrder(readCheckoutSessionId(await postCheckout('Trace', key))))!;
    await sql`update orders set session_tag = 'of another session' where id = ${id}`.execute(store.records);
    const answer = await postCheckout('Trace', key);
    assert.equal(answer.json['code'], 'payment_provider_unavailable');
    assert.match(readLog(), /"reason":"two sessions for one order"/);
    assert.ok((await sandbox.readCalls()).counts['POST /v1/checkout/sessions/{id}/expire']);
  });

  test('heals a lost answer: the second attempt gets the session of the first', async () => {
    const key = { 'idempotency-key': 'same-checkout-of-test-0004' };
    await sandbox.setFaults({ api: [{ match: CREATE, status: 500, times: 3, after_effect: true }] });
    await postCheckout('Trace', key);
    const answer = await postCheckout('Trace', key);
    assert.equal(answer.status, 200);
    const { session_creates } = await sandbox.readCalls();
    assert.equal(new Set(session_creates.map(({ idempotency_key }) => idempotency_key)).size, 1);
  });
});

suite('a provider in trouble', () => {
  const assertCheckoutRefused = async (
    faults: object[],
    code = 'payment_provider_unavailable',
    status = 503,
  ) => {
    await sandbox.setFaults({ api: faults.map((fault) => ({ match: CREATE, ...fault })) });
    const answer = await postCheckout('Trace');
    assert.deepEqual([answer.status, answer.json['code']], [status, code]);
    if (status === 503) assert.ok(answer.headers['retry-after']);
    return answer;
  };

  test('that fails once is asked again and makes one session', async () => {
    await sandbox.setFaults({ api: [{ match: CREATE, status: 503, times: 1 }] });
    assert.equal((await postCheckout('Trace')).status, 200);
    const { counts, session_creates } = await sandbox.readCalls();
    assert.equal(counts[CREATE], 2);
    assert.deepEqual(session_creates[0], session_creates[1]);
  });

  test('that keeps failing is 503, and leaves no order of a purchase that cannot be repeated', async () => {
    const before = await countOrders();
    await assertCheckoutRefused([{ status: 500 }]);
    await assertCheckoutRefused([{ status: 500, after_effect: true }]);
    assert.equal(await countOrders(), before);
  });

  for (const [what, fault] of Object.entries({
    'limits our rate': { status: 429 },
    'drops connections': { reset: true },
  }))
    test(`that ${what} is 503`, async () => void (await assertCheckoutRefused([fault])));

  test('that refuses our request is our mistake: 500 without its words', async () => {
    const answer = await assertCheckoutRefused([{ status: 400 }], 'internal_error', 500);
    assert.match(readLog(), /"reason":"provider refuses our request"/);
    assert.ok(!/sandbox|stripe\.com/i.test(answer.text.replace(origin, '')));
  });

  test('that hangs is 503 in the end; at most 32 wait for it and the next is refused at once', async () => {
    await sandbox.setFaults({ api: [{ match: CREATE, hang: true }] });
    const waiting = Array.from({ length: 32 }, () => postCheckout('Trace'));
    const countCreates = async () => (await sandbox.readCalls()).counts[CREATE] ?? 0;
    await waitUntil('all of them wait', async () => (await countCreates()) >= waiting.length);
    const next = await postCheckout('Trace');
    assert.equal(next.json['code'], 'payment_provider_unavailable');
    assert.equal(await countCreates(), waiting.length, 'refused without asking');
    assert.equal((await get('/api/health')).status, 200);
    for (const { status } of await Promise.all(waiting)) assert.equal(status, 503);
  });
});

/** Pays as a buyer of whose payment neither webhook nor landing informs the service. */
async function payUnheard(session: string): Promise<void> {
  await sandbox.setFaults({ webhooks: { lose: true } });
  await sandbox.pay(session);
  assert.equal((await findOrder(session))?.payment, 'pending');
}

async function countOrders(): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from orders`.execute(store.records);
  return rows[0]!.n;
}
