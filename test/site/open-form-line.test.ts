/** Home and case page link to a form that is open in this browser, and are unchanged in all others. */
import assert from 'node:assert/strict';
import { StatementSync } from 'node:sqlite';
import test, { after, beforeEach } from 'node:test';
import { redeemVoucher } from '#payments/redeem.ts';
import { sameOriginHeaders } from '#test/cases/plain-form.ts';
import type { HttpsResponse } from '#test/https-client.ts';
import { startTestShop } from '#test/test-shop.ts';

const { createSession, get, sandbox, services, store } = await startTestShop({ after });
const PAGES = ['/', '/case'] as const;
const LINE = /<p class="wrap">[^<]*<a href="\/inquiry">[^<]+<\/a><\/p>/;

beforeEach(() => sandbox.setFaults());

async function fetchLandingCookie(sessionId: string): Promise<string> {
  const { headers } = await get(`/inquiry?session_id=${sessionId}`);
  return headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}

async function buy(how = 'pay'): Promise<{ id: string; cookie: string }> {
  const id = await createSession('Dossier');
  await sandbox.pay(id, how);
  return { id, cookie: await fetchLandingCookie(id) };
}

/** All but what differs from one answer to the next. */
function toComparable({ status, text, headers }: HttpsResponse) {
  const { date: _date, 'x-request-id': _id, ...others } = headers;
  return { status, text, headers: others };
}

test('while a paid form is open, home and case page have a line to it that names neither service nor price', async () => {
  const { cookie } = await buy();
  for (const path of PAGES) {
    const page = await get(path, { headers: { cookie } });
    assert.equal(page.status, 200);
    const [line = ''] = LINE.exec(page.text) ?? [];
    assert.ok(line, path);
    assert.doesNotMatch(line, /Trace|Dossier|Sweep|\$|\d|paid|pay|case|inquiry[^"]/i);
    assert.equal(page.headers['cache-control'], 'no-store');
    assert.equal(page.headers['set-cookie'], undefined);
    assert.equal(page.headers.etag, undefined);
  }
});

test('a form says that another one was paid for in this browser, and that its price comes back', async () => {
  const first = await buy();
  const single = await get('/inquiry', { headers: { cookie: first.cookie } });
  assert.doesNotMatch(single.text, /paid for more than one form/);
  const id = await createSession('Trace');
  await sandbox.pay(id);
  const { headers } = await get(`/inquiry?session_id=${id}`, { headers: { cookie: first.cookie } });
  const cookie = headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const page = await get('/inquiry', { headers: { cookie } });
  assert.match(page.text, /paid for more than one form[\s\S]*href="\/contact"[\s\S]*full refund/);
});

test('the page that refuses mistyped words has the line too', async () => {
  const { cookie } = await buy();
  const headers = { ...sameOriginHeaders, 'content-type': 'application/x-www-form-urlencoded' };
  const post = async (more: Record<string, string>) =>
    await get('/case', { method: 'POST', headers: { ...headers, ...more }, body: 'words=abandon' });
  const page = await post({ cookie });
  assert.equal(page.status, 422);
  assert.ok(LINE.test(page.text));
  assert.ok(!LINE.test((await post({})).text));
});

test('a payment on its way has the line too, and no page asks the provider', async () => {
  await sandbox.setFaults({ settle_after_ms: 3_600_000 });
  const { cookie } = await buy('pay_later');
  await sandbox.setFaults();
  for (const path of PAGES) assert.ok(LINE.test((await get(path, { headers: { cookie } })).text));
  assert.deepEqual((await sandbox.readCalls()).counts, {});
});

test('without an open form both pages are the same to the byte: no cookie, a forged one, a used order, other cookies', async () => {
  const { id, cookie } = await buy();
  await store.transaction((records) => redeemVoucher(records, services, { sessionId: id }));
  for (const path of PAGES)
    for (const encoding of ['identity', 'gzip', 'br']) {
      const headers = { 'accept-encoding': encoding };
      const plain = toComparable(await get(path, { headers }));
      for (const other of [cookie, '__Host-inquiry=AAAA', '__Host-inquiry=', 'a=b', `${cookie}AAAA`, '=;=;;'])
        assert.deepEqual(toComparable(await get(path, { headers: { ...headers, cookie: other } })), plain);
      assert.ok(!LINE.test(plain.text));
    }
});

test('a store that fails costs the line, not the page', async (t) => {
  const { cookie } = await buy();
  const { mock } = t.mock.method(StatementSync.prototype, 'all', () => {
    throw new Error('the store is away');
  });
  for (const path of PAGES) {
    const page = await get(path, { headers: { cookie } });
    assert.equal(page.status, 200);
    assert.ok(!LINE.test(page.text));
  }
  assert.ok(mock.callCount() >= PAGES.length);
});
