/** The inquiry form without a script: one send, one case, sealed as it arrives. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { wordKeys } from '#seal/words.ts';
import { openShop } from '#test/shop.ts';
import { caseOf, fileOf, inquiryOf, keyOf, privateKey } from './opened.ts';
import { filled, paidForm, sendPlain } from './plain-form.ts';

const shop = await openShop({ after });

test('a filled form opens a case that the words, the desk and the recovery key can read', async () => {
  const form = await paidForm(shop, 'Deep Sweep');
  const file = { name: 'letter.txt', type: 'text/plain', content: new TextEncoder().encode('Dear you') };
  const before = Date.now();
  const answer = await sendPlain(shop, form, filled, [file]);
  assert.equal(answer.status, 200, answer.text);
  assert.match(answer.text, /Your case is open/);
  const record = await caseOf(shop, form.words);
  assert.ok(record);
  assert.equal(record.tier, 'Deep Sweep');
  assert.equal(record.state, 'received');
  assert.equal(record.sealed_by, 'server');
  assert.ok(record.submitted_at >= before);
  assert.equal(record.due_at - record.submitted_at, 48 * 3_600_000);
  const identities = [
    (await wordKeys(form.words)).identity,
    await privateKey(shop.dataDir, 'desk'),
    await privateKey(shop.dataDir, 'recovery'),
  ];
  for (const identity of identities) {
    const key = await keyOf(record, identity);
    const inquiry = await inquiryOf(shop, record, key);
    assert.equal(inquiry.question, filled.question);
    assert.equal(inquiry.payment_ref, form.paymentRef);
    const opened = await fileOf(shop, record, key, 0);
    assert.deepEqual([opened.name, opened.mime], ['letter.txt', 'text/plain']);
    assert.equal(new TextDecoder().decode(opened.content), 'Dear you');
  }
});
