/** The call of a case, as `cases open` shows it: in the zone of the buyer and in that of the investigator. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { toWallTime } from '#seal/case/zoned-time.ts';
import { CALL_NUMBER, createCallTimes } from '#test/cases/call-times.ts';
import { addSealedMessage } from '#test/cases/sealed-message.ts';
import { insertPlantedCase } from '#test/desk-api/planted-case.ts';
import { buildTestApp } from '#test/test-app.ts';
import { createDeskCli } from './desk-cli.ts';

const shop = await buildTestApp({ after });
const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
// The zone of the investigator.
process.env['TZ'] = 'America/New_York';
after(() => {
  process.env['TZ'] = zone;
});
const desk = createDeskCli(shop);
const { day, window } = createCallTimes(3);

test('number, proposed times and a booking are shown in both zones; other times end the booking', async () => {
  const sent = await insertPlantedCase(shop, { tier: 'Dossier' });
  const open = ['cases', 'open', sent.id];
  const propose = async (seq: number) => {
    const body = { text: '', call_windows: [window], call_number: CALL_NUMBER };
    await addSealedMessage(shop.services, sent, { by: 'buyer', seq, callAct: 'propose' }, body);
  };
  await propose(0);
  const opened = await desk.runForText(...open);
  const formatHere = (time: string) =>
    (toWallTime(Date.parse(`${day}T${time}:00Z`), 'America/New_York') ?? '').slice(11);
  assert.match(opened, /CALL\n\nNumber: \+44 20 7946 0000\nProposed: /);
  // Paris may be one or two hours ahead of UTC; New York follows by its own rules.
  const offset =
    toWallTime(Date.parse(`${day}T10:00:00Z`), 'Europe/Paris')?.slice(11) === '11:00' ? '09:00' : '08:00';
  assert.ok(
    opened.includes(`${day} 10:00 to ${day} 12:00, Europe/Paris (${day} ${formatHere(offset)} to`),
    opened,
  );

  const call = { at: `${day}T09:30Z`, zone: 'Europe/Paris' };
  const body = { text: '', call_windows: [], call };
  await addSealedMessage(shop.services, sent, { by: 'desk', seq: 0, callAct: 'book' }, body);
  const { case: facts, call: plan } = await desk.runForJson<{
    readonly case: { readonly call: string };
    readonly call: { readonly number: string; readonly booked: object };
  }>(...open);
  assert.deepEqual([facts.call, plan.number, plan.booked], ['booked', CALL_NUMBER, call]);
  assert.match(
    await desk.runForText(...open),
    new RegExp(`Booked: ${day} .* Europe/Paris, 09:30 UTC \\(${day} .* America/New_York\\)`),
  );
  assert.doesNotMatch(
    await desk.runForText('cases', 'show', sent.id),
    new RegExp(`09:30|${CALL_NUMBER.slice(1)}`),
  );
  await propose(1);
  assert.doesNotMatch(await desk.runForText(...open), /\nBooked: /);
});
