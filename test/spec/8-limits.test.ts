/** Specification 8 and 3: 48 hours for an answer, 30 days for the file, longer on request (PKCE: 5.3, HTTPS: 1). */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { createPurger } from '#cases/ending/purge.ts';
import { openPlainCase, plainFormFields, postFormFields } from '#test/cases/plain-form.ts';
import { findCaseByWords } from '#test/cases/stored-case.ts';
import { askFromDesk, deliverFindingFromDesk } from '#test/flows/desk-side.ts';
import { silentLog } from '#test/store/engines.ts';
import { startTestShop } from '#test/test-shop.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
let now = Date.now();
const shop = await startTestShop({ after }, { clock: { now: () => now } });

async function openCase(tier: string, fields: Record<string, string> = {}): Promise<string> {
  return await openPlainCase(shop, tier, { ...plainFormFields, ...fields });
}

async function askForCase(words: string) {
  return await postFormFields(shop, '/case', { words });
}

async function purgeAfter(days: number): Promise<void> {
  now += days * DAY_MS;
  await createPurger(shop.services, silentLog).run();
}

test('an answer of every tier is due after 48 hours, and a call belongs to Dossier', async () => {
  for (const tier of ['Trace', 'Dossier', 'Deep Sweep']) {
    const words = await openCase(tier);
    const record = await findCaseByWords(shop, words);
    assert.equal((record?.due_at ?? 0) - (record?.submitted_at ?? 0), 48 * HOUR_MS, tier);
    const offering = askFromDesk(shop, words, 'When may we call you?', { callAct: 'offer' });
    await (tier === 'Dossier' ? offering : assert.rejects(offering));
  }
});

test('a file goes 30 days after delivery, and one that was asked to be kept stays', async () => {
  const words = await openCase('Trace');
  const retained = await openCase('Trace', { keep_days: '90' });
  for (const each of [words, retained]) await deliverFindingFromDesk(shop, each, '# Found', []);
  await purgeAfter(29);
  assert.equal((await askForCase(words)).status, 200);
  await purgeAfter(1);
  assert.equal((await askForCase(words)).status, 410);
  assert.equal((await askForCase(retained)).status, 200);
  await purgeAfter(60);
  assert.equal((await askForCase(retained)).status, 410);
});
