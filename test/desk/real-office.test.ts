/** The desk's program against the real service: two investigators and a buyer, from the first look to a second delivery. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { formatShownPerson } from '#desk/office/office-people.ts';
import { HOUR_MS } from '#platform/durations.ts';
import { buildDeskApp } from '#test/desk-api/desk-client.ts';
import { answerAsBuyer, insertPlantedCase } from '#test/desk-api/planted-case.ts';
import { connectDesk } from './connected-desk.ts';

test('a case goes its whole way through the desk', async (t) => {
  const office = await buildDeskApp(
    t,
    { ana: 'owner', ben: 'investigator' },
    { env: { DELIVERY_UNDO_MINUTES: '10' } },
  );
  const planted = await insertPlantedCase(office, { tier: 'Dossier' });
  const { id } = planted;
  const ana = await connectDesk(t, office, office.keys.ana);
  const ben = await connectDesk(t, office, office.keys.ben);
  const { people, peopleChange } = await ana.signIn();
  assert.deepEqual(
    people.map(({ name }) => name),
    ['ana', 'ben'],
  );
  assert.deepEqual(
    peopleChange?.came.map(({ name }) => name),
    ['ben'],
  );
  await ben.confirmPeople(people.map(formatShownPerson));

  const { cases, counts } = await ana.readQueue({ view: 'open' });
  assert.deepEqual([cases.map((each) => each.id), counts.unassigned], [[id], 1]);
  const opened = await ana.readCase(id);
  assert.deepEqual([opened.isFirstOpening, opened.isGenuine, opened.gaps], [true, true, []]);
  const { content, name } = await ana.streamFile(id, { kind: 'inquiry-file.v1', seq: 0 });
  assert.deepEqual(
    [name, Buffer.concat(await Array.fromAsync(content)).length],
    ['offer-letter.pdf', 300_000],
  );

  const asked = await ana.sendMessage(id, { act: 'ask', text: 'Since when?', seen: opened.seen });
  assert.deepEqual([asked.state, asked.holder], ['awaiting_client', ana.holder]);
  await assert.rejects(ben.sendMessage(id, { act: 'message', text: 'Hello', seen: opened.seen }), {
    code: 'case_changed',
    message: /A colleague has written/,
  });
  const forBen = await ben.readCase(id);
  await assert.rejects(ben.sendMessage(id, { act: 'message', text: 'Hello', seen: forBen.seen }), {
    code: 'case_held',
  });
  await ben.addNote(id, 'I know her.');
  await answerAsBuyer(office.services, office.keys.ana, planted, 'Since May.');
  const answered = await ana.readCase(id);
  assert.deepEqual(
    answered.notes.map(({ by, said }) => [by, said]),
    [[ben.holder, { text: 'I know her.' }]],
  );
  assert.deepEqual(
    answered.content.messages.map(({ by, link }) => [by, link]),
    [
      ['desk', 'linked'],
      ['buyer', 'linked'],
    ],
  );
  assert.deepEqual(answered.seen, { buyer: 1, desk: 1 });

  const at = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS + 24 * HOUR_MS;
  const offered = await ana.sendMessage(id, {
    act: 'message',
    text: 'Shall we talk?',
    offersCall: true,
    seen: answered.seen,
  });
  assert.equal(offered.call, 'offered');
  const booking = {
    act: 'book_call',
    text: 'Tomorrow.',
    at,
    zone: 'Europe/Madrid',
    seen: { buyer: 1, desk: 2 },
  } as const;
  assert.equal((await ana.sendMessage(id, booking)).call, 'booked');

  const keeping = {
    act: 'retain',
    text: 'Until the trial.',
    keepDays: 365,
    seen: { buyer: 1, desk: 3 },
  } as const;
  assert.equal((await ana.sendMessage(id, keeping)).keep_days, 365);

  const bytes = Buffer.alloc(600_000, 7);
  const file = { name: 'report.pdf', size: bytes.length, content: () => ReadableStream.from([bytes]) };
  const seen = { buyer: 1, desk: 4 };
  const delivered = await ana.deliver(id, { markdown: '# It is her', files: [file], seen });
  assert.equal(delivered.state, 'delivered');
  assert.ok(delivered.held_until);
  const withFinding = await ana.readCase(id);
  assert.deepEqual(withFinding.gaps, []);
  const back = await ana.act(id, 'take_back');
  assert.deepEqual([back?.state, back?.finding_seq], ['in_progress', 1]);
  assert.deepEqual((await ana.readCase(id)).gaps, []);
  await ana.deliver(id, { markdown: '# It is not her', files: [file], seen, atOnce: true });
  const final = await ana.readCase(id);
  assert.ok(final.content.finding && 'content' in final.content.finding);
  assert.equal(final.content.finding.content.markdown, '# It is not her');
  const report = await ana.streamFile(id, final.files.find(({ kind }) => kind === 'finding-file.v1')!);
  assert.ok(Buffer.concat(await Array.fromAsync(report.content)).equals(bytes));
  assert.deepEqual(final.gaps, []);
  await ana.signOut();
  assert.equal(ana.session, null);
  assert.ok(!office.readLog().includes('# It is'));
});
