/** The sandbox as a program: settings, signals, ports, a sudden death, and what it prints. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, test } from 'node:test';
import { freePorts } from '#test/ports.ts';
import {
  buy,
  endSandbox,
  endShop,
  launch,
  order,
  SECRET_KEY,
  startReceiver,
  startSandbox,
  startShop,
  temporaryFolder,
  WEBHOOK_SECRETS,
} from './sandbox-process.ts';

suite('the program', () => {
  test('every mistake in the settings is named together, without the secrets, and it exits 78', async () => {
    const { child, output } = launch({
      SANDBOX_PORT: '70000',
      STRIPE_SECRET_KEY: 'sk_live_real_money',
      STRIPE_WEBHOOK_SECRET: 'whsec_fine,secret',
      SITE_URL: 'http://shop.example/path',
      API_PATH: 'api',
    });
    const [code] = (await once(child, 'exit')) as [number];
    assert.equal(code, 78);
    for (const name of [
      'SANDBOX_PORT',
      'STRIPE_SECRET_KEY',
      'STRIPE_WEBHOOK_SECRET',
      'SITE_URL',
      'API_PATH',
    ]) {
      assert.match(output(), new RegExp(name));
    }
    assert.doesNotMatch(output(), /real_money|whsec_fine/);
  });

  test('a signal ends it with 0, even while a call hangs and when it is sent twice', async () => {
    const sandbox = await startSandbox();
    await sandbox.control('PUT', 'faults', { api: [{ match: 'GET /v1/events', hang: true }] });
    const hanging = sandbox
      .client({ maxNetworkRetries: 0 })
      .events.list()
      .catch(() => 'cut');
    await new Promise((resolve) => setTimeout(resolve, 50));
    const [code] = await Promise.all([sandbox.kill('SIGINT'), sandbox.kill('SIGTERM')]);
    assert.equal(code, 0);
    assert.equal(await hanging, 'cut');
    await endSandbox(sandbox);
  });

  test('after kill -9 sessions, keys and pending webhooks are there, and what fell due meanwhile is done', async () => {
    const dataDir = temporaryFolder();
    const [port = 0, closed = 0] = await freePorts(2);
    const siteUrl = `https://localhost:${closed}`;
    const first = await startSandbox({ dataDir, port, siteUrl });
    const open = await first.stripe.checkout.sessions.create(order(), { idempotencyKey: 'kept' });
    const paid = await buy(first);
    await first.control('PUT', 'faults', { settle_after_ms: 300 });
    const pending = await buy(first, 'pay_later');
    await first.kill('SIGKILL');
    letExpire(dataDir, open.id);

    const receiver = await startReceiver(dataDir, closed);
    const second = await startSandbox({ dataDir, port, siteUrl });
    assert.equal((await second.stripe.checkout.sessions.retrieve(paid.id)).payment_status, 'paid');
    const replayed = await second.stripe.checkout.sessions.create(order(), { idempotencyKey: 'kept' });
    assert.equal(replayed.id, open.id);
    assert.equal((await second.stripe.checkout.sessions.retrieve(open.id)).status, 'expired');
    await receiver.until(() => receiver.types().includes('checkout.session.async_payment_succeeded'));
    await second.control('POST', 'webhooks/flush');
    assert.ok(receiver.types().includes('checkout.session.expired'));
    const completed = receiver.events.filter(({ type }) => type === 'checkout.session.completed');
    const ids = completed.map(({ data }) => (data.object as { id: string }).id);
    assert.deepEqual(ids.toSorted(), [paid.id, pending.id].toSorted());
    await endShop({ sandbox: second, receiver });
  });

  test('it prints one line and no id, key, secret or address; a second one on its port gives up with 1', async () => {
    const shop = await startShop();
    await buy(shop.sandbox);
    await assert.rejects(shop.sandbox.client({ key: 'sk_test_other' }).events.list());
    shop.receiver.answer = 500;
    await buy(shop.sandbox, 'decline');

    const { child, output } = launch({
      SANDBOX_PORT: new URL(shop.sandbox.origin).port,
      DATA_DIR: shop.sandbox.dataDir,
      STRIPE_SECRET_KEY: SECRET_KEY,
      STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRETS[0],
    });
    const [code] = (await once(child, 'exit')) as [number];
    assert.equal(code, 1);
    assert.match(output(), /^The payment sandbox did not start: port \d+ is taken\.\n$/);
    await endShop(shop);
    assert.match(
      shop.sandbox.output(),
      /^Payment sandbox \(no money moves\) on http:\/\/127\.0\.0\.1:\d+\n$/,
    );
  });
});

/** The shortest session lives half an hour: for one that is over, its time is moved while the program is down. */
function letExpire(dataDir: string, session: string): void {
  const state = new DatabaseSync(join(dataDir, 'sandbox', 'state.db'));
  state.prepare('UPDATE due SET at = ? WHERE subject = ?').run(Date.now() - 1000, session);
  state.close();
}
