/** No text of a buyer and no secret word is stored in plain text: not in the database, journal, files or log. */
import assert from 'node:assert/strict';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { generateWords } from '#seal/core/words.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { listPlacesContaining } from '#test/written-content.ts';
import { openPaidForm, plainFormFields, postFormFields, sendPlainForm } from './plain-form.ts';
import { createRestartableService } from './restartable-service.ts';

const restartable = await createRestartableService(withReverseCleanup({ after }));
const service = await restartable.start();

const typed = {
  ...plainFormFields,
  question: 'Is she who she says she is? CANARYquestion',
  subject: 'CANARYsubject',
  identifiers: 'CANARYidentifier',
  background: 'CANARYbackground',
  alias: 'CANARYalias',
  contact_mode: 'email',
  contact_value: 'canaryaddress@example.org',
  contact_safe_times: 'CANARYtimes',
};
const file = {
  name: 'CANARYname.txt',
  type: 'text/canarytype',
  content: new TextEncoder().encode('CANARYcontent '.repeat(3_000)),
};

const written = { dataDir: restartable.dataDir, readLog: () => service.readOutput() };

async function assertNowhere(secrets: readonly string[]): Promise<void> {
  await access(join(restartable.dataDir, 'inquiry-office.db-wal'));
  for (const secret of secrets)
    assert.deepEqual(await listPlacesContaining(written, secret), [], `places of ${secret}`);
}

test('the search finds text that is stored in plain', async () => {
  assert.deepEqual(await listPlacesContaining(written, 'is ready.'), ['log']);
  assert.deepEqual(await listPlacesContaining(written, 'CREATE TABLE cases'), ['inquiry-office.db']);
});

test('an inquiry sent without a script, refused or accepted, leaves no plain text anywhere', async () => {
  const form = await openPaidForm(service);
  const refused = await sendPlainForm(service, form, { ...typed, jurisdiction: 'CANARYcountry' }, [file]);
  assert.equal(refused.status, 422);
  assert.match(refused.text, /CANARYquestion/);
  assert.equal((await sendPlainForm(service, form, typed, [file])).status, 200);
  const cut = await openPaidForm(service);
  const tooMany = Array.from({ length: 11 }, () => file);
  assert.equal((await sendPlainForm(service, cut, typed, tooMany)).status, 422);
  const guesses = [form.words, generateWords(), `${form.words} more`, form.words.replaceAll(' ', '')];
  for (const words of guesses) await postFormFields(service, '/case', { words });
  await service.get(`/case?words=${encodeURIComponent(form.words)}`);
  const words = form.words.split(' ');
  const pairs = words
    .slice(1)
    .flatMap((word, index) => ['', ' ', '+', '%20'].map((between) => `${words[index]}${between}${word}`));
  await assertNowhere(['CANARY', 'canaryaddress', 'canarytype', form.token, ...pairs]);
});

test('a contact message leaves no plain text anywhere', async () => {
  const sender = { topic: 'press', reply_to: 'canaryreply@example.org' };
  for (const message of ['CANARYmessage, quite long', 'CANARY'])
    await postFormFields(service, '/contact', { ...sender, message });
  assert.equal(restartable.queryRows('select 1 from contact_messages').length, 1);
  await assertNowhere(['CANARY', 'canaryreply']);
});

test('nothing in the database links a payment to its case', () => {
  const orders = restartable.queryRows('select * from orders');
  const listTexts = (row: Record<string, unknown>) =>
    Object.values(row).filter((value): value is string => typeof value === 'string' && value.length > 12);
  const others = [
    ...restartable.queryRows('select id, lookup_hash from cases'),
    ...restartable.queryRows('select id, case_id, uploader from objects where case_id is not null'),
  ];
  const known = new Set(orders.flatMap(listTexts));
  assert.ok(orders.length > 0 && others.length > 0);
  const shared = others.flatMap(listTexts).filter((text) => known.has(text));
  assert.deepEqual(shared, []);
});
