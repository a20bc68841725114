/** The form offers only those ways of an answer that the operator says are used; what is sent is accepted as ever. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { inquiryFields } from '#seal/form/inquiry-fields.ts';
import { startTestShop } from '#test/test-shop.ts';
import { openPaidForm, plainFormFields, sendPlainForm } from './plain-form.ts';

const MODES = inquiryFields.contact.parts.mode.options.map(({ value }) => value);

async function openForm(ways: string, tier = 'Trace') {
  const shop = await startTestShop({ after }, { env: { CONTACT_WAYS: ways } });
  const form = await openPaidForm(shop, tier);
  const { text } = await shop.get('/inquiry', { headers: { cookie: form.cookie } });
  const listOffered = (page: string) => MODES.filter((mode) => page.includes(`value="${mode}"`));
  return { shop, form, text, offered: listOffered(text), listOffered };
}

test('by default the answer comes on the case page, and nothing else is asked', async () => {
  const { shop, form, text, offered } = await openForm('');
  assert.deepEqual(offered, ['return_only']);
  assert.match(text, /You’ll find our answer on your case page\./);
  assert.match(text, /<input type="hidden" name="contact_mode" value="return_only">/);
  assert.doesNotMatch(text, /id="contact_(?:value|safe_times)"/);
  const { contact_value, contact_safe_times, ...fields } = plainFormFields;
  assert.equal(
    (await sendPlainForm(shop, form, fields)).status,
    200,
    `${contact_value}${contact_safe_times}`,
  );
});

test('a call needs no safe times: it comes at a time that the buyer names on the case page', async () => {
  const { text } = await openForm('', 'Dossier');
  assert.doesNotMatch(text, /id="contact_(?:value|safe_times)"/);
  assert.match(text, /You choose the time on your case page/);
});

test('the ways that are named are offered, and no others', async () => {
  const { offered, text } = await openForm('email,signal');
  assert.deepEqual(offered, ['return_only', 'email', 'signal']);
  assert.match(text, /id="contact_value"/);
});

test('a way that an earlier form offered is accepted, and shown again with its fault', async () => {
  const { shop, form, listOffered } = await openForm('');
  const refused = await sendPlainForm(shop, form, { ...plainFormFields, contact_mode: 'phone' });
  assert.equal(refused.status, 422);
  assert.deepEqual(listOffered(refused.text), ['return_only', 'phone']);
  assert.match(refused.text, /<a href="#contact_value">/);
  const sent = await sendPlainForm(shop, form, {
    ...plainFormFields,
    contact_mode: 'phone',
    contact_value: '+33 1 00 00 00 00',
  });
  assert.equal(sent.status, 200);
});

test('every way of the specification can be named', async () => {
  assert.deepEqual((await openForm('email,phone,signal,other')).offered, MODES);
});
