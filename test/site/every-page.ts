/** Every page that the site can show, and how a visitor gets to it. */
import assert from 'node:assert/strict';
import { CONTENT_PAGES } from '#content/site-content.ts';
import { recordReturnLink } from '#payments/return-link.ts';
import { generateId } from '#platform/text/ids.ts';
import type { HttpsClient } from '#test/https-client.ts';
import type { TestShop } from '#test/test-shop.ts';

export interface PageVisit {
  readonly name: string;
  readonly path: string;
  readonly status: number;
  /** Sent as a form from one of our own pages. */
  readonly form?: string;
  readonly cookie?: string;
  /** Listed by search engines, with a menu; all others are confidential. */
  readonly open?: true;
}

export const browserHeaders = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'sec-fetch-site': 'same-origin',
};

export async function listPageVisits({
  get,
  createSession,
  findOrder,
  sandbox,
  services,
}: TestShop): Promise<readonly PageVisit[]> {
  const paid = await createSession('Dossier');
  await sandbox.pay(paid);
  await sandbox.setFaults({ settle_after_ms: 3_600_000 });
  const late = await createSession();
  await sandbox.pay(late, 'pay_later');
  await sandbox.setFaults({ settle_after_ms: 0 });
  const failed = await createSession();
  await sandbox.pay(failed, 'pay_later_fail');
  const cookie = await requestLandingCookie(get, paid);
  const order = await findOrder(paid);
  assert.ok(order);
  const returnLink = await recordReturnLink(services, order, generateId());
  return [
    { name: 'home', path: '/', status: 200, open: true },
    { name: 'home-error', path: '/buy', form: 'tier=Nothing', status: 422, open: true },
    { name: 'docs', path: '/docs', status: 200, open: true },
    { name: 'docs-webhooks', path: '/docs/webhooks', status: 200, open: true },
    ...CONTENT_PAGES.map((name) => ({ name, path: `/${name}`, status: 200, open: true }) as const),
    { name: 'payment-cancelled', path: '/payment-cancelled', status: 200 },
    { name: 'payment-received', path: '/payment-received', status: 200 },
    { name: 'home-open-form', path: '/', cookie, status: 200, open: true },
    { name: 'inquiry', path: '/inquiry', cookie, status: 200 },
    {
      name: 'inquiry-processing',
      path: '/inquiry',
      cookie: await requestLandingCookie(get, late),
      status: 200,
    },
    { name: 'inquiry-elsewhere', path: `/inquiry?session_id=${paid}`, status: 200 },
    { name: 'inquiry-none', path: '/inquiry', status: 404 },
    { name: 'inquiry-failed', path: `/inquiry?session_id=${failed}`, status: 402 },
    { name: 'return-link', path: `/continue/${returnLink}`, status: 200 },
    { name: 'return-link-none', path: '/continue/nowhere', status: 404 },
    { name: 'inquiry-sent', path: '/inquiry/sent', status: 200 },
    { name: 'case', path: '/case', status: 200 },
    { name: 'case-open-form', path: '/case', cookie, status: 200 },
    { name: 'case-error', path: '/case', form: 'words=one+two', status: 422 },
    { name: 'contact', path: '/contact', status: 200, open: true },
    { name: 'contact-error', path: '/contact', form: 'message=short', status: 422 },
    { name: 'permissions', path: '/permissions', status: 200 },
    { name: 'permissions-error', path: '/permissions/address', form: 'address=no-address', status: 422 },
    { name: 'not-found', path: '/no-such-page', status: 404 },
  ];
}

/** The cookie that a browser has after its return from paying. */
async function requestLandingCookie(get: HttpsClient, sessionId: string): Promise<string> {
  const { status, headers } = await get(`/inquiry?session_id=${sessionId}`);
  assert.equal(status, 303);
  return headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}

export function visitPage(get: HttpsClient, { path, form, cookie }: PageVisit): ReturnType<HttpsClient> {
  const headers = { ...browserHeaders, ...(cookie && { cookie }) };
  // As from a typed address.
  if (form === undefined) return get(path, { headers: { ...headers, 'sec-fetch-site': 'none' } });
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  return get(path, { method: 'POST', headers: { ...headers, ...type }, body: form });
}
