/** The sandbox as a program: settings, signals, ports, a sudden death, and what it prints. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import { createTemporaryFolder, withReverseCleanup } from '#test/cleanup.ts';
import { findFreePorts } from '#test/ports.ts';
import { startProgram } from '#test/service-process.ts';
import {
  buildCheckoutParameters,
  buyInSandbox,
  SANDBOX_SECRET_KEY,
  SANDBOX_WEBHOOK_SECRETS,
  startSandboxProcess,
  startSandboxWithReceiver,
  startWebhookReceiver,
} from './sandbox-process.ts';

test('every mistake in the settings is named together, without the secrets, and it exits 78', async (t) => {
  const { ended, readOutput } = startProgram(t, 'sandbox/main.ts', {
    SANDBOX_PORT: '70000',
    STRIPE_SECRET_KEY: 'sk_live_real_money',
    STRIPE_WEBHOOK_SECRET: 'whsec_fine,secret',
    SITE_URL: 'http://shop.example/path',
    API_PATH: 'api',
  });
  assert.equal(await ended, 78);
  for (const name of ['SANDBOX_PORT', 'STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET', 'SITE_URL', 'API_PATH']) {
    assert.match(readOutput(), new RegExp(name));
  }
  assert.doesNotMatch(readOutput(), /real_money|whsec_fine/);
});

test('a signal ends it with 0, even while a call hangs and when it is sent twice', async (t) => {
  const sandbox = await startSandboxProcess(t);
  await sandbox.callControl('PUT', 'faults', { api: [{ match: 'GET /v1/events', hang: true }] });
  const hanging = sandbox
    .createStripeClient({ maxNetworkRetries: 0 })
    .events.list()
    .catch(() => 'cut');
  await new Promise((resolve) => setTimeout(resolve, 50));
  const [code] = await Promise.all([sandbox.kill('SIGINT'), sandbox.kill('SIGTERM')]);
  assert.equal(code, 0);
  assert.equal(await hanging, 'cut');
});

test('after kill -9 sessions, keys and pending webhooks are there, and what fell due meanwhile is done', async (owner) => {
  const t = withReverseCleanup(owner);
  const dataDir = await createTemporaryFolder(t);
  const [port = 0, closed = 0] = await findFreePorts(2);
  const siteUrl = `https://localhost:${closed}`;
  const first = await startSandboxProcess(t, { dataDir, port, siteUrl });
  const open = await first.stripe.checkout.sessions.create(buildCheckoutParameters(), {
    idempotencyKey: 'kept',
  });
  const paid = await buyInSandbox(first);
  await first.callControl('PUT', 'faults', { settle_after_ms: 300 });
  const pending = await buyInSandbox(first, 'pay_later');
  await first.kill('SIGKILL');
  moveExpiryToPast(dataDir, open.id);

  const receiver = await startWebhookReceiver(t, dataDir, closed);
  const second = await startSandboxProcess(t, { dataDir, port, siteUrl });
  assert.equal((await second.stripe.checkout.sessions.retrieve(paid.id)).payment_status, 'paid');
  const replayed = await second.stripe.checkout.sessions.create(buildCheckoutParameters(), {
    idempotencyKey: 'kept',
  });
  assert.equal(replayed.id, open.id);
  assert.equal((await second.stripe.checkout.sessions.retrieve(open.id)).status, 'expired');
  await receiver.waitUntil(() => receiver.listTypes().includes('checkout.session.async_payment_succeeded'));
  await second.callControl('POST', 'webhooks/flush');
  assert.ok(receiver.listTypes().includes('checkout.session.expired'));
  const completed = receiver.events.filter(({ type }) => type === 'checkout.session.completed');
  const ids = completed.map(({ data }) => (data.object as { id: string }).id);
  assert.deepEqual(ids.toSorted(), [paid.id, pending.id].toSorted());
});

test('it prints one line and no id, key, secret or address; a second one on its port gives up with 1', async (t) => {
  const { sandbox, receiver } = await startSandboxWithReceiver(t);
  await buyInSandbox(sandbox);
  await assert.rejects(sandbox.createStripeClient({ key: 'sk_test_other' }).events.list());
  receiver.answer = 500;
  await buyInSandbox(sandbox, 'decline');

  const { ended, readOutput } = startProgram(t, 'sandbox/main.ts', {
    SANDBOX_PORT: new URL(sandbox.origin).port,
    DATA_DIR: sandbox.dataDir,
    STRIPE_SECRET_KEY: SANDBOX_SECRET_KEY,
    STRIPE_WEBHOOK_SECRET: SANDBOX_WEBHOOK_SECRETS[0],
  });
  assert.equal(await ended, 1);
  assert.match(readOutput(), /^The payment sandbox did not start: port \d+ is taken\.\n$/);
  await sandbox.kill('SIGTERM');
  assert.match(sandbox.output(), /^Payment sandbox \(no money moves\) on http:\/\/127\.0\.0\.1:\d+\n$/);
});

test('without credentials it ends with 78 and says where they are explained', async (t) => {
  const { ended, readOutput } = startProgram(t, 'sandbox/main.ts', {
    STRIPE_SECRET_KEY: '',
    STRIPE_WEBHOOK_SECRET: '',
  });
  assert.equal(await ended, 78);
  assert.match(
    readOutput(),
    /STRIPE_SECRET_KEY must begin .*\n.*STRIPE_WEBHOOK_SECRET .*\nnpm start .*docs\/operating\.md\.\n$/,
  );
});

/** A session lasts half an hour at least: to end one, its time is changed while the program is down. */
function moveExpiryToPast(dataDir: string, session: string): void {
  const state = new DatabaseSync(join(dataDir, 'sandbox', 'state.db'));
  state.prepare('UPDATE due SET at = ? WHERE subject = ?').run(Date.now() - 1000, session);
  state.close();
}
