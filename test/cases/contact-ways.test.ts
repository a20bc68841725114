/** The form offers only the contact methods that the operator has enabled; it still accepts other submitted ones. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { readConfig } from '#platform/config/config.ts';
import { inquiryFields } from '#seal/form/inquiry-fields.ts';
import { startTestShop, type TestShop } from '#test/test-shop.ts';
import { openPaidForm, plainFormFields, sendPlainForm } from './plain-form.ts';

const MODES = inquiryFields.contact.parts.mode.options.map(({ value }) => value);

const listOffered = (page: string) => MODES.filter((mode) => page.includes(`value="${mode}"`));
const shop = await startTestShop({ after }, { env: { CONTACT_WAYS: '' } });

async function openForm(tier = 'Trace', { get, ...rest }: TestShop = shop) {
  const form = await openPaidForm({ get, ...rest }, tier);
  const { text } = await get('/inquiry', { headers: { cookie: form.cookie } });
  return { form, text };
}

test('by default the answer comes on the case page, and nothing else is asked', async () => {
  const { form, text } = await openForm();
  assert.deepEqual(listOffered(text), ['return_only']);
  assert.match(text, /You’ll find our answer on your case page\./);
  assert.match(text, /<input type="hidden" name="contact_mode" value="return_only">/);
  assert.doesNotMatch(text, /id="contact_(?:value|safe_times)"/);
  const { contact_value: _value, contact_safe_times: _times, ...fields } = plainFormFields;
  assert.equal((await sendPlainForm(shop, form, fields)).status, 200);
});

test('the ways that are named are offered, and no others', async (t) => {
  const env = { CONTACT_WAYS: 'email,signal' };
  const { text } = await openForm('Trace', await startTestShop(t, { env }));
  assert.deepEqual(listOffered(text), ['return_only', 'email', 'signal']);
  assert.match(text, /id="contact_value"/);
  assert.deepEqual(readConfig({ CONTACT_WAYS: 'email,phone,signal,other' }).contactWays, MODES.slice(1));
});

test('a way that an earlier form offered is accepted, and shown again with its fault', async () => {
  const { form } = await openForm();
  const refused = await sendPlainForm(shop, form, { ...plainFormFields, contact_mode: 'phone' });
  assert.equal(refused.status, 422);
  assert.deepEqual(listOffered(refused.text), ['return_only', 'phone']);
  assert.match(refused.text, /<a href="#contact_value">/);
  const fields = { ...plainFormFields, contact_mode: 'phone', contact_value: '+33 1 00 00 00 00' };
  assert.equal((await sendPlainForm(shop, form, fields)).status, 200);
});
