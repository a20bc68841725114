/** Checkout sessions as the SDK sees them: created, found, listed, expanded, expired, refused. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import * as fc from 'fast-check';
import type { Stripe } from 'stripe';
import { toObjectId } from '#sandbox/state.ts';
import {
  buildCheckoutParameters,
  buyInSandbox,
  type SandboxProcess,
  startSandboxProcess,
  stopSandboxProcess,
} from './sandbox-process.ts';

suite('checkout sessions', () => {
  let sandbox: SandboxProcess;
  before(async () => {
    sandbox = await startSandboxProcess();
  });
  after(() => stopSandboxProcess(sandbox));

  const expectRefusal = async (parameters: unknown): Promise<Stripe.errors.StripeInvalidRequestError> => {
    const attempt = sandbox.stripe.checkout.sessions.create(
      parameters as Stripe.Checkout.SessionCreateParams,
    );
    const error = await attempt.then(
      () => assert.fail('accepted'),
      (reason: unknown) => reason as Stripe.errors.StripeInvalidRequestError,
    );
    assert.equal(error.type, 'StripeInvalidRequestError');
    assert.equal(error.statusCode, 400);
    return error;
  };

  test('a new session is open, unpaid and has no intent yet', async () => {
    const expires_at = Math.floor(Date.now() / 1000) + 3600;
    const session = await sandbox.stripe.checkout.sessions.create(
      buildCheckoutParameters({
        adaptive_pricing: { enabled: false },
        allowed_payment_method_types: ['card'],
        client_reference_id: 'order-1',
        customer_creation: 'if_required',
        expires_at,
        metadata: { order_id: 'order-1' },
        payment_intent_data: { metadata: { order_id: 'order-1' }, statement_descriptor_suffix: 'SERVICE' },
      }),
    );
    assert.match(session.id, /^cs_test_[0-9A-Za-z]{58}$/);
    assert.equal(session.url, `${sandbox.origin}/c/pay/${session.id}`);
    assert.equal(session.amount_total, 29_900);
    assert.equal(session.currency, 'usd');
    assert.equal(session.livemode, false);
    assert.equal(session.status, 'open');
    assert.equal(session.payment_status, 'unpaid');
    assert.equal(session.payment_intent, null);
    assert.equal(session.expires_at, expires_at);
    assert.equal(session.client_reference_id, 'order-1');
    assert.deepEqual(session.allowed_payment_method_types, ['card']);
    assert.equal(
      session.success_url,
      buildCheckoutParameters().success_url,
      'the space and the braces stay byte for byte',
    );
    assert.match(session.lastResponse.requestId, /^req_/);

    const again = await sandbox.stripe.checkout.sessions.retrieve(session.id);
    assert.deepEqual({ ...again, lastResponse: null }, { ...session, lastResponse: null });
  });

  test('any metadata comes back as it was sent', async () => {
    const value = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
      .filter((text) => text.isWellFormed());
    const key = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_ .&=+%-]{0,30}$/);
    await fc.assert(
      fc.asyncProperty(fc.dictionary(key, value, { maxKeys: 5, noNullPrototype: true }), async (metadata) => {
        const session = await sandbox.stripe.checkout.sessions.create(buildCheckoutParameters({ metadata }));
        assert.deepEqual(session.metadata, metadata);
      }),
      { numRuns: 25 },
    );
  });

  test('an unknown, missing, wrong or too long parameter is refused by its name', async () => {
    const [item] = buildCheckoutParameters().line_items!;
    const withPriceData = (changes: object) => ({
      line_items: [{ ...item, price_data: { ...item!.price_data, ...changes } }],
    });
    const wrong: [changes: object, param: string][] = [
      [{ payment_method_types: ['card'] }, 'payment_method_types'],
      [{ payment_intent_data: { sufix: 'x' } }, 'payment_intent_data[sufix]'],
      [
        withPriceData({ product_data: { name: 'x', nmae: 'y' } }),
        'line_items[0][price_data][product_data][nmae]',
      ],
      [{ success_url: undefined }, 'success_url'],
      [{ success_url: '/inquiry' }, 'success_url'],
      [{ line_items: [{ price_data: item!.price_data }] }, 'line_items[0][quantity]'],
      [withPriceData({ unit_amount: 1.5 }), 'line_items[0][price_data][unit_amount]'],
      [withPriceData({ currency: 'dollars' }), 'line_items[0][price_data][currency]'],
      [{ client_reference_id: 'x'.repeat(201) }, 'client_reference_id'],
      [{ client_reference_id: '' }, 'client_reference_id'],
      [{ metadata: { ['k'.repeat(41)]: 'x' } }, `metadata[${'k'.repeat(41)}]`],
      [{ metadata: { k: 'x'.repeat(501) } }, 'metadata[k]'],
      [{ adaptive_pricing: { enabled: 'maybe' } }, 'adaptive_pricing[enabled]'],
      [{ mode: 'subscription' }, 'mode'],
    ];
    for (const [changes, param] of wrong)
      assert.equal((await expectRefusal({ ...buildCheckoutParameters(), ...changes })).param, param);
  });

  test('an expiry or a total outside the provider’s limits is refused', async () => {
    const now = Math.floor(Date.now() / 1000);
    const [item] = buildCheckoutParameters().line_items!;
    const cheap = [{ ...item, price_data: { ...item!.price_data, unit_amount: 10 } }];
    for (const changes of [{ expires_at: now + 60 }, { expires_at: now + 90_000 }, { line_items: cheap }])
      await expectRefusal({ ...buildCheckoutParameters(), ...changes });
  });

  test('expand puts objects in the place of ids, and refuses what does not exist', async () => {
    const paid = await buyInSandbox(sandbox);
    const expand = ['payment_intent.latest_charge'];
    const session = await sandbox.stripe.checkout.sessions.retrieve(paid.id, { expand });
    const intent = session.payment_intent as Stripe.PaymentIntent;
    assert.equal((intent.latest_charge as Stripe.Charge).amount, 29_900);

    await assert.rejects(sandbox.stripe.checkout.sessions.retrieve(paid.id, { expand: ['nothing'] }), {
      statusCode: 400,
      param: 'expand',
    });
  });

  test('a list is newest first, as long as it may be, and narrows by intent', async () => {
    const createdIds: string[] = [];
    for (let n = 0; n < 5; n += 1)
      createdIds.unshift((await sandbox.stripe.checkout.sessions.create(buildCheckoutParameters())).id);
    const listIds = (page: Stripe.ApiList<Stripe.Checkout.Session>) => page.data.map((session) => session.id);
    const sessions = sandbox.stripe.checkout.sessions;

    const first = await sessions.list({ limit: 2 });
    assert.deepEqual(listIds(first), createdIds.slice(0, 2));
    assert.equal(first.has_more, true);
    assert.equal(first.url, '/v1/checkout/sessions');
    assert.deepEqual(listIds(await sessions.list({ limit: 5 })), createdIds);

    const paid = await buyInSandbox(sandbox);
    assert.deepEqual(listIds(await sessions.list({ payment_intent: toObjectId(paid.payment_intent) })), [
      paid.id,
    ]);
    await assert.rejects(sessions.list({ limit: 101 }), { param: 'limit' });
  });

  test('an open session can be expired once, a complete one never', async () => {
    const { id } = await sandbox.stripe.checkout.sessions.create(buildCheckoutParameters());
    const expired = await sandbox.stripe.checkout.sessions.expire(id);
    assert.equal(expired.status, 'expired');
    assert.equal(expired.url, null);
    await assert.rejects(sandbox.stripe.checkout.sessions.expire(id), { statusCode: 400 });
    const paid = await buyInSandbox(sandbox);
    await assert.rejects(sandbox.stripe.checkout.sessions.expire(paid.id), { statusCode: 400 });
  });

  test('a wrong key, no key and another API version are refused', async () => {
    const wrong = sandbox.createStripeClient({ key: 'sk_test_wrong' });
    await assert.rejects(wrong.checkout.sessions.create(buildCheckoutParameters()), {
      type: 'StripeAuthenticationError',
      statusCode: 401,
    });
    const old = sandbox.createStripeClient({ apiVersion: '2022-11-15' });
    await assert.rejects(old.checkout.sessions.create(buildCheckoutParameters()), {
      type: 'StripeInvalidRequestError',
      statusCode: 400,
    });
    assert.equal((await fetch(`${sandbox.origin}/v1/events`)).status, 401);
  });

  test('malformed, huge and lost requests get the envelope and harm nothing', async () => {
    const postForm = (path: string, body: string, type = 'application/x-www-form-urlencoded') =>
      fetch(sandbox.origin + path, {
        method: 'POST',
        headers: { authorization: 'Bearer sk_test_for_the_sandbox_tests', 'content-type': type },
        body,
      });
    const cases: [Promise<Response>, number][] = [
      [postForm('/v1/checkout/sessions', 'a[=1'), 400],
      [postForm('/v1/checkout/sessions', `a${'[b]'.repeat(80_000)}=1`), 400],
      [postForm('/v1/checkout/sessions', 'mode=payment&mode[x]=1'), 400],
      [postForm('/v1/checkout/sessions', '__proto__[x]=1'), 400],
      [postForm('/v1/checkout/sessions', '{}', 'application/json'), 400],
      [postForm('/v1/checkout/sessions', `metadata[a]=${'x'.repeat(300_000)}`), 413],
      [postForm('/v1/nothing', ''), 404],
      [postForm('/v1/events', ''), 404],
      [fetch(`${sandbox.origin}/v1/%zz`), 400],
    ];
    for (const [answer, status] of cases) {
      const { error } = (await (await answer).json()) as { error: { type: string; message: string } };
      assert.equal((await answer).status, status);
      assert.equal(error.type, 'invalid_request_error');
      assert.ok(error.message.length > 0);
    }
    assert.equal((await sandbox.stripe.checkout.sessions.create(buildCheckoutParameters())).status, 'open');
  });
});
