/** The call of a Dossier without a script: times and a number from the buyer, a booking from the desk, both shown. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { openSealedCase } from '#cases/messages/decrypted-case.ts';
import { addCaseMessage } from '#cases/messages/messages.ts';
import { applyCallAction, type CallAction, requireCase } from '#cases/states.ts';
import { DAY_MS } from '#platform/durations.ts';
import type { ServiceError } from '#platform/errors.ts';
import type { BookedCall } from '#seal/case/booked-call.ts';
import { buildCallPlan } from '#seal/case/call-plan.ts';
import { toUtcMinute } from '#seal/case/zoned-time.ts';
import { sealEnvelope } from '#seal/core/envelope.ts';
import { readSealedCase } from '#test/cases/sealed-case.ts';
import { shareTestShop } from '#test/test-shop.ts';
import { CALL_NUMBER, createCallTimes } from './call-times.ts';
import {
  openPaidForm,
  type PlainForm,
  plainFormFields,
  postFormFields,
  sameOriginHeaders,
  sendPlainForm,
} from './plain-form.ts';
import { openStoredCaseKey, readPrivateKey, requireCaseByWords } from './stored-case.ts';

const shop = await shareTestShop();
const identity = await readPrivateKey(shop.dataDir, 'desk');

async function sendDossier(fields: Record<string, string> = {}): Promise<PlainForm> {
  const form = await openPaidForm(shop, 'Dossier');
  const answer = await sendPlainForm(shop, form, { ...plainFormFields, ...fields });
  assert.equal(answer.status, 200, answer.text);
  return form;
}

async function postCaseForm({ words }: PlainForm, path: string, fields: Record<string, string> = {}) {
  return await postFormFields(shop, path, { words, ...fields });
}

/** Sends times for a call with the first message. */
async function propose(form: PlainForm, changes: Record<string, string> = {}) {
  return await postCaseForm(form, '/case/message', { seq: '0', ...createCallTimes().fields, ...changes });
}

const requireRecord = ({ words }: PlainForm) => requireCaseByWords(shop, words);

async function applyAtDesk(form: PlainForm, act: CallAction): Promise<void> {
  const { id } = await requireRecord(form);
  const moment = { by: 'desk', now: Date.now() } as const;
  await shop.store.transaction(async (records) =>
    applyCallAction(records, await requireCase(records, id, moment.now), act, moment),
  );
}

async function openAtDesk(form: PlainForm) {
  const record = await requireRecord(form);
  const opened = await openSealedCase(await readSealedCase(shop.services, record), identity);
  return { ...opened, plan: buildCallPlan(opened, record.call === 'booked') };
}

async function sealAs(form: PlainForm, by: 'buyer' | 'desk', seq: number, body: object) {
  const key = await openStoredCaseKey(shop, await requireRecord(form), identity);
  return await sealEnvelope(key, { kind: `${by}-message.v1`, seq }, body);
}

async function bookAtDesk(form: PlainForm, seq: number, call: BookedCall) {
  const { id } = await requireRecord(form);
  const sealed = await sealAs(form, 'desk', seq, { text: '', call });
  return await addCaseMessage(shop.services, id, { by: 'desk', seq, sealed, callAct: 'book' });
}

function createCall(daysAhead = 3, zone = 'Europe/Paris'): BookedCall {
  return { at: toUtcMinute(Date.now() + daysAhead * DAY_MS), zone };
}

test('the form says where the call is settled, and checks what an earlier form asked for', async () => {
  const form = await openPaidForm(shop, 'Dossier');
  const page = await shop.get('/inquiry', { headers: { ...sameOriginHeaders, cookie: form.cookie } });
  assert.match(page.text, /You choose the time on your case page/);
  assert.doesNotMatch(page.text, /id="call_(?:number|zone)"/);
  const { fields } = createCallTimes();
  const refused = await sendPlainForm(shop, form, { ...plainFormFields, ...fields, call_number: 'hello' });
  assert.equal(refused.status, 422);
  assert.match(refused.text, /Write a phone number in digits/);
  assert.match(refused.text, /<a href="#call_windows">.*id="call_windows" tabindex="-1">/s);
  assert.equal((await sendPlainForm(shop, form, { ...plainFormFields, ...fields })).status, 200);
  const { plan } = await openAtDesk(form);
  assert.deepEqual(plan, { number: CALL_NUMBER, windows: [createCallTimes().window], booked: null });
});

test('a tier without a call asks for none, and refuses one', async () => {
  const form = await openPaidForm(shop, 'Trace');
  const page = await shop.get('/inquiry', { headers: { ...sameOriginHeaders, cookie: form.cookie } });
  assert.doesNotMatch(page.text, /id="call_(?:number|zone)"/);
  const refused = await sendPlainForm(shop, form, { ...plainFormFields, ...createCallTimes().fields });
  assert.equal(refused.status, 422);
  assert.equal((await sendPlainForm(shop, form)).status, 200);
  assert.doesNotMatch((await postCaseForm(form, '/case')).text, /data-part="call"(?! hidden)/);
  assert.match((await propose(form)).text, /moved on since this page was loaded/);
  await assert.rejects(bookAtDesk(form, 0, createCall()), { code: 'case_state' });
  const { record, messages } = await openAtDesk(form);
  assert.deepEqual([record.call, messages.length], ['none', 0]);
});

test('times can be settled later, on the page of a case that was just received', async () => {
  const form = await sendDossier();
  const page = await postCaseForm(form, '/case');
  assert.match(page.text, /<h1[^>]*>We have your question/);
  assert.match(
    page.text,
    /data-part="call"><summary><h2>Your call<\/h2><span[^>]*>Your service includes one call\./,
  );
  assert.match(page.text, /data-part="times" open>/);
  for (const [fields, says] of [
    [
      { call_1_start: '', call_1_end: '', call_zone: 'Paris' },
      /id="call_1_start-error"[^\n]*Choose at least one time/,
    ],
    [{ call_1_start: '2020-05-04T10:00' }, /id="call_1_start-error"[^\n]*still to come/],
    [{ call_number: '' }, /id="call_number-error"/],
  ] as const) {
    const refused = await propose(form, fields);
    assert.equal(refused.status, 422);
    assert.match(refused.text, says);
  }
  assert.equal((await requireRecord(form)).call, 'none');

  const given = await propose(form);
  assert.equal(given.status, 200, given.text);
  assert.match(given.text, /Your times were sent/);
  assert.match(given.text, /We have your times for the call/);
  assert.match(
    given.text,
    /Times you suggested<\/dt><dd[^>]*><time[^>]*>[^<]* 10:00 Europe\/Paris \([^<]* UTC\)<\/time> to <time/,
  );
  assert.match(given.text, /id="call_number"[^>]* value="\+44 20 7946 0000"/, 'it need not be typed again');
  assert.equal((await requireRecord(form)).call, 'proposed');
  const { plan } = await openAtDesk(form);
  assert.deepEqual([plan.number, plan.windows[0]?.start], [CALL_NUMBER, createCallTimes().window.start]);
});

test('a booking is shown in its zone and in UTC, and in clear stands nothing but that there is one', async () => {
  const form = await sendDossier(createCallTimes().fields);
  const call = createCall();
  await bookAtDesk(form, 0, call);
  const page = await postCaseForm(form, '/case');
  assert.match(page.text, /Your call is booked\. The time is below/);
  const [, shown = ''] = /<dt>When<\/dt><dd[^>]*>(.*?)<\/dd>/.exec(page.text) ?? [];
  assert.match(shown, new RegExp(`<time datetime="${call.at.slice(0, 16)}`));
  assert.match(shown, /\d\d:\d\d Europe\/Paris \(.*\d\d:\d\d UTC\)/);
  assert.match(page.text, /Number we’ll call<\/dt><dd[^>]*>\+44 20 7946 0000/);
  assert.match(page.text, /With JavaScript turned on/);
  assert.match(page.text, /Ask for another time/);
  assert.match(page.text, /data-part="call" open>/);
  assert.match(page.text, /data-part="times">/);
  const record = await requireRecord(form);
  assert.equal(record.call, 'booked');
  assert.ok(!JSON.stringify(record).includes(call.at.slice(0, 10)));
  const inMessage = `The call is booked: <time datetime="${new Date(call.at).toISOString()}">`;
  assert.ok(page.text.includes(inMessage), 'so that a script shows it in the reader’s own clock');
});

test('either side asks for another time, and both see it', async () => {
  const form = await sendDossier(createCallTimes().fields);
  await bookAtDesk(form, 0, createCall());
  const other = createCallTimes(5);
  const asked = await propose(form, other.fields);
  assert.match(asked.text, /We have your times for the call/);
  assert.doesNotMatch(asked.text, /<dt>When<\/dt>/);
  const { record, plan } = await openAtDesk(form);
  assert.deepEqual([record.call, plan.booked, plan.windows], ['proposed', null, [other.window]]);

  await bookAtDesk(form, 1, createCall(5));
  assert.match((await postCaseForm(form, '/case')).text, /<dt>When<\/dt>/);
  await applyAtDesk(form, 'offer');
  const offered = await postCaseForm(form, '/case');
  assert.match(offered.text, /tell us below, under “Your call”, when would suit you/);
  assert.doesNotMatch(offered.text, /<dt>When<\/dt>/);
});

test('of two bookings at once one is stored', async () => {
  const form = await sendDossier(createCallTimes().fields);
  const results = await Promise.allSettled([2, 4].map((days) => bookAtDesk(form, 0, createCall(days))));
  const codes = results.map((result) => ('reason' in result ? (result.reason as ServiceError).code : ''));
  assert.deepEqual(codes.toSorted(), ['', 'case_changed']);
  assert.equal((await openAtDesk(form)).messages.length, 1);
});

test('a booking that the buyer wrote is none, and the buyer cannot set the state', async () => {
  const form = await sendDossier(createCallTimes().fields);
  const { id } = await requireRecord(form);
  const sealed = await sealAs(form, 'buyer', 0, { text: 'x', call: createCall() });
  await assert.rejects(addCaseMessage(shop.services, id, { by: 'buyer', seq: 0, sealed, callAct: 'book' }), {
    code: 'case_state',
  });
  await addCaseMessage(shop.services, id, { by: 'buyer', seq: 0, sealed });
  const { plan, messages, record } = await openAtDesk(form);
  assert.deepEqual([record.call, plan.booked], ['none', null]);
  assert.ok(messages[0] && 'unreadable' in messages[0].said && messages[0].said.reason === 'unknown_form');
  // The records alone cannot turn the message into a booking.
  await shop.store.records.updateTable('cases').set({ call: 'booked' }).where('id', '=', id).execute();
  assert.doesNotMatch((await postCaseForm(form, '/case')).text, /<dt>When<\/dt>/);
});

test('a zone that this machine does not know hides nothing: the time is then in UTC', async () => {
  const form = await sendDossier();
  const { id } = await requireRecord(form);
  const windows = [{ ...createCallTimes().window, zone: 'America/Newtown' }];
  const proposal = { text: '', call_windows: windows, call_number: CALL_NUMBER };
  const sealed = await sealAs(form, 'buyer', 0, proposal);
  await addCaseMessage(shop.services, id, { by: 'buyer', seq: 0, sealed, callAct: 'propose' });
  assert.match((await postCaseForm(form, '/case')).text, /10:00 to .* 12:00, America\/Newtown/);
  await bookAtDesk(form, 0, createCall(3, 'America/Newtown'));
  assert.match(
    (await postCaseForm(form, '/case')).text,
    /<time datetime="[^"]+">[^<(]*\d\d:\d\d UTC<\/time>/,
  );
});

test('a call that was held is not offered again', async () => {
  const form = await sendDossier(createCallTimes().fields);
  await bookAtDesk(form, 0, createCall());
  await applyAtDesk(form, 'hold');
  assert.match((await postCaseForm(form, '/case')).text, /data-part="call" hidden/);
  assert.match((await propose(form)).text, /moved on since this page was loaded/);
  assert.equal((await requireRecord(form)).call, 'held');
});
