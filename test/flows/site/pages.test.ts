/** The pages in a real browser: sound for every kind of reader. */
import assert from 'node:assert/strict';
import { isLongRun, scale } from '#test/scale.ts';
import { listPageVisits } from '#test/site/every-page.ts';
import { shareTestShop } from '#test/test-shop.ts';
import { openBrowserPage, openBrowserTests } from '../browser.ts';
import { assertPageSound, COLOUR_RULES } from '../page-checks.ts';
import { visitInBrowser } from '../page-visit.ts';

const { browser, test } = await openBrowserTests();

const shop = await shareTestShop();
const visits = await listPageVisits(shop);

for (const [index, { width, colorScheme }] of scale.appearances.entries())
  test(`every page is sound at ${width} pixels, ${colorScheme} and ${colorScheme === 'dark' ? 'Spanish' : 'English'}`, async (t) => {
    // Combines dark with Spanish to check both languages without a second visit.
    const locale = colorScheme === 'dark' ? 'es' : 'en';
    const page = await openBrowserPage(t, browser, width, { colorScheme, locale });
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    for (const visit of visits) {
      await visitInBrowser(page, shop.origin, visit);
      if (index > 0) {
        await assertPageSound(page, visit.name, isLongRun ? COLOUR_RULES : []);
        continue;
      }
      await assertPageSound(page, visit.name);
      // On the same page, because loading axe again takes longer than the check.
      await page.emulateMedia({ colorScheme: 'dark' });
      await assertPageSound(page, `${visit.name} in the dark`, COLOUR_RULES);
      await page.emulateMedia({ colorScheme });
    }
    // Browsers report a refused page as a failed load, as expected.
    const refusals = /the server responded with a status of (402|404|422)/;
    assert.deepEqual(
      complaints.filter((text) => !refusals.test(text)),
      [],
    );
  });

test('the keyboard reaches the content first, and then everything else', async (t) => {
  const page = await openBrowserPage(t, browser, 1280);
  await page.goto(shop.origin);
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to main content');
  assert.ok(await page.evaluate('document.activeElement.getBoundingClientRect().left >= 0'));
  await page.keyboard.press('Enter');
  await page.waitForURL(/#main$/);
});
