/** A case with a damaged message stays readable, and words of a purged case open no second one. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { purgeCaseNow } from '#cases/ending/purge.ts';
import { openSealedCase } from '#cases/messages/decrypted-case.ts';
import { addCaseMessage } from '#cases/messages/messages.ts';
import { applyCaseAction } from '#cases/states.ts';
import { deriveRecipient, generateAgeIdentity, sealBytes } from '#seal/core/age.ts';
import { readSealedCase } from '#test/cases/sealed-case.ts';
import { shareTestShop } from '#test/test-shop.ts';
import { openPaidForm, openPlainCase, plainFormFields, postFormFields, sendPlainForm } from './plain-form.ts';
import { addSealedMessage } from './sealed-message.ts';
import { openStoredCase, readPrivateKey, requireCaseByWords, requireContent } from './stored-case.ts';

const shop = await shareTestShop();

test('one message that cannot be decrypted leaves the rest of the case readable, for the buyer and the desk', async () => {
  const words = await openPlainCase(shop);
  const { record, key } = await openStoredCase(shop, words);
  const stranger = await deriveRecipient(await generateAgeIdentity());
  const sealed = await sealBytes(new Uint8Array(4096), [stranger]);
  await addCaseMessage(shop.services, record.id, { by: 'buyer', seq: 0, sealed });
  const desk = await readPrivateKey(shop.dataDir, 'desk');
  const opened = await openSealedCase(await readSealedCase(shop.services, record), desk);
  assert.equal(requireContent(opened.inquiry).question, plainFormFields.question);
  const said = opened.messages[0]?.said;
  assert.match(said && 'unreadable' in said ? said.unreadable : '', /This key does not open it/);
  const page = await postFormFields(shop, '/case', { words });
  assert.equal(page.status, 200);
  assert.match(page.text, /Your words don’t open this part/);
  assert.match(page.text, /CANARY-QUESTION/);
  const reason = { by: 'desk', seq: 0, act: 'decline' } as const;
  const declined = await addSealedMessage(shop.services, { id: record.id, key }, reason);
  assert.equal(declined.state, 'declined');
});

test('words of a case that was purged, or is being purged, are answered so and open no second case', async () => {
  const words = await openPlainCase(shop);
  const record = await requireCaseByWords(shop, words);
  const { records } = shop.store;
  await applyCaseAction(records, record, 'decline', { by: 'desk', now: Date.now() });
  await records.updateTable('cases').set({ purging: 1 }).where('id', '=', record.id).execute();
  const during = await postFormFields(shop, '/case', { words });
  assert.equal(during.status, 410);
  assert.match(during.text, /The last of it is being deleted right now/);
  await records.updateTable('cases').set({ purging: 0 }).where('id', '=', record.id).execute();
  await purgeCaseNow(shop.services, record.id);
  assert.equal((await postFormFields(shop, '/case', { words })).status, 410);
  const other = await openPaidForm(shop);
  const again = await sendPlainForm(shop, { ...other, words });
  assert.equal(again.status, 410, again.text);
  assert.equal((await sendPlainForm(shop, other)).status, 200, 'the payment is still there');
});
