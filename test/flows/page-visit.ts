/** Opens any page of the site in a browser, as `listPageVisits` describes it. */
import type { Page } from 'playwright-core';
import type { PageVisit } from '#test/site/every-page.ts';

export async function visitInBrowser(
  page: Page,
  origin: string,
  { path, cookie, form }: PageVisit,
): Promise<void> {
  await page.context().clearCookies();
  const [name = '', value = ''] = cookie?.split('=') ?? [];
  if (cookie) await page.context().addCookies([{ name, value, url: origin, secure: true, httpOnly: true }]);
  if (form === undefined) {
    await page.goto(origin + path);
    return;
  }
  if (path === '/buy') await buyUnknownTier(page, origin, form);
  else if (path === '/permissions/address') await requestCodeForNobody(page, origin);
  else await submitEmptyForm(page, origin + path);
}

async function buyUnknownTier(page: Page, origin: string, form: string): Promise<void> {
  await page.goto(origin);
  const tier = new URLSearchParams(form).get('tier');
  await page.evaluate(`document.querySelector('input[name=tier]').value = ${JSON.stringify(tier)}`);
  await Promise.all([page.waitForEvent('load'), page.locator('form[action="/buy"] button').first().click()]);
}

/** Submits an invalid address to the server; browsers would refuse it themselves. */
async function requestCodeForNobody(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/permissions`);
  await page.fill('#address', 'no-address');
  await page.evaluate(`document.querySelector('#address').form.noValidate = true`);
  await Promise.all([page.waitForEvent('load'), page.locator('form:has(#address) button').click()]);
}

/** Waits for the page's script, which reports what is missing. */
async function submitEmptyForm(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.locator('textarea:visible').first().focus();
  await page.locator('[data-when=browser]').waitFor();
  await page.locator('[type=submit]:visible').first().click();
  await page.locator('.problems').waitFor();
}
