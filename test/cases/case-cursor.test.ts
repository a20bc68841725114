/** The case page's script gets only what is new: its cursor covers what it has, and is invalid if that has changed. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { deliverSealedFinding, takeBackAnswer, toDeliveryUploader } from '#cases/delivery.ts';
import { MINUTE_MS } from '#platform/durations.ts';
import { httpLimits } from '#platform/http/limits/limits.ts';
import { sealEnvelope } from '#seal/core/envelope.ts';
import { listCaseObjects } from '#store/cases/objects.ts';
import { openAgentCase, openApiTestbed } from '#test/api/api-testbed.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { SEALED_CASE_PATHS } from '#wire/case-page.ts';
import type { SealedCaseAnswer } from '#wire/case-requests.ts';
import { postFromScript } from './plain-form.ts';
import { addSealedMessage } from './sealed-message.ts';

let offset = 0;
const clock = { now: () => Date.now() + offset };
const testbed = await openApiTestbed(withReverseCleanup({ after }), { clock });
const { services } = testbed;
const sent = await openAgentCase(testbed, await testbed.createAgent());
const { key, keys } = sent.form;

async function post(path: string, fields: object) {
  return await postFromScript(testbed, path, { lookup_token: keys.lookupToken, ...fields });
}

async function readCase(fields: object, path: string = SEALED_CASE_PATHS.open): Promise<SealedCaseAnswer> {
  const { status, json, text } = await post(path, fields);
  assert.equal(status, 200, text);
  return json as unknown as SealedCaseAnswer;
}

function listPlaces({ objects }: SealedCaseAnswer): string[] {
  return objects.map(({ kind, seq }) => `${kind} ${seq}`);
}

async function sealMessage(kind: 'buyer-message.v1' | 'desk-message.v1', seq: number): Promise<Uint8Array> {
  return await sealEnvelope(key, { kind, seq }, { text: `${kind} ${seq}`, call_windows: [] });
}

async function askFromDesk(seq: number): Promise<void> {
  await addSealedMessage(services, { id: sent.id, key }, { by: 'desk', seq });
}

async function deliver(seq: number): Promise<void> {
  const finding = await sealEnvelope(key, { kind: 'finding.v1', seq }, { markdown: 'Found.', files: [] });
  const uploader = toDeliveryUploader(sent.id);
  const delivery = { finding, files: [], uploader, seq, undoMs: 2 * MINUTE_MS };
  await deliverSealedFinding(services, sent.id, delivery);
}

test('without a cursor, or with one of other objects, it begins with the first', async () => {
  const whole = await readCase({});
  assert.deepEqual(listPlaces(whole), ['inquiry.v1 0']);
  assert.ok(whole.case_key);
  const [, hash] = whole.cursor.split('.');
  for (const other of [`2.${hash}`, `1.${'A'.repeat(43)}`])
    assert.deepEqual(await readCase({ after: other }), whole, other);
  for (const none of ['', 'x', `-1.${hash}`, `1.${hash}=`, '9'.repeat(64), 'x'.repeat(65)])
    assert.equal((await post(SEALED_CASE_PATHS.open, { after: none })).status, 422, none);
  assert.equal((await post(SEALED_CASE_PATHS.purge, { after: whole.cursor })).status, 422);
});

test('with a cursor, each act is answered with what came since', async () => {
  const { cursor } = await readCase({});
  const unchanged = await readCase({ after: cursor });
  assert.deepEqual([unchanged.objects, unchanged.cursor, unchanged.case_key], [[], cursor, undefined]);
  await askFromDesk(0);
  const asked = await readCase({ after: cursor });
  assert.deepEqual(listPlaces(asked), ['desk-message.v1 0']);
  assert.ok(asked.objects[0]?.sealed);
  const sealed = Buffer.from(await sealMessage('buyer-message.v1', 0)).toString('base64url');
  const message = { seq: 0, sealed, call: false, after: asked.cursor };
  const answered = await readCase(message, SEALED_CASE_PATHS.message);
  assert.deepEqual(listPlaces(answered), ['buyer-message.v1 0']);
  assert.deepEqual(await readCase(message, SEALED_CASE_PATHS.message), answered, 'sent again, the same');
  const kept = await readCase({ keep_days: 90, after: answered.cursor }, SEALED_CASE_PATHS.keep);
  assert.deepEqual([kept.objects, kept.keep_days], [[], 90]);
  const since = listPlaces(await readCase({ after: cursor }));
  assert.deepEqual(since, ['desk-message.v1 0', 'buyer-message.v1 0']);
});

test('a cursor tells nothing of a held finding, and is void when the finding shows', async () => {
  const before = await readCase({});
  await deliver(0);
  assert.deepEqual((await readCase({ after: before.cursor })).cursor, before.cursor);
  await takeBackAnswer(services, sent.id);
  await askFromDesk(1);
  await deliver(1);
  await askFromDesk(2);
  const held = await readCase({ after: before.cursor });
  assert.deepEqual(listPlaces(held), ['desk-message.v1 1', 'desk-message.v1 2']);
  offset += 3 * MINUTE_MS;
  const released = await readCase({ after: held.cursor });
  assert.ok(released.case_key);
  assert.deepEqual(listPlaces(released).slice(-2), ['finding.v1 1', 'desk-message.v1 2']);
});

test('a cursor whose objects have gone brings everything', async () => {
  const { cursor } = await readCase({});
  const { records } = testbed.store;
  const [, gone] = await listCaseObjects(records, sent.id);
  assert.ok(gone);
  await records.deleteFrom('objects').where('id', '=', gone.id).execute();
  const answer = await readCase({ after: cursor });
  assert.ok(answer.case_key);
  assert.deepEqual(listPlaces(answer).slice(0, 2), ['inquiry.v1 0', 'buyer-message.v1 0']);
});

test('a long case comes in answers of bounded size, each with its cursor', async () => {
  const text = 'x'.repeat(40_000);
  for (let seq = 1; seq <= 20; seq += 1) {
    await addSealedMessage(services, { id: sent.id, key }, { by: 'buyer', seq }, { text });
  }
  const stored = await listCaseObjects(testbed.store.records, sent.id);
  const answers = [await readCase({}, SEALED_CASE_PATHS.news)];
  while (answers.at(-1)?.more)
    answers.push(await readCase({ after: answers.at(-1)?.cursor }, SEALED_CASE_PATHS.news));
  const places = stored.map(({ kind, seq }) => `${kind} ${seq}`);
  assert.deepEqual(answers.flatMap(listPlaces), places);
  const withKey = answers.map(({ case_key: caseKey }) => caseKey !== undefined);
  assert.deepEqual(withKey, [true, false]);
  for (const answer of answers) {
    const bytes = answer.objects.reduce((sum, { size }) => sum + size, 0);
    assert.ok(bytes <= httpLimits.answeredBytes, `${bytes} bytes`);
  }
});
