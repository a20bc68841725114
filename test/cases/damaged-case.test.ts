/** A case that somebody has damaged, or whose words come again: the rest of it goes on. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { openCaseFile } from '#cases/decrypted-case.ts';
import { addMessage } from '#cases/messages.ts';
import { purgeAtOnce } from '#cases/purge.ts';
import { readCaseFile } from '#cases/sealed-case.ts';
import { demandCase, move } from '#cases/states.ts';
import { newIdentity, recipientOf, seal } from '#seal/age.ts';
import { sealEnvelope } from '#seal/envelope.ts';
import { openShop } from '#test/shop.ts';
import { caseOf, keyOf, privateKey } from './opened.ts';
import { filled, fromOwnPage, paidForm, sendPlain } from './plain-form.ts';

const shop = await openShop({ after });

async function post(path: string, fields: Record<string, string>) {
  const headers = { ...fromOwnPage, 'content-type': 'application/x-www-form-urlencoded' };
  return await shop.get(path, { method: 'POST', headers, body: new URLSearchParams(fields).toString() });
}

async function sentCase() {
  const form = await paidForm(shop);
  assert.equal((await sendPlain(shop, form)).status, 200);
  const record = await caseOf(shop, form.words);
  assert.ok(record);
  return { form, record };
}

test('one message that nobody can open leaves the rest of the case readable, for the buyer and the desk', async () => {
  const { form, record } = await sentCase();
  const stranger = await recipientOf(await newIdentity());
  const sealed = await seal(new Uint8Array(4096), [stranger]);
  await addMessage(shop.services, record.id, { by: 'buyer', seq: 0, sealed });
  const desk = await privateKey(shop.dataDir, 'desk');
  const opened = await openCaseFile(await readCaseFile(shop.services, record), desk);
  assert.equal(opened.inquiry?.question, filled.question);
  assert.match(opened.messages[0]?.text ?? '', /This key does not open it/);
  const page = await post('/case', { words: form.words });
  assert.equal(page.status, 200);
  assert.match(page.text, /This key does not open it/);
  assert.match(page.text, /CANARY-QUESTION/);
  const key = await keyOf(shop, record, desk);
  const reason = await sealEnvelope(
    key,
    { kind: 'desk-message.v1', seq: 0 },
    { text: 'No.', call_windows: [] },
  );
  const declined = await addMessage(shop.services, record.id, {
    by: 'desk',
    seq: 0,
    sealed: reason,
    act: 'decline',
  });
  assert.equal(declined.state, 'declined');
});

test('words whose case was purged, or is being purged, say so and open no second case', async () => {
  const { form, record } = await sentCase();
  const { records } = shop.store;
  await move(records, await demandCase(records, record.id), 'decline', 'desk', Date.now());
  await records.updateTable('cases').set({ purging: 1 }).where('id', '=', record.id).execute();
  const during = await post('/case', { words: form.words });
  assert.deepEqual([during.status, /is being purged at this moment/.test(during.text)], [410, true]);
  await records.updateTable('cases').set({ purging: 0 }).where('id', '=', record.id).execute();
  await purgeAtOnce(shop.services, record.id);
  assert.equal((await post('/case', { words: form.words })).status, 410);
  const other = await paidForm(shop);
  const again = await sendPlain(shop, { ...other, words: form.words });
  assert.equal(again.status, 410, again.text);
  assert.equal((await sendPlain(shop, other)).status, 200, 'the payment is still there');
});

test('a form that can no longer be sent gives back everything that was typed', async () => {
  const form = await paidForm(shop);
  const page = await sendPlain(shop, { ...form, cookie: 'none=1' });
  assert.equal(page.status, 403);
  for (const typed of [filled.question, filled.subject, filled.alias])
    assert.ok(page.text.includes(typed), typed);
  assert.equal((await sendPlain(shop, form)).status, 200);
});
