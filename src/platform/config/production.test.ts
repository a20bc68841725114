import assert from 'node:assert/strict';
import test from 'node:test';
import { listConfigMistakes, listMistakenNames, production, RECIPIENT } from '#test/config-mistakes.ts';
import { readConfig } from './config.ts';

const MISSING_IN_PRODUCTION = [
  'TLS_CERT_FILE',
  'SITE_URL',
  'MAINTAINER_EMAIL',
  'OPERATOR_NAME',
  'OPERATOR_ADDRESS',
  'OPERATOR_LAW',
  'SMTP_URL',
  'DESK_RECIPIENTS',
  'RECOVERY_RECIPIENT',
];

test('production needs all that a first start would otherwise make up', () => {
  assert.deepEqual(listConfigMistakes(production), []);
  assert.deepEqual(listMistakenNames({ NODE_ENV: 'production' }), MISSING_IN_PRODUCTION);
});

test('a live key makes every check of production, whatever NODE_ENV is', () => {
  const live = { STRIPE_SECRET_KEY: 'sk_live_x', STRIPE_WEBHOOK_SECRET: 'whsec_x' };
  for (const NODE_ENV of ['', 'development', 'test'])
    assert.deepEqual(listMistakenNames({ ...live, NODE_ENV }), MISSING_IN_PRODUCTION);
  const { production: checked } = readConfig({ ...production, ...live, NODE_ENV: '' });
  assert.equal(checked, true);
});

test('production is not on localhost, not without limits, and its recovery key is not a desk key', () => {
  for (const SITE_URL of `https://localhost. https://0.0.0.0 https://[::] https://[::ffff:127.0.0.1] https://localhost
      https://127.0.0.2:8443 https://[::1] https://a.localhost`.split(/\s+/))
    assert.deepEqual(listMistakenNames({ ...production, SITE_URL }), ['SITE_URL'], SITE_URL);
  for (const wrong of [
    { SITE_URL: 'http://x' },
    { RATE_LIMIT: 'off' },
    { RECOVERY_RECIPIENT: RECIPIENT },
  ] as const)
    assert.deepEqual(listMistakenNames({ ...production, ...wrong }), Object.keys(wrong));
});

test('a live key is refused with the sandbox or another API host, and a test key in production', () => {
  const live = { ...production, STRIPE_SECRET_KEY: 'sk_live_x' };
  for (const [wrong, name] of [
    [{ ...live, SANDBOX: 'on' }, 'STRIPE_SECRET_KEY'],
    [{ ...live, STRIPE_API_URL: 'http://127.0.0.1:9' }, 'STRIPE_SECRET_KEY'],
    [{ ...production, STRIPE_SECRET_KEY: 'sk_test_x' }, 'STRIPE_SECRET_KEY'],
    [{ ...production, SANDBOX: 'on' }, 'SANDBOX'],
    [{ STRIPE_API_URL: 'http://x/v1' }, 'STRIPE_API_URL'],
  ] as const)
    assert.ok(listMistakenNames(wrong).includes(name), name);
});
