/** What the sandbox refuses, as the SDK sees it, and that metadata stays as it was sent. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import * as fc from 'fast-check';
import type { Stripe } from 'stripe';
import { buildCheckoutParameters, startSandboxProcess } from './sandbox-process.ts';

const sandbox = await startSandboxProcess({ after });

const expectRefusal = async (parameters: unknown): Promise<Stripe.errors.StripeInvalidRequestError> => {
  const attempt = sandbox.stripe.checkout.sessions.create(parameters as Stripe.Checkout.SessionCreateParams);
  const error = await attempt.then(
    () => assert.fail('accepted'),
    (reason: unknown) => reason as Stripe.errors.StripeInvalidRequestError,
  );
  assert.equal(error.type, 'StripeInvalidRequestError');
  assert.equal(error.statusCode, 400);
  return error;
};

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
