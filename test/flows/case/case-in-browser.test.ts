/** The life of a case in a real browser and at the command line: question, answer, delivery, retention, purge. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { createPurger } from '#cases/ending/purge.ts';
import { DAY_MS } from '#platform/durations.ts';
import { CALL_NUMBER, createCallTimes } from '#test/cases/call-times.ts';
import { postFormFields } from '#test/cases/plain-form.ts';
import { findCaseByWords, readPrivateKey } from '#test/cases/stored-case.ts';
import { createTemporaryFolder, withReverseCleanup } from '#test/cleanup.ts';
import { createDeskCli } from '#test/cli/desk-cli.ts';
import { connectConfirmedDesk } from '#test/desk/connected-desk.ts';
import { silentLog } from '#test/store/engines.ts';
import { startTestShop } from '#test/test-shop.ts';
import { type BrowserBuyer, canaryInquiry, openBuyerTests } from '../buyer.ts';
import { assertPageSound, assertPageSoundEverywhere } from '../page-checks.ts';

const ZONE = 'America/New_York';
let ahead = 0;
const shop = await startTestShop({ after }, { clock: { now: () => Date.now() + ahead } });
const { createBuyer, plainTest: test, prepare } = await openBuyerTests(shop);
const scope = withReverseCleanup({ after });
let buyer: BrowserBuyer;
let page: Page;
let news: Locator;
let words: string;

prepare(async () => {
  buyer = await createBuyer(scope, { locale: 'en-US', timezoneId: ZONE });
  page = buyer.page;
  news = page.locator('[data-slot=news]');
  words = await buyer.sendPaidForm('Dossier');
});

const desk = createDeskCli(shop);
const runDeskCommand = async (command: string, ...args: string[]) => {
  const id = (await findCaseByWords(shop, words))?.id ?? '';
  return await desk.runForText('cases', command, id, '--key', desk.key, ...args);
};

const { day, fields: times } = createCallTimes();
const submitForm = async (form: string) => await page.locator(`#${form} button`).click();

test('the buyer comes back with the words and sees what can be done now, and nothing else', async () => {
  await buyer.openCase(words);
  await buyer.waitForTitle('We have your question');
  const forms = await page.evaluate(
    `[...document.forms].filter((form) => form.checkVisibility()).map(({ id }) => id)`,
  );
  assert.deepEqual(forms, ['write']);
  assert.ok(await page.getByText(canaryInquiry.question).isVisible());
  for (const line of [
    'Your service includes one call.',
    'We will delete this case 30 days after our answer.',
  ])
    await page.locator('.fold', { hasText: line }).waitFor();
  for (const hidden of [
    '[data-part=finding]',
    '[data-part=earlier]',
    '[data-slot=thread]',
    '[data-slot=news]',
  ])
    assert.ok(await page.locator(hidden).isHidden(), hidden);
  assert.match(
    await page.locator('.clock').innerText(),
    /^Our answer is due \w+, \w+ \d+ at \d+:\d\d\s[AP]M E[SD]T \(\d\d:\d\d UTC\), in 48 hours$/,
  );
  assert.equal(await page.title(), 'Your case - Inquiry Office');
});

test('a question of the desk is shown as it was written, with the clock still running', async () => {
  assert.ok((await runDeskCommand('open')).includes(canaryInquiry.question));
  await runDeskCommand('ask', '--text', 'Which name did she use?\n<b>Any?</b>', '--offer-call');
  await buyer.openCase(words);
  await buyer.waitForTitle('We have a question for you');
  assert.match(await page.locator('.clock').innerText(), /^Our answer is due .* in 48 hours$/);
  const [said] = await page.locator('.entry.desk').allInnerTexts();
  assert.match(
    said ?? '',
    /^Investigator .* UTC\)\s+Which name did she use\?\n<b>Any\?<\/b>\s+This message asks for a reply\.$/,
  );
  assert.ok(await page.locator('[data-part=call]').isVisible());
  await assertPageSound(page, 'the case with a question');
});

test('what is missing is said at its field, and what is typed elsewhere stays', async () => {
  await buyer.openPart('Delete this case');
  await buyer.openPart('Your call');
  await page.check('#withdraw_sure');
  await submitForm('write');
  await page.locator('#message-error').waitFor();
  assert.match(await page.locator('#problems').innerText(), /There is a problem\s+Write something/);
  assert.equal(await page.evaluate('document.activeElement.className'), 'problems');
  assert.equal(await page.title(), 'Error: Your case - Inquiry Office');
  await page.fill('#call_1_start', times.call_1_start);
  await page.fill('#call_1_end', `${day}T09:00`);
  await submitForm('call');
  await page.locator('#call_1_end-error').waitFor();
  await page.locator('#call_number-error').waitFor();
  assert.equal(await page.locator('#message-error').count(), 0);
  await assertPageSound(page, 'the case with a problem');
});

test('the answer goes back, and the page shows where the case stands now', async () => {
  await buyer.write('She wrote as\n“Ann”.');
  assert.equal(await page.evaluate('document.activeElement.dataset.slot'), 'news');
  await buyer.waitForTitle('An investigator is working on it');
  assert.equal(await page.title(), 'Your case - Inquiry Office');
  const [, answer] = await page.locator('.entry').allInnerTexts();
  assert.match(answer ?? '', /^You .*\s+She wrote as\n“Ann”\.$/);
  assert.equal(await page.inputValue('#message'), '');
  assert.ok(await page.isChecked('#withdraw_sure'));
  assert.match(await runDeskCommand('open'), /She wrote as\n *“Ann”\./);
});

test('the times for the call go to the desk, which books one, and the page shows it with a calendar file', async () => {
  assert.equal(await page.inputValue('#call_1_start'), times.call_1_start, 'what was typed is there');
  await page.fill('#call_1_start', '2020-05-04T10:00');
  await page.fill('#call_1_end', times.call_1_end);
  await page.fill('#call_number', CALL_NUMBER);
  assert.equal(await page.inputValue('#call_zone'), ZONE, 'the zone of the browser is there');
  await page.fill('#call_zone', 'Paris');
  await submitForm('call');
  assert.match(await page.locator('#call_1_start-error').innerText(), /still to come/);
  await page.fill('#call_1_start', times.call_1_start);
  await submitForm('call');
  await news.filter({ hasText: 'Your times were sent' }).waitFor();
  assert.match(
    await page.locator('.told').first().innerText(),
    /Times you suggested\s+.* E[SD]T .*UTC\) to .* E[SD]T .*UTC\)/,
  );
  assert.equal(await page.inputValue('#call_number'), CALL_NUMBER, 'it need not be typed again');
  assert.equal((await findCaseByWords(shop, words))?.call, 'proposed');
  assert.match(await runDeskCommand('open'), /Number: \+44 20 7946 0000\nProposed: \S+ 10:00 to/);

  const identity = await readPrivateKey(shop.dataDir, 'desk');
  const office = await connectConfirmedDesk(scope, shop, { identity });
  const { id } = (await findCaseByWords(shop, words))!;
  const { seen } = await office.readCase(id);
  const at = Date.parse(`${day}T14:30+05:30`);
  await office.sendMessage(id, { act: 'book_call', at, zone: 'Europe/Paris', text: '', seen });
  await buyer.openCase(words);
  const call = page.locator('[data-part=call]');
  const time = /\w+, \w+ \d+ at [45]:00\sAM E[SD]T \(09:00 UTC\)$/;
  assert.match(await call.locator('time').innerText(), time);
  assert.match(await page.locator('.entry.desk .said').last().innerText(), time);
  assert.match(await call.innerText(), /Number we’ll call\s+\+44 20 7946 0000/);
  assert.ok(await page.locator('#call').isHidden(), 'the form waits behind its summary');
  await assertPageSound(page, 'the case with a booked call');
  const { name, bytes } = await buyer.save('Save to your calendar');
  assert.equal(name, 'appointment.ics');
  const file = bytes.toString('utf8');
  assert.match(file, new RegExp(`DTSTART:${day.replaceAll('-', '')}T090000Z\r\n`));
  assert.match(file, /\r\nSUMMARY:Appointment\r\n/);
  assert.doesNotMatch(file, /inquiry|office|case|call|localhost|20 7946/i);
  await call.getByText('Ask for another time').click();
  assert.ok(await page.locator('#call').isVisible());
});

test('an address is asked for behind its price, checked, taken and removed without leaving the page', async () => {
  assert.ok(await page.locator('#notice_address').isHidden());
  await buyer.openPart('When there’s something new');
  await buyer.openPart('Tell me by email');
  await page.fill('#notice_address', 'no-address');
  await submitForm('notify');
  await page.locator('#notice_address-error').waitFor();
  assert.match(await page.locator('#problems').innerText(), /Enter one email address/);
  await assertPageSoundEverywhere(page, 'the case with a wrong address');
  await page.fill('#notice_address', 'someone@example.org');
  await submitForm('notify');
  await news.filter({ hasText: 'We’ll email you when there’s something new.' }).waitFor();
  assert.equal(await page.inputValue('#notice_address'), '');
  assert.notEqual((await findCaseByWords(shop, words))?.notice_id, null);
  await submitForm('silence');
  await news.filter({ hasText: 'We have deleted your address' }).waitFor();
  assert.ok(await page.locator('#silence').isHidden());
  assert.equal((await findCaseByWords(shop, words))?.notice_id, null);
});

test('the calendar file is made without the service, and names nothing', async () => {
  await buyer.openPart('Put a reminder in my calendar');
  const { name, bytes } = await buyer.save('Save the calendar file');
  assert.equal(name, 'reminder.ics');
  const file = bytes.toString('utf8');
  assert.match(file, /SUMMARY:Look again\r\n/);
  assert.doesNotMatch(file, /Inquiry|Office|localhost|Dossier/i);
  const due = (await findCaseByWords(shop, words))?.due_at ?? 0;
  assert.ok(file.includes(`DTSTART:${new Date(due).toISOString().replace(/[-:]|\.\d{3}/g, '')}`));
  await assertPageSoundEverywhere(page, 'the case with all ways to hear of news');
});

const markdown = [
  '# She is *Ann*',
  '<script>not run</script>',
  '- seen [here](https://example.org/ann)\n- not [there](javascript:alert(1))',
  `    ${'a line of code that goes on '.repeat(9)}`,
  '| when | where |\n|---|---|\n| May | Rome |',
].join('\n\n');
const files = [
  { name: 'Zeuge “1”.html', content: Buffer.from('<script>alert(1)</script>') },
  { name: 'film.mp4', content: randomBytes(3_000_000) },
];

test('the finding is read on the page, and its files are saved whole', async (t) => {
  const folder = await createTemporaryFolder(t);
  for (const { name, content } of [{ name: 'finding.md', content: markdown }, ...files])
    await writeFile(join(folder, name), content);
  const attached = files.flatMap(({ name }) => ['--attach', join(folder, name)]);
  await runDeskCommand('deliver', '--finding', join(folder, 'finding.md'), ...attached);
  await buyer.openCase(words);
  await buyer.waitForTitle('Your answer is here');
  assert.match(
    await page.locator('.paper').innerText(),
    /^She is Ann\s+<script>not run<\/script>\s+seen here/,
  );
  assert.equal(await page.locator('.paper').innerHTML(), await fetchPaperWithoutScript());
  assert.ok(await page.locator('#withdraw').isHidden());
  for (const [label, { name, content }] of [
    ['Save Zeuge “1”.html, 25 bytes', files[0]!],
    ['Save film.mp4, 2.9 MB', files[1]!],
  ] as const) {
    const saved = await buyer.save(label);
    assert.equal(saved.name.replace(/[“”_]/g, ''), name.replace(/[“”]/g, ''));
    assert.deepEqual(saved.bytes, content);
  }
  assert.match(
    (await page.locator('.files [role=status]').allInnerTexts()).join(),
    /Checked and saved.*Checked and saved/s,
  );
  await assertPageSoundEverywhere(page, 'the delivered case');
});

test('the file is kept longer when the buyer asks, and not when that is taken back', async () => {
  await buyer.openPart('Delete this case');
  for (const days of [180, 30]) {
    await page.selectOption('#keep_days', String(days));
    await submitForm('keep');
    await news.filter({ hasText: `We will delete this case ${days} days after our answer.` }).waitFor();
    const found = await findCaseByWords(shop, words);
    assert.equal((found?.purge_at ?? 0) - (found?.delivered_at ?? 0), days * DAY_MS);
    const left = new RegExp(`, (?:${days - 1}|${days}) days from now`);
    assert.match(await page.locator('[data-slot=deletion]').innerText(), left);
    assert.ok(await page.locator('.clock').isHidden());
  }
  assert.equal(await page.locator('.files li').count(), 2);
  await buyer.openCase(words);
  await buyer.waitForTitle('Your answer is here');
  assert.equal(await page.inputValue('#keep_days'), '30');
});

test('when its time has come the case is gone, for the page that is open and for a buyer with the words', async () => {
  ahead = ((await findCaseByWords(shop, words))?.purge_at ?? 0) - Date.now() - 2 * DAY_MS;
  await buyer.openCase(words);
  await page.getByText('If you need it longer, choose a later day').waitFor();
  ahead += 2 * DAY_MS + 1;
  await createPurger(shop.services, silentLog).run();
  await page.fill('#message', 'Thank you.');
  await submitForm('write');
  await buyer.waitForTitle('This case was deleted');
  assert.equal(await page.title(), 'This case was deleted - Inquiry Office');
  await buyer.openCase(words);
  await buyer.waitForTitle('This case was deleted');
  assert.match(
    await page.locator('main').innerText(),
    /We deleted this case on \d+ \w+ \d{4}\. What was in it is gone for good/,
  );
  assert.equal(await page.evaluate('document.activeElement.tagName'), 'H1');
  await assertPageSound(page, 'the case that was erased');
});

test('no policy was broken, and nothing that was said is in the log', () => {
  const refusals = /the server responded with a status of (410|422)/;
  assert.deepEqual(
    buyer.complaints.filter((text) => !refusals.test(text)),
    [],
  );
  for (const secret of [words, 'She wrote as', canaryInquiry.question])
    assert.ok(!shop.readLog().includes(secret));
});

/** Fetches the finding as the server renders it for browsers without scripts. */
async function fetchPaperWithoutScript(): Promise<string | undefined> {
  const { text } = await postFormFields(shop, '/case', { words });
  return /<div class="paper [^"]*" dir="auto">([\s\S]*?)<\/div>/.exec(text)?.[1];
}
