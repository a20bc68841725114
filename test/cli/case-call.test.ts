/** The call of a case at the command line: booked with the desk's key, and read in both zones. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { toUtcMinute, toWallTime } from '#seal/case/zoned-time.ts';
import { findCase } from '#store/cases/cases.ts';
import { CALL_NUMBER, createCallTimes } from '#test/cases/call-times.ts';
import { addSealedMessage } from '#test/cases/sealed-message.ts';
import { insertPlantedCase, type PlantedCase } from '#test/desk-api/planted-case.ts';
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
const { key } = desk;
const { day, window } = createCallTimes(3);
const AT = `${day}T10:30+01:00`;
const UTC = `${day} 09:30 UTC`;

async function proposeTimes(sent: PlantedCase, seq: number, body: object = {}): Promise<void> {
  const message = { text: '', call_windows: [window], call_number: CALL_NUMBER, ...body };
  await addSealedMessage(shop.services, sent, { by: 'buyer', seq, callAct: 'propose' }, message);
}

interface OpenedCall {
  readonly case: { readonly call: string };
  readonly call: { readonly number: string; readonly booked: { readonly at: string; readonly zone: string } };
}

test('the desk reads number and times in both zones, and books one in the zone of the buyer', async () => {
  const sent = await insertPlantedCase(shop, { tier: 'Dossier' });
  await proposeTimes(sent, 0);
  const opened = await desk.runForText('cases', 'open', sent.id, '--key', key);
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
  assert.match(
    await desk.runRefused(1, 'cases', 'call', sent.id, 'book', '--at', AT, '--key', key),
    /add the --seen that it prints/,
  );
  const book = ['cases', 'call', sent.id, 'book', '--at', AT, '--key', key, '--seen', '1'];
  const booked = await desk.runForText(...book);
  assert.match(
    booked,
    /^Booked: .* Europe\/Paris, 09:30 UTC\. State of the case: received; due in 48 hours\.\n$/,
  );
  assert.match(await desk.runForText(...book), /already booked for that time; nothing was sent/);
  const { case: facts, call } = await desk.runForJson<OpenedCall>('cases', 'open', sent.id, '--key', key);
  assert.deepEqual([facts.call, call.number], ['booked', CALL_NUMBER]);
  assert.deepEqual(call.booked, { at: `${day}T09:30Z`, zone: 'Europe/Paris' });
  const again = await desk.runForText('cases', 'open', sent.id, '--key', key);
  assert.match(
    again,
    new RegExp(`Booked: ${day} .* Europe/Paris, 09:30 UTC \\(${day} .* America/New_York\\)`),
  );
  assert.doesNotMatch(
    await desk.runForText('cases', 'show', sent.id),
    new RegExp(`09:30|${CALL_NUMBER.slice(1)}`),
  );

  const moved = await desk.runForText(
    ...book.with(5, `${day}T12:15Z`),
    '--zone',
    'UTC',
    '--text',
    'A bit later.',
  );
  assert.match(moved, new RegExp(`^Booked: ${day} 12:15 UTC\\. `));
  await proposeTimes(sent, 1);
  assert.equal((await findCase(shop.store.records, sent.id, 0))?.call, 'proposed');
  assert.doesNotMatch(await desk.runForText('cases', 'open', sent.id, '--key', key), /\nBooked: /);
  assert.equal(await desk.runForText('cases', 'call', sent.id, 'offer'), 'The call is offered.\n');
  assert.equal(await desk.runForText('cases', 'call', sent.id, 'hold'), 'The call took place.\n');
  assert.match(
    await desk.runRefused(1, ...book.with(book.length - 1, '2')),
    /no longer possible in the current state/,
  );
});

test('a booking needs a time ahead with its offset, a zone that exists, and a tier with a call', async () => {
  const sent = await insertPlantedCase(shop, { tier: 'Dossier' });
  const book = (...args: string[]) => ['cases', 'call', sent.id, 'book', '--key', key, ...args];
  for (const at of [
    `${day}T10:30`,
    `${day}T10:30:00Z`,
    day,
    'tomorrow',
    '2027-02-30T10:00Z',
    '2027-02-03T10:00+99:00',
  ])
    assert.match(await desk.runRefused(64, ...book('--at', at)), /--at takes a time with its UTC offset/, at);
  assert.match(await desk.runRefused(64, ...book()), /--at takes/);
  assert.match(await desk.runRefused(64, ...book('--at', AT, '--zone', 'Mars/Olympus')), /--zone takes/);
  assert.match(await desk.runRefused(1, ...book('--at', '2020-05-04T10:00Z')), /That time has passed/);
  const minuteAgo = toUtcMinute(Date.now() - 60_000);
  assert.match(await desk.runRefused(1, ...book('--at', minuteAgo)), /That time has passed/);
  assert.match(await desk.runRefused(1, ...book('--at', '2999-05-04T10:00Z')), /more than a year away/);
  assert.match(
    await desk.runRefused(64, 'cases', 'call', sent.id, 'hold', '--at', AT),
    /Only book takes these options/,
  );
  assert.match(await desk.runRefused(64, 'cases', 'call', sent.id, 'dial'), /one of offer, book, hold/);
  assert.match(await desk.runRefused(64, 'cases', 'call', 'offer'), /ID is missing/);
  assert.equal((await findCase(shop.store.records, sent.id, 0))?.call, 'none');

  const trace = await insertPlantedCase(shop);
  const refused = ['cases', 'call', trace.id, 'book', '--key', key, '--at', AT];
  assert.match(await desk.runRefused(1, ...refused), /no longer possible in the current state/);
  assert.match(await desk.runForText('cases', 'show', trace.id), /Call +none/);
});

test('a case without a number can be booked, and the desk is told to ask', async () => {
  const sent = await insertPlantedCase(shop, { tier: 'Dossier' });
  const text = await desk.runForText('cases', 'call', sent.id, 'book', '--key', key, '--at', AT);
  assert.ok(text.startsWith(`Booked: ${UTC}. `), text);
  assert.match(text, /The buyer has not provided a phone number: ask for one\.\n$/);
});
