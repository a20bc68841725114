/** A full contact box shows the maintainer's e-mail address, makes room by itself, and closes nothing else. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { resolveContactMessage } from '#cases/intake/contact.ts';
import { type ContactMessage, sealContactMessage } from '#seal/case/contact-message.ts';
import { computeCap } from '#store/limits/storage-caps.ts';
import { postRegistration, sampleRegistration } from '#test/agents/sample-registration.ts';
import { openApiTestbed } from '#test/api/api-testbed.ts';
import { assertValidHtml } from '#test/site/markup.ts';
import { postFormFields, postFromScript, sameOriginHeaders } from './plain-form.ts';

/** So small that the contact box holds only a handful of messages. */
const DISK_BYTES = 2 * 1024 ** 2;
const MAINTAINER = 'box@office.example';
const bed = await openApiTestbed(
  { after },
  {
    env: { MAINTAINER_EMAIL: MAINTAINER },
    disk: async () => ({ total: DISK_BYTES, free: DISK_BYTES, reusable: 0 }),
  },
);
const { number: capacity } = computeCap('contact_messages', DISK_BYTES);
const message: ContactMessage = { topic: 'question', message: 'Typed with <care>.', reply_to: '' };

async function postContactForm() {
  return await postFormFields(bed, '/contact', message);
}

async function postSealedMessage() {
  const { desk } = await bed.services.sealingKeys;
  const sealed = Buffer.from(await sealContactMessage(message, desk)).toString('base64url');
  return await postFromScript(bed, '/contact/sealed', { sealed });
}

const listMessageIds = async () =>
  (await bed.store.records.selectFrom('contact_messages').select('id').execute()).map(({ id }) => id);

test('the box takes messages up to its cap', async () => {
  for (let index = 0; index < capacity; index += 1) assert.equal((await postSealedMessage()).status, 204);
  assert.equal((await listMessageIds()).length, capacity);
});

test('then every page and API names the e-mail address, and nothing is stored', async () => {
  const form = await bed.get('/contact', { headers: sameOriginHeaders });
  assert.equal(form.status, 503);
  assert.match(form.text, new RegExp(`<a href="mailto:${MAINTAINER}">`));
  assert.doesNotMatch(form.text, /<textarea/);
  await assertValidHtml(form.text, 'contact-full');

  const sent = await postContactForm();
  assert.equal(sent.status, 503);
  assert.match(sent.text, new RegExp(`Please write to ${MAINTAINER} instead`));
  assert.match(sent.text, /Typed with &lt;care&gt;\./, 'what was typed is still there');
  await assertValidHtml(sent.text, 'contact-full-sent');

  const scripted = await postSealedMessage();
  assert.deepEqual([scripted.status, scripted.json['code']], [503, 'contact_full']);
  assert.match(String(scripted.json['detail']), new RegExp(MAINTAINER));

  const agent = await bed.createAgent();
  const called = await agent.request('POST', '/contact', { plain: { ...message } });
  assert.deepEqual([called.status, called.json['code']], [503, 'contact_full']);
  assert.match(String(called.json['detail']), new RegExp(MAINTAINER));
  assert.ok(Number(called.headers['retry-after']) > 0);
  assert.equal((await listMessageIds()).length, capacity);
  assert.match(bed.readLog(), /"event":"storage_full","kind":"contact_messages","reason":"cap"/);
});

test('a full box closes nothing else', async () => {
  assert.equal((await postRegistration(bed.get, sampleRegistration)).status, 202);
  assert.equal((await bed.postCheckout('Trace')).status, 200);
  assert.equal((await bed.get('/api/ready')).status, 200);
});

test('handled messages give way to new ones, the one handled first before the others', async () => {
  const [first = '', second = ''] = await listMessageIds();
  await resolveContactMessage(bed.services, first, null);
  await resolveContactMessage({ ...bed.services, clock: { now: () => Date.now() + 1_000 } }, second, null);
  assert.equal((await bed.get('/contact', { headers: sameOriginHeaders })).status, 200);
  assert.equal((await postSealedMessage()).status, 204);
  assert.equal((await postContactForm()).status, 200);
  assert.equal((await postSealedMessage()).status, 503);
  const left = await listMessageIds();
  assert.equal(left.length, capacity);
  assert.ok(!left.includes(first) && !left.includes(second));
  assert.match(bed.readLog(), /"event":"storage_reopened","kind":"contact_messages"/);
});
