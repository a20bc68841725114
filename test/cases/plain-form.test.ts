/** The inquiry form without a script: one submission opens one case, sealed on arrival. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { deriveWordKeys } from '#seal/core/words.ts';
import { startTestShop } from '#test/test-shop.ts';
import { openPaidForm, plainFormFields, sendPlainForm } from './plain-form.ts';
import {
  findCaseByWords,
  openStoredCaseKey,
  openStoredFile,
  openStoredInquiry,
  readPrivateKey,
} from './stored-case.ts';

const shop = await startTestShop({ after });

test('a completed form opens a case that the words, the desk key and the recovery key can decrypt', async () => {
  const form = await openPaidForm(shop, 'Deep Sweep');
  const file = { name: 'letter.txt', type: 'text/plain', content: new TextEncoder().encode('Dear you') };
  const before = Date.now();
  const answer = await sendPlainForm(shop, form, plainFormFields, [file]);
  assert.equal(answer.status, 200, answer.text);
  assert.match(answer.text, /Your case is open/);
  const record = await findCaseByWords(shop, form.words);
  assert.ok(record);
  assert.equal(record.tier, 'Deep Sweep');
  assert.equal(record.state, 'received');
  assert.equal(record.sealed_by, 'server');
  assert.ok(record.submitted_at >= before);
  assert.equal(record.due_at - record.submitted_at, 48 * 3_600_000);
  const identities = [
    (await deriveWordKeys(form.words)).identity,
    await readPrivateKey(shop.dataDir, 'desk'),
    await readPrivateKey(shop.dataDir, 'recovery'),
  ];
  for (const identity of identities) {
    const key = await openStoredCaseKey(shop, record, identity);
    const inquiry = await openStoredInquiry(shop, record, key);
    assert.equal(inquiry.question, plainFormFields.question);
    assert.equal(inquiry.payment_ref, form.paymentRef);
    const opened = await openStoredFile(shop, record, key, 0);
    assert.deepEqual([opened.name, opened.mime], ['letter.txt', 'text/plain']);
    assert.equal(new TextDecoder().decode(opened.content), 'Dear you');
  }
});
